import { ReplyError, Suspend, type Suspend as SuspendValue } from "@roboz/core";
import { createHash } from "node:crypto";
import * as z from "zod";

import type { PreparedCommand } from "../commands/command.ts";
import { judge, type Exchange, type Judgement, type Needs } from "../permissions/guard.ts";
import { guardCall, type GuardedCall } from "./approval.ts";
import { exchangeSchema } from "./payloads.ts";

/** What a guard has to know of what it guards. */
export type Guarded = Needs & Pick<PreparedCommand, "fingerprint">;

/** What a guard keeps while it waits for a person. */
const waitingState = z.object({
  /** The payload that was being judged. */
  payload: z.unknown(),
  answered: z.array(exchangeSchema),
  fingerprint: z.string(),
});

/** A judgement that waited, and the reply that has come. */
export interface Waited {
  readonly answered: readonly Exchange[];
  readonly fingerprint: string;
  readonly reply: string;
}

/** What is needed and was looked at, as a text that differs when either does. */
export function fingerprintOf({ needs, fingerprint }: Guarded): string {
  const hash = createHash("sha256");
  for (const { operation, location } of needs) hash.update(`${operation} ${location}\0`);
  return hash.update(fingerprint()).digest("hex");
}

/** Judges what was prepared; after a wait, from where that judgement had got to. */
export async function guardPrepared(
  call: GuardedCall,
  prepared: Guarded,
  waited?: Waited,
): Promise<Judgement> {
  if (waited === undefined) return guardCall(call, prepared);
  const { answered, fingerprint, reply } = waited;
  if (fingerprint !== fingerprintOf(prepared)) return approvalVoid(answered);
  // The rules may be others by now; the reply counts for the question that is open under them.
  const { policy } = call.options;
  const { signal } = call.context;
  const { needs, areDistinct } = prepared;
  const open = await judge({
    policy,
    needs,
    areDistinct,
    ask: "later",
    answered,
    audit: () => undefined,
    signal,
  });
  const more = open.status === "waiting" ? [{ prompt: open.prompt, reply }] : [];
  return guardCall(call, prepared, [...open.exchanges, ...more]);
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
  if (fingerprint !== null && fingerprint !== fingerprintOf(prepared)) return approvalVoid([]);
  const { policy } = call.options;
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
  if (judgement.status === "waiting") return approvalVoid([]);
  return { ...judgement, exchanges: [] };
}

/** Ends the run's stretch with the question that is open. */
export function suspendFor(
  { need: { operation, location }, prompt, exchanges }: Extract<Judgement, { status: "waiting" }>,
  prepared: Guarded,
  { payload, command }: { readonly payload: unknown; readonly command: string },
): SuspendValue {
  return Suspend({
    request: { type: "permission-request", question: prompt, operation, location, command },
    state: { payload, answered: exchanges, fingerprint: fingerprintOf(prepared) },
  });
}

const replyFields = z.object({ value: z.string() });

/**
 * What a suspended guard goes on with.
 *
 * @throws ReplyError (`core/reply`) when the reply has no text.
 */
export function resumed(
  reply: unknown,
  state: unknown,
): { readonly payload: unknown; readonly waited: Waited } {
  const { payload, answered, fingerprint } = waitingState.parse(state);
  const text = typeof reply === "string" ? reply : replyFields.safeParse(reply).data?.value;
  if (text === undefined)
    throw new ReplyError("A permission is answered by a text: `yes` allows, anything else denies");
  return { payload, waited: { answered, fingerprint, reply: text } };
}

function approvalVoid(exchanges: readonly Exchange[]): Judgement {
  return {
    status: "denied",
    reason: "policy_denied",
    message:
      "What was approved is no longer what stands there, so the approval is void. Run the command again.",
    exchanges,
  };
}
