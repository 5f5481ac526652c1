import { Agent } from "../../agent/agent.ts";
import { MockLLMEndpoint, type MockEntry } from "../../llm/mock.ts";
import { when } from "../../tools/link.ts";
import { tool, type AnyTool } from "../../tools/tool.ts";
import { Empty, Stop, Str } from "../../values/builtin.ts";
import { otelSink, type OtelSinkOptions } from "../index.ts";
import { tracedSpans } from "./spans.ts";

export const rationale = "because";

export function askBob(run: () => Promise<Str> | Str = () => Str({ value: "yes" })) {
  return tool({ name: "ask_bob", description: "", input: Empty, output: Str, run });
}

/** Bob, and the table that is booked when he says yes. */
export function lunchTools(): readonly AnyTool[] {
  const bob = askBob();
  const book = tool({
    name: "book_table",
    description: "",
    input: Str,
    output: Stop,
    chainedTo: when(bob, ({ value }) => value === "yes"),
    run: () => Stop({ value: "Booked." }),
  });
  return [bob, book];
}

export const callBob = { action: "ask_bob", rationale };
export const stopNow = { action: "finish", rationale };
export const finishTool = tool({
  name: "finish",
  description: "",
  input: Empty,
  output: Stop,
  run: () => Stop(),
});

export function traced(
  script: readonly MockEntry[],
  tools: readonly AnyTool[],
  { sink, ...settings }: { sink?: OtelSinkOptions; description?: string; toolErrors?: "show" | "throw" } = {},
) {
  const spans = tracedSpans();
  const agent = new Agent({
    name: "lunch",
    mode: "autonomous",
    systemPrompt: "Arrange lunch.",
    endpoint: new MockLLMEndpoint(script, { apiName: "openai", modelName: "gpt-5" }),
    tools,
    sinks: [otelSink(spans.tracer, sink)],
    ...settings,
  });
  return { agent, ...spans };
}
