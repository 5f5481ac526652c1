/** What a tool may want to do at a place. `stage` is reserved: no command needs it. */
export const operations = Object.freeze(["read", "create", "delete", "stage"] as const);
export type Operation = (typeof operations)[number];

/** Whether a policy lets an operation happen. Asking is no verdict: it comes after `"allow"`. */
export type ActionVerdict = "deny" | "allow";

/** How a guard decided about a command. */
export type GuardStatus = "allowed" | "denied";

/** Why a command was denied: by the rules or for want of somebody to ask, or by the person who was asked. */
export type GuardDenyReason = "policy_denied" | "user_declined";

/** One thing a command needs: an operation at an absolute, canonical path. */
export interface RequiredPermission {
  readonly operation: Operation;
  /** Absolute and canonical; bytes that are no UTF-8 stand as lone surrogates U+DC80 to U+DCFF. */
  readonly location: string;
}

/** Whether anything names an operation. */
export function isOperation(candidate: unknown): candidate is Operation {
  return operations.some((operation) => operation === candidate);
}
