import { Agent, asTool, MockLLMEndpoint, stop, Str, tool } from "@roboz/core";

/** Asks a specialist that is an agent of its own. */
export function callingAgent(price: string): Agent {
  const look = tool({
    name: "look",
    description: "Look a price up.",
    input: Str,
    output: Str,
    run: ({ value }) => Str({ value: `${value}: ${price}` }),
  });
  const stops = { action: "stop", rationale: "", value: "Told." };
  const specialist = new Agent({
    name: "specialist",
    mode: "autonomous",
    systemPrompt: "Know prices.",
    endpoint: new MockLLMEndpoint([{ action: "look", rationale: "", value: "chair" }, stops]),
    tools: [look, stop],
  });
  return new Agent({
    name: "caller",
    mode: "autonomous",
    systemPrompt: "Ask the specialist.",
    endpoint: new MockLLMEndpoint([{ action: "specialist", rationale: "", value: "Chairs?" }, stops]),
    tools: [asTool(specialist), stop],
  });
}

export const agent = callingAgent("12 EUR");
