import { Agent } from "../../../agent/agent.ts";
import { MockLLMEndpoint } from "../../../llm/mock.ts";
import { stop } from "../../../tools/builtin/stop.ts";
import { when } from "../../../tools/link.ts";
import { tool } from "../../../tools/tool.ts";
import { Empty, Int, Str } from "../../../values/builtin.ts";
import type { EventSink } from "../../events.ts";

/** Counts by a chain of one message a step; its model starts the count, and stops when it is over. */
export function countingAgent({
  to = 3,
  sinks = [],
  strictSinks = false,
}: {
  readonly to?: number;
  readonly sinks?: readonly EventSink[];
  readonly strictSinks?: boolean;
} = {}): Agent {
  const start = tool({
    name: "start",
    description: "Start counting.",
    input: Empty,
    output: Int,
    run: () => Int({ value: 0 }),
  });
  const count = tool({
    name: "count",
    description: "Count one further.",
    input: Int,
    output: [Int, Str],
    chainedTo: when(start, () => true),
    // A turn of the event loop, so that others get theirs.
    run: async ({ value }) => {
      await new Promise((resolve) => setImmediate(resolve));
      return value < to ? Int({ value: value + 1 }) : Str({ value: "counted" });
    },
  });
  count.chain(when(count, Int.is));
  return new Agent({
    name: "counter",
    description: "Counts.",
    mode: "autonomous",
    systemPrompt: "Count.",
    endpoint: new MockLLMEndpoint(({ messages }) =>
      messages.some(({ content }) => content.includes('"counted"'))
        ? { action: "stop", rationale: "Done.", value: "finished" }
        : { action: "start", rationale: "Count." },
    ),
    tools: [start, count, stop],
    limits: { steps: null },
    sinks,
    strictSinks,
  });
}
