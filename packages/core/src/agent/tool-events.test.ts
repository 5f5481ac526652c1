import { expect, it } from "vitest";

import {
  Agent,
  Empty,
  Invoke,
  MockLLMEndpoint,
  stop,
  Str,
  tool,
  type EventSink,
  type RunEvent,
} from "../index.ts";
import { call } from "./__fixtures__/runs.ts";

/** The tools of a run in order, each with who led to it. */
function choices(): { readonly seen: unknown[]; readonly sink: EventSink } {
  const seen: unknown[] = [];
  const sink = (event: RunEvent): void => {
    if (event.type !== "runtime" || event.category !== "tool" || event.kind !== "started") return;
    seen.push([event.data["tool"], event.data["chosen_by"]]);
  };
  return { seen, sink };
}

const greet = tool({
  name: "greet",
  description: "",
  input: Empty,
  output: Empty,
  run: () => Empty(),
});
const ask = tool({ name: "ask", description: "", input: Empty, output: Str, run: () => Str({ value: "a" }) });
const jump = tool({
  name: "jump",
  description: "",
  input: Str,
  output: Invoke,
  chainedTo: ask,
  run: () => Invoke({ action: "stop", rationale: "", value: "done" }),
});

it("says of each tool that starts whether the model, a link, a call of another tool or its turn led to it", async () => {
  const { seen, sink } = choices();
  await new Agent({
    name: "a",
    mode: "autonomous",
    systemPrompt: "Go.",
    endpoint: new MockLLMEndpoint([call("ask")]),
    tools: [ask, jump, stop],
    defaultTools: [greet],
    sinks: [sink],
  }).complete();
  expect(seen).toEqual([
    ["greet", "default"],
    ["prompt_llm", "default"],
    ["ask", "model"],
    ["jump", "chain"],
    ["stop", "tool"],
  ]);
});
