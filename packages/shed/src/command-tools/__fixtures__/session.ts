import {
  Agent,
  apiUserIo,
  MockLLMEndpoint,
  stop,
  Str,
  type RunEvent,
  type RunResult,
  type RunSnapshot,
  type Stop,
  type UserIo,
} from "@roboz/core";
import { expect } from "vitest";

import type { WrittenToken } from "../../language/grammar.ts";
import { PermissionPolicy, type PermissionPolicySettings } from "../../permissions/policy.ts";
import type { RunnerSettings } from "../file-command-runner.ts";
import { fileCommandChain } from "../guarded-chain.ts";
import { scriptedCommands } from "./scripted-commands.ts";

/** Everything inside the base is allowed. */
export const allowAll: PermissionPolicySettings["allow"] = [
  { pattern: "**", operations: ["read", "create", "delete"] },
];

/** How a session differs from one with scripted commands, all allowed, and nobody to ask. */
export interface SessionSettings {
  readonly base: string;
  readonly policy?: Omit<PermissionPolicySettings, "base">;
  /** Replies of a live person, in order; a missing one fails the question. */
  readonly replies?: readonly (string | null)[];
  readonly io?: UserIo;
  readonly changes?: Partial<RunnerSettings>;
  readonly whenAway?: "suspend" | "deny";
  readonly log?: string[];
}

/** What one agent with the file commands does, and what can be seen of it. */
export interface Session {
  readonly agent: Agent;
  readonly prompts: string[];
  readonly events: RunEvent[];
  readonly log: string[];
  /** Has the model send these tokens, and gives the report it then reads. */
  readonly report: (value: readonly unknown[]) => Promise<string>;
  readonly invoke: (signal?: AbortSignal) => Promise<RunResult<Stop>>;
}

/** An agent whose scripted model sends the given inputs one after the other, then stops. */
export function session(settings: SessionSettings, ...inputs: readonly (readonly unknown[])[]): Session {
  const prompts: string[] = [];
  const events: RunEvent[] = [];
  const log = settings.log ?? [];
  const policy = new PermissionPolicy({ base: settings.base, ...(settings.policy ?? { allow: allowAll }) });
  const { tools } = fileCommandChain({
    policy,
    definitions: scriptedCommands({ log }),
    containment: undefined,
    now: () => 0,
    timeoutMs: 60_000,
    spoolLimits: {},
    options: { policy, whenAway: settings.whenAway ?? "suspend" },
    ...settings.changes,
  });
  const io = settings.io ?? (settings.replies === undefined ? undefined : person(settings.replies, prompts));
  const make = (values: readonly (readonly unknown[])[]): Agent =>
    new Agent({
      name: "filing",
      systemPrompt: "Work on files.",
      endpoint: new MockLLMEndpoint([
        ...values.map((value) => ({ action: "run_file_command", rationale: "Files.", value })),
        { action: "stop", rationale: "Done.", value: "done" },
      ]),
      tools: [...tools, stop],
    });
  const run = (agent: Agent, signal?: AbortSignal): Promise<RunResult<Stop>> =>
    agent.invoke(undefined, {
      sinks: [
        (event) => {
          events.push(event);
        },
      ],
      ...(io === undefined ? {} : { io }),
      ...(signal === undefined ? {} : { signal }),
    });
  const agent = make(inputs);
  return {
    agent,
    prompts,
    events,
    log,
    report: async (value) => reportOf(await run(make([value]))),
    invoke: (signal) => run(agent, signal),
  };
}

function person(replies: readonly (string | null)[], prompts: string[]): UserIo {
  return apiUserIo({
    requestInput: (question) => {
      const reply = replies[prompts.length];
      prompts.push(question);
      if (reply === undefined) return Promise.reject(new Error("nobody answers this"));
      return Promise.resolve(reply === null ? null : Str({ value: reply }));
    },
    notify: () => undefined,
  });
}

/** The last report in a run's conversation. */
export function reportOf(result: RunResult<Stop>): string {
  const reports = result.messages.flatMap(({ content }) => {
    if (!content.startsWith('{"caller":"execute_file_command"')) return [];
    const fields: unknown = JSON.parse(content);
    const isReport = typeof fields === "object" && fields !== null && "ending" in fields && "value" in fields;
    return isReport && typeof fields.value === "string" ? [fields.value] : [];
  });
  const report = reports.at(-1);
  if (report === undefined) throw new Error(`no report in ${JSON.stringify(result.messages, null, 1)}`);
  return report;
}

/** A snapshot as another process reads it. */
export function throughJson(snapshot: RunSnapshot): RunSnapshot {
  const copy: typeof snapshot = structuredClone(snapshot);
  expect(JSON.parse(JSON.stringify(copy))).toEqual(copy);
  return copy;
}

/** Tokens from words: `&&` and its like are operators, `-x` an option, `=x` an argument, the first of a command its name. */
export function words(line: string): readonly WrittenToken[] {
  let isFirst = true;
  return line
    .split(" ")
    .filter((word) => word !== "")
    .map((word): WrittenToken => {
      if (["&&", "||", ";", "|"].includes(word)) {
        isFirst = true;
        return [word, "CTL"];
      }
      if (isFirst) {
        isFirst = false;
        return [word, "CMD"];
      }
      if (word.startsWith("=")) return [word.slice(1), "ARG"];
      return word.startsWith("-") ? [word, "FLG"] : [word, "PTH"];
    });
}
