import { ReplyError, Suspend, type Suspend as SuspendValue } from "@roboz/core";
import { createHash } from "node:crypto";
import * as z from "zod";

import type { PreparedCommand } from "../commands/command.ts";
import {
  answerEntry,
  declined,
  isApproval,
  judge,
  promptFor,
  type Denial,
  type Exchange,
  type Judgement,
  type Needs,
} from "../permissions/guard.ts";
import type { RequiredPermission } from "../permissions/operation.ts";
import { auditDecision, guardCall, type GuardedCall } from "./approval.ts";
import { ApprovalStateError } from "./errors.ts";
import { exchangeSchema, needSchema } from "./payloads.ts";

/** What a guard has to know of what it guards. */
export type Guarded = Needs & Pick<PreparedCommand, "fingerprint">;

/** What a guard keeps while it waits for a person, with the payload that was being judged. */
const waitingState = z.object({
  answered: z.array(exchangeSchema),
  /** What these were about, in their order. */
  asked: z.array(needSchema),
  /** What the person is asked for now. */
  need: needSchema,
  fingerprint: z.string(),
});

/** A judgement that waited, and the reply that has come. */
export interface Waited {
  /** All that was answered, the reply included. */
  readonly answered: readonly Exchange[];
  /** What these were about, in their order. */
  readonly asked: readonly RequiredPermission[];
  /** What the reply is about. */
  readonly need: RequiredPermission;
  readonly reply: string;
  readonly fingerprint: string;
}

/** What is needed and was looked at, as a text that differs when either does. */
function fingerprintOf({ needs, fingerprint }: Guarded): string {
  const hash = createHash("sha256");
  for (const { operation, location } of needs) hash.update(`${operation} ${location}\0`);
  return hash.update(fingerprint()).digest("hex");
}

/**
 * What a guard saw when a person was asked, as the run's record has it: a replay, for which the files were put back, finds what the
 * recorded run found. What is done is compared with what stands there then, which no record tells.
 */
export async function seenFor(
  { context }: GuardedCall,
  prepared: Guarded,
  { id, waited }: { readonly id: string; readonly waited?: Waited | undefined },
): Promise<string> {
  const key = `file-look:${id}:${waited?.answered.length ?? 0}`;
  return context.once(key, () => fingerprintOf(prepared), { onUncertain: "repeat" });
}

/**
 * Judges what was prepared; after a wait, from where that judgement had got to.
 *
 * @param seen - Gives {@link seenFor}, which is not looked for where nobody is asked.
 */
export async function guardPrepared(
  call: GuardedCall,
  prepared: Guarded,
  { waited, seen }: { readonly waited?: Waited | undefined; readonly seen: () => Promise<string> },
): Promise<Judgement> {
  if (waited === undefined) return guardCall(call, prepared);
  const isSame = waited.fingerprint === (await seen());
  // The rules may be others by now, and not ask any more: a no is one all the same.
  if (isSame && (isApproval(waited.reply) || (await isDenied(call, prepared, waited))))
    return guardCall(call, prepared, waited.answered);
  return answerTooLate(call, waited) ?? approvalVoid(call, waited.asked, waited.answered);
}

/**
 * Reports what a person answered about something that is not judged any more.
 *
 * @returns The denial when they said no, which needs no second look.
 */
export function answerTooLate(
  call: GuardedCall,
  { answered, asked, need, reply }: Waited,
): Denial | undefined {
  for (const [index, { operation, location }] of asked.entries()) {
    const rule = call.options.policy.decide(operation, location).ask ?? null;
    auditDecision(call, answerEntry({ operation, location }, rule, answered[index]?.reply ?? null));
  }
  return isApproval(reply) ? undefined : declined(need, reply, answered);
}

/** Whether a judgement with all that was answered is a no. */
async function isDenied(
  { options: { policy }, context: { signal } }: GuardedCall,
  { needs, areDistinct }: Needs,
  { answered }: Waited,
): Promise<boolean> {
  const audit = () => undefined;
  const { status } = await judge({ policy, needs, areDistinct, ask: "later", answered, audit, signal });
  return status === "denied";
}

/** Judges once more what is about to run after a person was asked: it must need and find the same. */
export async function confirm(
  call: GuardedCall,
  prepared: Guarded,
  {
    exchanges,
    fingerprint,
  }: { readonly exchanges: readonly Exchange[]; readonly fingerprint: string | null },
): Promise<Judgement> {
  const { policy } = call.options;
  if (fingerprint !== null && fingerprint !== fingerprintOf(prepared)) {
    const asked = [...prepared.needs].filter(
      ({ operation, location }) => policy.decide(operation, location).ask !== undefined,
    );
    return approvalVoid(call, asked, []);
  }
  const { signal } = call.context;
  const { needs, areDistinct } = prepared;
  const judgement = await judge({
    policy,
    needs,
    areDistinct,
    ask: "later",
    answered: exchanges,
    audit: () => undefined,
    signal,
  });
  if (judgement.status === "waiting") return approvalVoid(call, [judgement.need], []);
  return { ...judgement, exchanges: [] };
}

/** Ends the run's stretch with the question that is open. */
export function suspendFor(
  { need: { operation, location }, prompt, asked, exchanges }: Extract<Judgement, { status: "waiting" }>,
  {
    payload,
    command,
    fingerprint,
  }: { readonly payload: unknown; readonly command: string; readonly fingerprint: string },
): SuspendValue {
  return Suspend({
    request: { type: "permission-request", question: prompt, operation, location, command },
    state: {
      payload,
      answered: exchanges,
      asked: asked.map(bare),
      need: { operation, location },
      fingerprint,
    },
  });
}

/** A need as a state keeps it. */
function bare({ operation, location }: RequiredPermission): RequiredPermission {
  return { operation, location };
}

const replyFields = z.object({ value: z.string() });

/**
 * What a suspended guard goes on with.
 *
 * @param schema - What the payload has to be that was being judged.
 * @throws ApprovalStateError for a state that these tools did not write; ReplyError (`core/reply`) when the reply has no text.
 */
export function resumed<Payload>(
  reply: unknown,
  state: unknown,
  schema: z.ZodType<Payload>,
): { readonly payload: Payload; readonly waited: Waited } {
  const kept = waitingState.extend({ payload: schema }).safeParse(state);
  if (!kept.success) throw new ApprovalStateError(kept.error);
  const { payload, answered, asked, need, fingerprint } = kept.data;
  const text = typeof reply === "string" ? reply : replyFields.safeParse(reply).data?.value;
  if (text === undefined)
    throw new ReplyError("A permission is answered by a text: `yes` allows, anything else denies");
  const all = [...answered, { prompt: promptFor(need), reply: text }];
  return { payload, waited: { answered: all, asked: [...asked, need], need, reply: text, fingerprint } };
}

/** Denies, and reports as denied, what a person allowed for something that stands there no more. */
function approvalVoid(
  call: GuardedCall,
  asked: readonly RequiredPermission[],
  exchanges: readonly Exchange[],
): Judgement {
  for (const { operation, location } of asked) {
    const { ask: rule = null } = call.options.policy.decide(operation, location);
    auditDecision(call, { operation, location, verdict: "deny", rule, answeredBy: "policy" });
  }
  return {
    status: "denied",
    reason: "policy_denied",
    message:
      "What was approved is no longer what stands there, so the approval is void. Look again, and repeat the call.",
    exchanges,
  };
}
