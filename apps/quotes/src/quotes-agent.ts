import { Agent, Empty, MockLLMEndpoint, Stop, tool, type EndpointLike } from "@roboz/core";

import { sayings } from "./sayings.ts";

/** Chooses one of some texts. */
export type Pick = (texts: readonly string[]) => string;

/**
 * An agent that says one saying and stops.
 *
 * @param endpoint - The model that is asked.
 * @param pick - Chooses the saying; at random by default.
 */
export function quotesAgent(endpoint: EndpointLike, pick: Pick = atRandom): Agent {
  const getQuote = tool({
    name: "get_quote",
    description: "Say a random quote, and stop.",
    input: Empty,
    output: Stop,
    run: () => Stop({ value: pick(sayings) }),
  });
  return new Agent({
    name: "quotes",
    description: "Says one saying.",
    mode: "autonomous",
    systemPrompt: "You give people a quote to think about.",
    endpoint,
    tools: [getQuote],
  });
}

/** A model that needs no key: it asks for a quote, every time. */
export function scriptedModel(): MockLLMEndpoint {
  return new MockLLMEndpoint(() => ({ action: "get_quote", rationale: "A quote is wanted." }));
}

function atRandom(texts: readonly string[]): string {
  return texts[Math.floor(Math.random() * texts.length)] ?? "";
}

/** The agent on its scripted model, for commands that run or draw an exported agent. */
export const agent = quotesAgent(scriptedModel());
