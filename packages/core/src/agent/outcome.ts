import type { RunSnapshot } from "./snapshot.ts";
import type { Message } from "../values/message.ts";

/** What a run did, counted. */
export interface RunReport {
  readonly runId: string;
  /** Calls of the model that ended in a reply, repairs included. */
  readonly llmCalls: number;
  /** Tools run, `prompt_llm` apart. */
  readonly steps: number;
  /** Tools that ran because another tool's output led to them. */
  readonly chainedSteps: number;
  /** Model calls that an agent without chains would have made on top. */
  readonly skippedCalls: number;
  /** The prompt tokens of the skipped calls, estimated at four characters a token. */
  readonly skippedPromptTokens: number;
  /** Billed tokens; estimated at four characters a token where the endpoint does not say. */
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** In US dollars, where the endpoint has prices; else null. */
  readonly costUsd: number | null;
  /** Milliseconds spent in each tool, by name. */
  readonly toolMs: Readonly<Record<string, number>>;
}

/** Where a run stood when it failed. */
export interface FailedRun {
  readonly messages: readonly Message[];
  readonly report: RunReport;
  readonly snapshot: RunSnapshot;
}

/** The run ended: `output` is its Stop. */
export interface CompletedRun<Output> {
  readonly status: "completed";
  readonly output: Output;
  readonly messages: readonly Message[];
  readonly report: RunReport;
}

/** A tool asked something that has to come from outside; go on with `agent.resume(snapshot, reply)`. */
export interface SuspendedRun {
  readonly status: "suspended";
  readonly request: unknown;
  /** The tool that asked. */
  readonly toolName: string;
  readonly snapshot: RunSnapshot;
  readonly messages: readonly Message[];
  readonly report: RunReport;
}

/** The run was given up: by its signal, by `run.cancel()`, or by a tool. */
export interface CancelledRun {
  readonly status: "cancelled";
  readonly reason: unknown;
  readonly snapshot: RunSnapshot;
  readonly messages: readonly Message[];
  readonly report: RunReport;
}

/** How a run ended, told apart by `status`. */
export type RunResult<Output> = CompletedRun<Output> | SuspendedRun | CancelledRun;
