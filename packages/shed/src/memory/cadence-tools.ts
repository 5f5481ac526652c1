import {
  activeAgents,
  activeRuns,
  contentObject,
  Empty,
  NO_MESSAGE,
  Stop,
  systemClock,
  tool,
  value,
  type AnyTool,
  type Clock,
  type Message,
  type Of,
} from "@roboz/core";
import { join } from "node:path";
import * as z from "zod";

import type { Records } from "./records.ts";

const stopName = "stop_when_watched_agents_inactive";

/** What a look at the watched agents found, when maintenance goes on. */
export const WatchStatus = value("watch_status", {
  /** `final_sweep_required`: nobody is at work, and one more pass over everything comes before the end. */
  status: z.enum(["active", "final_sweep_required"]),
});
/** What a look at the watched agents found, when maintenance goes on. */
export type WatchStatus = Of<typeof WatchStatus>;

/** Why maintenance went on. */
export const SleepResult = value("sleep_result", {
  reason: z.enum(["nobody_active", "time_over", "activity_ended"]),
});
/** Why maintenance went on. */
export type SleepResult = Of<typeof SleepResult>;

/** What the cadence of maintenance goes by. */
export interface CadenceOptions {
  readonly records: Records;
  readonly watchedAgentNames: ReadonlySet<string>;
  /** The time between two passes. */
  readonly intervalMs: number;
  readonly clock?: Clock | undefined;
}

const metadata = { truncation: NO_MESSAGE, messageKind: "librarian_routine" } as const;

/** The two default tools that end a pass: the look whether anybody is still at work, and the wait. */
export function cadenceTools(options: CadenceOptions): readonly AnyTool[] {
  const { records, watchedAgentNames } = options;
  const stopWhenInactive = tool({
    name: stopName,
    description: "Stop when no watched agent is at work, after one more pass.",
    input: Empty,
    output: [WatchStatus, Stop],
    run: async (_input, { messages }) => {
      const active = await activeAgents(records.logsDir, [...watchedAgentNames]);
      if (active.length > 0) return WatchStatus({ status: "active" }, metadata);
      if (lastStatus(messages) !== "final_sweep_required")
        return WatchStatus({ status: "final_sweep_required" }, metadata);
      return Stop({ value: "No watched agent is at work, and everything is swept." });
    },
  });
  const sleep = tool({
    name: "sleep_between_runs",
    description: "Wait for the next pass, or until a watched run ends.",
    input: Empty,
    output: SleepResult,
    run: async (_input, { signal }) => SleepResult({ reason: await slept(options, signal) }, metadata),
  });
  return [stopWhenInactive, sleep];
}

/** What the look before this one found; undefined when there was none. */
function lastStatus(messages: readonly Message[]): unknown {
  const head = `{"caller":"${stopName}"`;
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const { content = "" } = messages[index] ?? {};
    if (content.startsWith(head)) return contentObject(content)?.["status"];
  }
  return undefined;
}

/** How often a wait looks up. */
const lookMs = 250;

async function slept(
  { records, watchedAgentNames, intervalMs, clock = systemClock }: CadenceOptions,
  signal: AbortSignal,
): Promise<SleepResult["reason"]> {
  const atStart = await activity(records, watchedAgentNames);
  if (atStart.size === 0) return "nobody_active";
  const end = clock.now() + intervalMs;
  for (let left = intervalMs; left > 0; left = end - clock.now()) {
    signal.throwIfAborted();
    await wait(Math.min(lookMs, left), clock, signal);
    signal.throwIfAborted();
    const now = await activity(records, watchedAgentNames);
    for (const marker of atStart) if (!now.has(marker)) return "activity_ended";
  }
  return "time_over";
}

/** The runs of watched agents that are under way. */
async function activity(
  { logsDir }: Records,
  watchedAgentNames: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const markers = new Set<string>();
  // Names that lead out of the folder are passed over there.
  for (const name of await activeAgents(logsDir, [...watchedAgentNames]))
    for (const runId of await activeRuns(join(logsDir, name))) markers.add(`${name}/${runId}`);
  return markers;
}

function wait(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      callOff();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const callOff = clock.after(ms, done);
    signal.addEventListener("abort", done, { once: true });
  });
}
