import { Agent, Empty, MockLLMEndpoint, Stop, tool } from "@roboz/core";

const quotes = [
  "A chain is as short as its conditions allow.",
  "The cheapest call is the one nobody makes.",
  "Types first; the rest is conversation.",
  "Stop is an answer too.",
  "What cannot fit should not compile.",
] as const;

/**
 * The smallest agent: a model that calls its one tool, and a tool that ends the run with a quote.
 *
 * @param random - A number from 0 to below 1, as `Math.random` gives.
 */
export function quotesAgent(random: () => number = Math.random): Agent {
  const getQuote = tool({
    name: "get_quote",
    description: "Return a random quote and then stop.",
    input: Empty,
    output: Stop,
    run: () => Stop({ value: quotes[Math.floor(random() * quotes.length)] ?? quotes[0] }),
  });
  return new Agent({
    name: "quotes",
    description: "Returns a random quote.",
    mode: "autonomous",
    systemPrompt: "You produce quotes.",
    endpoint: new MockLLMEndpoint([{ action: "get_quote", rationale: "A quote is wanted." }]),
    tools: [getQuote],
  });
}
