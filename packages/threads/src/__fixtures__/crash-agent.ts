import { appendFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

import { Empty, MockLLMEndpoint, stop, Str, tool, type Message } from "@roboz/core";
import { Capability, DeployableAgent, ToolLabel } from "@roboz/deployment";

import { currentThreadCall } from "../turns/thread-call.ts";
import type { ThreadAgent } from "../turns/thread-agent.ts";

/** What the model does with each message: a tool with an effect, one that only reads, one of the client's, and an answer. */
const part = ["note", "peek", "look"] as const;

/**
 * An agent for servers that are killed. It goes by the conversation alone, so that it goes on in any process.
 *
 * @param notes - A file that has a line for each time that `note` took effect: the id of its call.
 * @param slowness - The longest time that a step takes, in milliseconds.
 */
export function crashAgent(notes: string, slowness: number): ThreadAgent {
  const pause = (): Promise<void> => delay(Math.random() * slowness);
  const note = tool({
    name: "note",
    description: "Note that it was here.",
    input: Empty,
    output: Str,
    run: async () => {
      appendFileSync(notes, `${currentThreadCall()?.toolUseId ?? "none"}\n`);
      await pause();
      return Str({ value: "noted" });
    },
  });
  const peek = tool({
    name: "peek",
    description: "Change nothing.",
    input: Empty,
    output: Str,
    run: async () => {
      await pause();
      return Str({ value: "seen" });
    },
  });
  const agent = new DeployableAgent({
    name: "crash",
    systemPrompt: "Go through your tools, and answer.",
    capabilities: [new Capability({ label: ToolLabel("crash"), value: [note, peek, stop] })],
  });
  agent.setAgentEndpoint(
    new MockLLMEndpoint(async ({ messages }) => {
      await pause();
      return nextStep(messages);
    }),
  );
  return { agent, idempotentTools: ["peek"] };
}

function nextStep(messages: readonly Message[]): object {
  const said = messages.findLastIndex(({ content }) => /^say \d+$/.test(content));
  const since = messages.slice(said + 1).map(({ content }) => content);
  const next = part.find((name) => !since.some((content) => content.includes(`"caller":"${name}"`)));
  if (next !== undefined) return { action: next, rationale: "It is next." };
  return {
    action: "stop",
    rationale: "All done.",
    value: `heard ${messages[said]?.content ?? ""} ${"…".repeat(2000)}`,
  };
}
