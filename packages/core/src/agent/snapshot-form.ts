import * as z from "zod";

import { makeOnce } from "../make-once.ts";
import { describeIssues } from "../values/parse.ts";
import { SnapshotError } from "./errors.ts";
import type { RunSnapshot } from "./snapshot.ts";

/**
 * Checks what was stored, sent, or edited by hand, before any of it is used.
 *
 * @returns The parts that a snapshot of an earlier release may lack, filled in.
 * @throws {@link SnapshotError} (`core/snapshot`) for what has not the form of a snapshot.
 */
export function checkForm(agentName: string, snapshot: unknown): Pick<RunSnapshot, "counts" | "skills"> {
  if (typeof snapshot !== "object" || snapshot === null || !("schemaVersion" in snapshot))
    throw new SnapshotError("this is no snapshot of a run");
  if (snapshot.schemaVersion !== 1)
    throw new SnapshotError(
      `its schema version is ${String(snapshot.schemaVersion)}, and this release reads version 1`,
    );
  const parsed = form().safeParse(snapshot);
  if (!parsed.success) {
    const { error: cause } = parsed;
    throw new SnapshotError(`it has parts that do not fit: ${describeIssues(cause)}`, { cause });
  }
  const { agentName: other, counts, skills } = parsed.data;
  if (other !== agentName)
    throw new SnapshotError(`it is of the agent \`${other}\`, not of \`${agentName}\``);
  return { counts, skills };
}

const form = makeOnce(() => {
  const count = z.number().nonnegative();
  const index = z.int().nonnegative();
  const chosenBy = z.enum(["model", "chain", "tool", "default"]);
  const stored = z.object({ kind: z.string(), fields: z.record(z.string(), z.unknown()) });
  return z.object({
    runId: z.string(),
    agentName: z.string(),
    fingerprint: z.record(z.string(), z.string()),
    isStarted: z.boolean(),
    messages: z.array(z.unknown()),
    showings: z.record(z.string(), index),
    skills: z.array(z.string()).default([]),
    position: z.object({
      lastTool: z.string().nullable(),
      output: stored,
      chosenBy,
      queue: z.array(z.string()),
      calls: z.array(stored),
    }),
    pending: z.object({ tool: z.string(), chosenBy, isRecovery: z.boolean() }).nullable(),
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
      wallMs: count.default(0),
      toolMs: z.record(z.string(), count),
    }),
    repeats: z.object({
      callAt: index.nullable(),
      previous: z.object({ from: index, to: index }).nullable(),
      count: index,
      isExempt: z.boolean(),
    }),
    once: z.record(z.string(), z.object({ isDone: z.boolean() })),
  });
});
