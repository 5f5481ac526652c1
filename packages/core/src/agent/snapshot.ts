import type { Message } from "../values/message.ts";
import type { Metadata } from "../values/metadata.ts";

/** A value at rest: its kind, its fields, and what travels beside them. */
export interface StoredValue {
  readonly kind: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly meta?: Metadata | undefined;
}

/** A tool as the graph's fingerprint knows it. */
export type GraphFingerprint = Readonly<Record<string, string>>;

/** A run's state as plain JSON: whoever has the same agent can go on from it. */
export interface RunSnapshot {
  readonly schemaVersion: 1;
  readonly runId: string;
  readonly agentName: string;
  /** Each tool by its place in the graph, with a digest of its contract and links. */
  readonly fingerprint: GraphFingerprint;
  readonly messages: readonly Message[];
  /** What the next step starts from. */
  readonly position: {
    /** The tool that ran last, by its key in the graph; null at the start and after a recovery. */
    readonly lastTool: string | null;
    readonly lastOutput: StoredValue;
    /** The defaults left in this cycle, by key. */
    readonly queue: readonly string[];
  };
  /** The question the run waits with; null when it can simply go on. */
  readonly pending: { readonly tool: string; readonly request: unknown } | null;
  readonly counters: Readonly<Record<string, number>>;
  /** The results recorded by `once`, by key. */
  readonly once: Readonly<Record<string, unknown>>;
}
