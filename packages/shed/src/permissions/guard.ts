import type { Str } from "@roboz/core";

import { Pace } from "../language/pace.ts";
import type { GuardDenyReason, RequiredPermission } from "./operation.ts";
import type { MatchedRule, PermissionPolicy, PolicyDecision } from "./policy.ts";
import { quoted } from "./quote.ts";

/** One question to a person, and what came of it; as the report tells it, in the order of asking. */
export interface Exchange {
  readonly prompt: string;
  /** The exact reply; null when none came in time. */
  readonly reply: string | null;
}

/** That something may not happen, and why. */
export interface Denial {
  readonly status: "denied";
  readonly reason: GuardDenyReason;
  readonly message: string;
  readonly exchanges: readonly Exchange[];
}

/** What a guard says about all that a command needs. */
export type Judgement =
  | { readonly status: "allowed"; readonly exchanges: readonly Exchange[] }
  | Denial
  | {
      /** Nobody can be asked now; the same judgement with one more exchange goes on from here. */
      readonly status: "waiting";
      readonly need: RequiredPermission;
      readonly prompt: string;
      /** What the exchanges were about, in their order. */
      readonly asked: readonly RequiredPermission[];
      readonly exchanges: readonly Exchange[];
    };

/** What was decided about one operation at one place, for an audit. Never holds file content. */
export interface AuditEntry {
  readonly operation: RequiredPermission["operation"];
  /** Absolute and canonical. */
  readonly location: string;
  readonly verdict: "allow" | "deny";
  /** The rule that decided; null for the policy's default. */
  readonly rule: MatchedRule | null;
  /** `"user"` when a person answered, `"nobody"` when one should have and did not, or could not be asked, else `"policy"`. */
  readonly answeredBy: "policy" | "user" | "nobody";
}

/** How a person is asked: `"later"` when they went away and the reply comes from outside; throws when nobody can be. */
export type AskPerson = (prompt: string) => Promise<Str | null | "later">;

/** One thing that a command needs. */
export interface Need extends RequiredPermission {
  /** A directory it is below, if very many needs are below the same: absolute and canonical. */
  readonly below?: string | undefined;
}

/** All that a command needs. */
export interface Needs {
  /** Every operation the effect may do, in the order in which a person is asked; repeats count once. */
  readonly needs: Iterable<Need>;
  /** That nothing is repeated, where this is known: with very many needs, finding that out takes a while. */
  readonly areDistinct?: boolean | undefined;
}

/** What is judged, and with what. */
export interface JudgeOptions extends Needs {
  readonly policy: PermissionPolicy;
  /** `"later"` waits for a reply that comes from outside. */
  readonly ask: AskPerson | "later";
  /** Replies that came already; each counts for the question it was given to. */
  readonly answered?: readonly Exchange[];
  readonly audit: (entry: AuditEntry) => void;
  /** Ends the judging of many needs, which lets others work meanwhile. */
  readonly signal: AbortSignal;
}

/**
 * Judges all that a command needs: first every need by the rules, and only when all are allowed, those that want a
 * person's yes, one after the other until the first that does not get it.
 *
 * @throws The signal's reason once it has fired.
 */
export async function judge({
  policy,
  needs,
  areDistinct = false,
  ask,
  answered = [],
  audit,
  signal,
}: JudgeOptions): Promise<Judgement> {
  const questions: Question[] = [];
  const pace = new Pace();
  const decide = decider(policy);
  for (const need of areDistinct ? needs : unique(needs)) {
    if (pace.isDue) await pace.pause(signal);
    const { verdict, rule = null, ask: wanted } = decide(need);
    if (verdict === "deny") {
      audit(entryOf(need, verdict, rule, "policy"));
      return {
        status: "denied",
        reason: "policy_denied",
        message: `Denied ${need.operation}: ${quoted(need.location)}`,
        exchanges: answered,
      };
    }
    if (wanted === undefined) audit(entryOf(need, verdict, rule, "policy"));
    else questions.push({ need, rule: wanted });
  }
  return askAll(questions, { ask, answered, audit });
}

/** Decides once for all that is below the same directory, where the policy can. */
function decider(policy: PermissionPolicy): (need: Need) => PolicyDecision {
  let [last, below]: [Need | undefined, PolicyDecision | undefined] = [undefined, undefined];
  return (need) => {
    if (need.below === undefined) return policy.decide(need.operation, need.location);
    if (last?.below !== need.below || last.operation !== need.operation) {
      last = need;
      below = policy.decideBelow(need.operation, need.below);
    }
    return below ?? policy.decide(need.operation, need.location);
  };
}

/** The question about one need; no two needs have the same. */
export function promptFor({ operation, location }: RequiredPermission): string {
  return `Allow ${operation} for ${quoted(location)}? (yes/no)`;
}

/** What is audited of a person's answer about one need. */
export function answerEntry(
  need: RequiredPermission,
  rule: MatchedRule | null,
  reply: string | null,
): AuditEntry {
  return entryOf(need, isApproval(reply) ? "allow" : "deny", rule, reply === null ? "nobody" : "user");
}

function entryOf(
  { operation, location }: RequiredPermission,
  verdict: AuditEntry["verdict"],
  rule: MatchedRule | null,
  answeredBy: AuditEntry["answeredBy"],
): AuditEntry {
  return { operation, location, verdict, rule, answeredBy };
}

/** A need that wants a person's yes. */
interface Question {
  readonly need: RequiredPermission;
  readonly rule: MatchedRule;
}

async function askAll(
  questions: readonly Question[],
  { ask, answered, audit }: Required<Pick<JudgeOptions, "ask" | "answered" | "audit">>,
): Promise<Judgement> {
  const exchanges: Exchange[] = [];
  const asked: RequiredPermission[] = [];
  // An answer counts for the question it was given to, and for no other. Other rules may ask in another order.
  const replies = new Map(answered.map(({ prompt, reply }) => [prompt, reply]));
  for (const { need, rule } of questions) {
    const prompt = promptFor(need);
    let reply = replies.get(prompt);
    if (reply === undefined) {
      const waiting = { status: "waiting", need, prompt, asked, exchanges } as const;
      if (ask === "later") return waiting;
      try {
        const said = await ask(prompt);
        if (said === "later") return waiting;
        reply = said?.value ?? null;
      } catch (error) {
        if (error instanceof Unavailable) {
          audit(entryOf(need, "deny", rule, "nobody"));
          return unavailable(prompt, error.message, exchanges);
        }
        throw error;
      }
    }
    asked.push(need);
    exchanges.push({ prompt, reply });
    audit(answerEntry(need, rule, reply));
    if (!isApproval(reply)) return declined(need, reply, exchanges);
  }
  return { status: "allowed", exchanges };
}

/** Nobody can be asked; the message says why, on one line. */
export class Unavailable extends Error {
  constructor(why: string) {
    super(why);
    this.name = "Unavailable";
  }
}

function unavailable(prompt: string, why: string, exchanges: readonly Exchange[]): Judgement {
  const message = `Permission prompt: ${prompt}\nApproval unavailable: ${why}`;
  return { status: "denied", reason: "policy_denied", message, exchanges };
}

/** A need to which a person did not say yes. */
export function declined(
  { operation, location }: RequiredPermission,
  reply: string | null,
  exchanges: readonly Exchange[],
): Denial {
  const why = reply === null ? "No reply came to the request for" : "The user declined";
  const message = `${why} ${operation}: ${quoted(location)}`;
  return { status: "denied", reason: "user_declined", message, exchanges };
}

/** Whether a reply is a yes: exactly `y` or `yes`, in any case, with space around it. */
export function isApproval(reply: string | null): boolean {
  const word = reply?.trim().toLowerCase();
  return word === "y" || word === "yes";
}

/** An exchange as the report shows it. */
export function exchangeText({ prompt, reply }: Exchange): string {
  const said = reply === null ? "(no reply received)" : JSON.stringify(reply);
  const decision = isApproval(reply) ? "allowed" : "denied";
  return `Permission prompt: ${prompt}\nUser reply: ${said}\nDecision: ${decision}`;
}

/** Each need once, where it came first. */
function* unique(needs: Iterable<Need>): Generator<Need, void> {
  const seen = new Map<string, Set<string>>();
  for (const need of needs) {
    let locations = seen.get(need.operation);
    if (locations === undefined) seen.set(need.operation, (locations = new Set()));
    const count = locations.size;
    if (locations.add(need.location).size > count) yield need;
  }
}
