import * as z from "zod";

import { describeIssues } from "../values/value.ts";

const stored = z.object({ kind: z.string(), fields: z.record(z.string(), z.unknown()) });
const chosenBy = z.enum(["model", "chain", "tool", "default"]);
const count = z.number().nonnegative();
const position = z.int().nonnegative();

/** What a snapshot is made of; its messages and stored values are checked where they are restored. */
const snapshotSchema = z.object({
  runId: z.string(),
  fingerprint: z.record(z.string(), z.string()),
  isStarted: z.boolean(),
  messages: z.array(z.unknown()),
  showings: z.record(z.string(), position),
  position: z.object({
    lastTool: z.string().nullable(),
    output: stored,
    chosenBy,
    queue: z.array(z.string()),
    calls: z.array(stored),
  }),
  pending: z.object({ tool: z.string(), request: z.unknown(), chosenBy, isRecovery: z.boolean() }).nullable(),
  counts: z.object({
    llmCalls: count,
    steps: count,
    chainedSteps: count,
    skippedCalls: count,
    skippedPromptTokens: count,
    tokensIn: count,
    tokensOut: count,
    costUsd: count,
    isPriced: z.boolean(),
    failuresInRow: count,
    toolMs: z.record(z.string(), z.number()),
  }),
  repeats: z.object({
    callAt: position.nullable(),
    previous: z.object({ from: position, to: position }).nullable(),
    count,
    isExempt: z.boolean(),
  }),
  once: z.record(z.string(), z.object({ isDone: z.boolean() })),
});

/** What does not fit in something that should be a snapshot; undefined when all does. */
export function snapshotProblem(candidate: unknown): string | undefined {
  const { error } = snapshotSchema.safeParse(candidate);
  return error === undefined ? undefined : describeIssues(error);
}
