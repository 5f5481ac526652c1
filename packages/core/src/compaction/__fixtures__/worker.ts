import { call } from "../../agent/__fixtures__/runs.ts";
import { Agent } from "../../agent/agent.ts";
import type { AgentSettings } from "../../agent/settings.ts";
import { MockLLMEndpoint, type MockEntry } from "../../llm/mock.ts";
import { noUserIo } from "../../runtime/user-io.ts";
import { stop } from "../../tools/builtin/stop.ts";
import type { ToolContext } from "../../tools/context.ts";
import { tool } from "../../tools/tool.ts";
import { Empty, Str } from "../../values/builtin.ts";
import type { CompactionSettings } from "../settings.ts";

export const toolName = "compactify_messages_when_needed";
/** The context that the models here have, in tokens. */
export const max = 1_000;

/** What a tool called alone gets. */
export const aloneContext: ToolContext = {
  messages: [],
  signal: new AbortController().signal,
  io: noUserIo,
  once: async (key, effect) => effect(key),
  emit: () => undefined,
  replaceMessages: () => undefined,
};

/** Works, with long results, until the model stops it. */
export function plain(endpoint: MockLLMEndpoint): AgentSettings {
  const work = tool({
    name: "work",
    description: "Work.",
    input: Empty,
    output: Str,
    run: () => Str({ value: "result ".repeat(240) }),
  });
  return {
    name: "worker",
    mode: "autonomous",
    systemPrompt: "Work.",
    automaticToolPrompt: false,
    endpoint,
    tools: [work, stop],
  };
}

export const done = call("stop", { value: "done" });
/** Two results, a summary, and the end. */
export const story: readonly MockEntry[] = [call("work"), call("work"), { value: "Worked twice." }, done];

export function worker(
  script: readonly MockEntry[],
  compaction: CompactionSettings = {},
  more: Partial<AgentSettings> = {},
) {
  const endpoint = new MockLLMEndpoint(script, { maxContextTokens: max });
  return { endpoint, agent: new Agent({ ...plain(endpoint), compaction, ...more }) };
}
