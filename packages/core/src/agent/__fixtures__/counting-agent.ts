import { MockLLMEndpoint } from "../../llm/mock.ts";
import { stop } from "../../tools/builtin/stop.ts";
import { when } from "../../tools/link.ts";
import { tool } from "../../tools/tool.ts";
import { Empty, Int, Str } from "../../values/builtin.ts";
import { Agent } from "../agent.ts";

/** Counts to three by a chain, each count an effect that is done once, and then lets the model stop. */
export function countingAgent(effect: (idempotencyKey: string) => void = () => undefined): Agent {
  const start = tool({
    name: "start",
    description: "Start.",
    input: Empty,
    output: Int,
    run: () => Int({ value: 0 }),
  });
  const count = tool({
    name: "count",
    description: "Count.",
    input: Int,
    output: [Int, Str],
    chainedTo: when(start, () => true),
    run: async ({ value }, { once }) => {
      const next = await once(`count-${value}`, (key) => {
        effect(key);
        return value + 1;
      });
      return next < 3 ? Int({ value: next }) : Str({ value: "three" });
    },
  });
  count.chain(when(count, Int.is));
  return new Agent({
    name: "counter",
    mode: "autonomous",
    systemPrompt: "Count.",
    endpoint: new MockLLMEndpoint(({ messages }) =>
      messages.some(({ content }) => content.includes("three"))
        ? { action: "stop", rationale: "Done.", value: "counted" }
        : { action: "start", rationale: "Count." },
    ),
    tools: [start, count, stop],
  });
}
