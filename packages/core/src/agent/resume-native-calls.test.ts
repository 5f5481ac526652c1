import { expect, it } from "vitest";

import { ScriptedClient } from "../llm/__fixtures__/scripted-client.ts";
import type { ChatReply, ChatRequest } from "../llm/client.ts";
import { LLMEndpoint } from "../llm/endpoint.ts";
import { memoryJournalStore } from "../runtime/journal/memory-store.ts";
import { stop } from "../tools/builtin/stop.ts";
import { tool } from "../tools/tool.ts";
import { Str } from "../values/builtin.ts";
import { Agent } from "./agent.ts";
import { resumeRun } from "./resume-run.ts";

const call = (id: string, name: string, given: object = {}) => ({
  id,
  name,
  arguments: JSON.stringify({ rationale: "r", ...given }),
});
const twoCalls = { toolCalls: [call("x", "post", { value: "a" }), call("y", "post", { value: "b" })] };
const lastCall = { toolCalls: [call("z", "stop", { value: "bye" })] };
const answer = ({ messages }: ChatRequest): Promise<ChatReply> =>
  Promise.resolve(messages.some(({ role }) => role === "assistant") ? lastCall : twoCalls);

/** An agent whose model calls a tool twice in one reply, each an effect of its own. */
function postingAgent(client: ScriptedClient, effects: string[]) {
  const post = tool({
    name: "post",
    description: "Post.",
    input: Str,
    output: Str,
    run: async ({ value }, { once }) => {
      await once(`post-${value}`, (key) => {
        effects.push(key);
        return null;
      });
      return Str({ value: "posted" });
    },
  });
  const endpoint = new LLMEndpoint({
    apiName: "s",
    modelName: "m",
    stream: false,
    protocol: "tools",
    client,
  });
  return new Agent({
    name: "poster",
    mode: "autonomous",
    systemPrompt: "Post.",
    endpoint,
    tools: [post, stop],
  });
}

it("PS-20: a run that died between calls and results is resumed with one result for each call, and no effect again", async () => {
  const store = memoryJournalStore();
  const done: string[] = [];
  const undisturbed = await postingAgent(new ScriptedClient([answer, answer]), done).complete(undefined, {
    journal: store,
    runId: "run",
  });
  expect(done).toHaveLength(2);
  const lines = (await store.read("run")) ?? [];
  let asked = 0;
  for (let kept = 1; kept <= lines.length; kept += 1) {
    const copy = memoryJournalStore();
    const handle = await copy.open("run");
    for (const line of lines.slice(0, kept)) await handle.append(line);
    await handle.close();
    const client = new ScriptedClient([answer, answer]);
    const effects: string[] = [];
    const resumed = resumeRun(copy, "run", postingAgent(client, effects));
    if (lines[kept - 1]?.includes('"once-intent"') === true) {
      await expect(resumed).rejects.toMatchObject({ code: "core/once-uncertain" });
      expect(effects).toEqual([]);
      continue;
    }
    expect((await resumed).messages).toEqual(undisturbed.messages);
    const recorded = lines.slice(0, kept).filter((line) => line.includes('"once-result"')).length;
    expect(effects).toHaveLength(2 - recorded);
    for (const { request } of client.seen) {
      const calls = request.messages.flatMap((message) =>
        message.role === "assistant" ? (message.toolCalls ?? []).map(({ id }) => id) : [],
      );
      const results = request.messages.flatMap((message) =>
        message.role === "tool" ? [message.toolCallId] : [],
      );
      expect(results).toEqual(calls);
      asked += calls.length;
    }
  }
  expect(asked).toBeGreaterThan(0);
});
