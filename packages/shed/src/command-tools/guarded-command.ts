import { NO_MESSAGE } from "@roboz/core";

import { stepsOf, type Step } from "../language/grammar.ts";
import { withJudgement } from "../language/report.ts";
import type { Exchange, Judgement } from "../permissions/guard.ts";
import { auditDecision, type GuardedCall } from "./approval.ts";
import { GuardedFileCommand, positionOf, ResolvedFileCommand, type Position } from "./payloads.ts";
import type { Preparation } from "./preparation.ts";

/** What travels between the tools is no message to the model. */
export const hidden = { truncation: NO_MESSAGE };

/** The command that a sequence has reached. */
export function stepAt({ value, at }: Pick<Position, "value" | "at">): Step {
  const step = stepsOf(value)[at];
  if (step === undefined) throw new Error(`A sequence of file commands has no command ${at}`);
  return step;
}

/**
 * A command that was looked into. What is spread stands last, here and below: each new key after a spread that stands first
 * takes Node a microsecond.
 */
export function resolvedCommand(
  position: Position,
  preparation: Preparation,
  id: string,
): ResolvedFileCommand {
  const isReady = "prepared" in preparation;
  return ResolvedFileCommand(
    {
      id,
      label: isReady ? preparation.label : stepAt(position).name,
      refusal: isReady ? null : preparation.refusal,
      ...positionOf(position),
    },
    hidden,
  );
}

/** A command as it was judged. */
export function guardedCommand(
  resolved: ResolvedFileCommand,
  judgement: Exclude<Judgement, { status: "waiting" }>,
  fingerprint: string | null,
): GuardedFileCommand {
  return GuardedFileCommand(
    {
      id: resolved.id,
      label: resolved.label,
      refusal: null,
      verdict: judgement.status,
      reason: judgement.status === "denied" ? judgement.reason : null,
      exchanges: [...judgement.exchanges],
      fingerprint,
      ...positionOf(resolved),
      ...withJudgement(resolved, judgement),
    },
    hidden,
  );
}

/**
 * A command that was refused before it could be judged; when that was for the policy, as a denial.
 *
 * @param exchanges - What was asked and allowed before it came to that.
 */
export function refusedCommand(
  call: GuardedCall,
  resolved: ResolvedFileCommand,
  exchanges: readonly Exchange[] = [],
): GuardedFileCommand {
  const { message = "", need = null } = resolved.refusal ?? {};
  const denial: Judgement = { status: "denied", reason: "policy_denied", message, exchanges };
  if (need !== null) {
    const { verdict, rule = null } = call.options.policy.decide(need.operation, need.location);
    auditDecision(call, { ...need, verdict, rule, answeredBy: "policy" });
  }
  return GuardedFileCommand(
    {
      id: resolved.id,
      label: resolved.label,
      refusal: resolved.refusal,
      verdict: "denied",
      reason: need === null ? null : "policy_denied",
      exchanges: [],
      fingerprint: null,
      ...positionOf(resolved),
      ...withJudgement(resolved, need === null ? { status: "allowed", exchanges } : denial),
    },
    hidden,
  );
}
