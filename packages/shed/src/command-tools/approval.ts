import { Str, type ToolContext } from "@roboz/core";
import * as z from "zod";

import { Pace } from "../language/pace.ts";
import {
  judge,
  Unavailable,
  type AskPerson,
  type AuditEntry,
  type Exchange,
  type Judgement,
  type Needs,
} from "../permissions/guard.ts";
import { operations } from "../permissions/operation.ts";
import type { PermissionPolicy } from "../permissions/policy.ts";

/** What every guarded tool is built with. */
export interface GuardedToolOptions {
  /** What is allowed where. */
  readonly policy: PermissionPolicy;
  /**
   * What happens when a person has to be asked and the run's user channel is not live: `"suspend"` (the default) ends the
   * run's stretch, and the reply given to `agent.resume` answers the question; `"deny"` denies, and the agent carries on.
   */
  readonly whenAway?: "suspend" | "deny" | undefined;
  /** Milliseconds to wait for a reply of a live channel; none in time is a no. Without it, as long as it takes. */
  readonly approvalTimeoutMs?: number | undefined;
}

/** What a suspended run asks for; answered by `y` or `yes`, and anything else is a no. */
export const permissionRequest = z.strictObject({
  type: z.literal("permission-request"),
  /** For a person, names quoted on one line. */
  question: z.string(),
  operation: z.enum(operations),
  /** Absolute and canonical. */
  location: z.string(),
  /** The command that wants it, as a shell would take it. */
  command: z.string(),
});
export type PermissionRequest = z.output<typeof permissionRequest>;

/** What one guard decides about. */
export interface GuardedCall {
  readonly options: GuardedToolOptions;
  readonly context: ToolContext;
  readonly toolName: string;
  /** The command as audit events name it: without its operands. */
  readonly command: string;
}

/**
 * Judges what a command needs, asking a person where the rules want that, and reports each decision as an event. Nothing is
 * reported while it waits: the judgement that goes on from there reports all of it.
 */
export async function guardCall(
  call: GuardedCall,
  { needs, areDistinct }: Needs,
  answered: readonly Exchange[] = [],
): Promise<Judgement> {
  const { signal } = call.context;
  const { policy } = call.options;
  const entries: AuditEntry[] = [];
  // Nothing waits where nobody is asked.
  const mayWait = policy.ask.length > 0;
  const judgement = await judge({
    policy,
    needs,
    areDistinct,
    answered,
    ask: personOf(call),
    audit: (entry) => {
      if (mayWait) entries.push(entry);
      else auditDecision(call, entry);
    },
    signal,
  });
  if (judgement.status === "waiting") return judgement;
  const pace = new Pace();
  for (const entry of entries) {
    if (pace.isDue) await pace.pause(signal);
    auditDecision(call, entry);
  }
  return judgement;
}

/** Reports one decision to the run's sinks. */
export function auditDecision({ context, toolName, command }: GuardedCall, entry: AuditEntry): void {
  const { operation, location, verdict, rule, answeredBy } = entry;
  context.emit({
    type: "runtime",
    kind: verdict === "allow" ? "succeeded" : "failed",
    level: verdict === "allow" ? "debug" : "info",
    message: `Permission to ${operation}: ${verdict === "allow" ? "allowed" : "denied"}`,
    data: {
      audit: "permission",
      tool: toolName,
      command,
      operation,
      location,
      verdict,
      rule_list: rule?.list ?? "default",
      rule_pattern: rule?.pattern ?? null,
      answered_by: answeredBy,
    },
  });
}

function personOf({ options, context }: GuardedCall): AskPerson | "later" {
  const { io, signal } = context;
  // A person may go away at any time, also while being asked, as a terminal does whose input ends.
  const isAway = (): boolean => !io.isLive;
  const mayWait = options.whenAway !== "deny";
  if (isAway() && mayWait) return "later";
  return async (prompt) => {
    if (isAway()) {
      if (mayWait) return "later";
      throw new Unavailable("nobody can be asked now");
    }
    try {
      return await io.ask(prompt, { signal, timeoutMs: options.approvalTimeoutMs });
    } catch (error) {
      signal.throwIfAborted();
      if (isAway() && mayWait) return "later";
      throw new Unavailable(error instanceof Error ? error.name : "asking failed");
    }
  };
}

/** What an approval is answered with. */
export const approvalReply = Str;
