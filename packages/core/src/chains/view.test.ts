import { expect, it } from "vitest";

import { Agent } from "../agent/agent.ts";
import { MockLLMEndpoint } from "../llm/mock.ts";
import { stop } from "../tools/builtin/stop.ts";
import { when } from "../tools/link.ts";
import { tool } from "../tools/tool.ts";
import { Empty, Str } from "../values/builtin.ts";
import { toMermaid } from "./view.ts";

const greet = tool({
  name: "greet",
  description: "Greet.",
  input: Empty,
  output: Str,
  run: () => Str({ value: "" }),
});
const ask = tool({ name: "ask", description: "Ask.", input: Str, output: Str, run: (text) => text });
const tell = tool({
  name: "tell",
  description: "Tell.",
  input: Str,
  output: Str,
  chainedTo: [greet, when(ask, ({ value }) => value !== "")],
  run: (text) => text,
});

const agent = new Agent({
  name: "drawn",
  mode: "autonomous",
  systemPrompt: "Go.",
  endpoint: new MockLLMEndpoint([]),
  defaultTools: [greet],
  tools: [ask, tell, stop],
});

it("gives the tools of an agent and the ways between them as data", () => {
  const { agentName, nodes, edges } = agent.graph();
  expect(agentName).toBe("drawn");
  expect(nodes.map(({ key, role, input, outputs }) => [key, role, input, ...outputs])).toEqual([
    ["ask", "active", "str", "str"],
    ["tell", "passive", "str", "str"],
    ["stop", "active", "str", "stop"],
    ["greet", "default", "empty", "str"],
    ["prompt_llm", "prompter", "empty", "invoke"],
  ]);
  expect(edges).toEqual([
    { from: "prompt_llm", to: "ask", kind: "call", isConditional: false },
    { from: "prompt_llm", to: "stop", kind: "call", isConditional: false },
    { from: "ask", to: "tell", kind: "chain", isConditional: true },
    { from: "greet", to: "tell", kind: "chain", isConditional: false },
  ]);
});

it("draws active, passive and default tools, calls, and links with and without a condition apart", () => {
  const drawn = toMermaid(agent.graph()).split("\n");
  expect(drawn.slice(0, 10)).toEqual([
    "flowchart TD",
    '  t0["ask"]:::active',
    '  t1("tell"):::passive',
    '  t2["stop"]:::active',
    '  t3(["greet"]):::default',
    '  t4{{"prompt_llm"}}:::prompter',
    "  t4 ---o t0",
    "  t4 ---o t2",
    "  t0 -. when .-> t1",
    "  t3 --> t1",
  ]);
});

it("draws a graph without a model, and one with a way to a tool it does not have", () => {
  const plain = new Agent({
    name: "plain",
    mode: "deterministic",
    defaultTools: [greet],
    tools: [ask, tell],
  });
  expect(plain.graph().edges.map(({ kind }) => kind)).toEqual(["chain", "chain"]);
  const edges = [{ from: "a", to: "b", kind: "chain", isConditional: false } as const];
  expect(toMermaid({ agentName: "x", nodes: [], edges })).toContain("\n  a --> b\n");
});
