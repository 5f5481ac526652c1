import { MockLLMEndpoint, type MockEntry } from "../../llm/mock.ts";
import { Skill } from "../../skills/skill.ts";
import { stop } from "../../tools/builtin/stop.ts";
import { tool } from "../../tools/tool.ts";
import { Empty, Str } from "../../values/builtin.ts";
import { Agent } from "../agent.ts";
import type { AgentSettings } from "../settings.ts";
import { call } from "./runs.ts";

export const look = tool({
  name: "look",
  description: "Look something up.",
  input: Str,
  output: Str,
  run: ({ value }) => Str({ value: `found ${value}` }),
});
export const note = tool({
  name: "note",
  description: "Note it down.",
  input: Str,
  output: Str,
  chainedTo: look,
  run: ({ value }) => Str({ value: `noted: ${value}` }),
});

export const library = new Skill({
  name: "library",
  description: "How to use the library.",
  instructions: "Be quiet.",
  tools: [look, note],
});
export const restore = tool({
  name: "restore",
  description: "Restore a book.",
  input: Empty,
  output: Str,
  run: () => Str({ value: "restored" }),
});
export const archive = new Skill({
  name: "archive",
  description: "How to use the archive.",
  instructions: "Wear gloves.",
  tools: [restore],
  dependsOn: library,
});

/** An agent of a script, with the endpoint that plays it. */
export function reader(
  script: readonly MockEntry[] | ConstructorParameters<typeof MockLLMEndpoint>[0],
  settings: Partial<AgentSettings> = {},
): { readonly agent: Agent; readonly endpoint: MockLLMEndpoint } {
  const endpoint = new MockLLMEndpoint(script);
  const agent = new Agent({
    name: "reader",
    mode: "autonomous",
    systemPrompt: "Read.",
    endpoint,
    tools: [stop],
    ...settings,
  });
  return { agent, endpoint };
}

export const done = call("stop", { value: "Read." });
