import type { Redactor } from "./redact.ts";

/** An error of a chain, read without calling anything of it twice. */
export interface ErrorLink {
  /** 0 for the error that was thrown, one more for each `cause` and each member of an aggregate below it. */
  readonly depth: number;
  /** Whether it is a member of an aggregate, beside others. */
  readonly isMember: boolean;
  /** Members of an aggregate that are not in the chain. */
  readonly left: number;
  readonly name: string;
  readonly message: string;
  readonly code: string | undefined;
  readonly status: number | undefined;
  /** What the error itself says of the reason, unchecked. */
  readonly reasonCode: unknown;
}

/** How many errors of a chain are looked at. */
const maxLinks = 100;
const maxMembers = 10;
/** How many errors of a chain are told. */
const maxTold = 16;
const maxText = 1000;
const maxName = 100;
const maxBody = 64 * 1024;

/** An error, what caused it, and the members of aggregates; each once, the outermost first. */
export function errorChain(error: unknown): readonly ErrorLink[] {
  const links: ErrorLink[] = [];
  const seen = new Set<unknown>();
  const waiting: { readonly subject: unknown; readonly depth: number; readonly isMember: boolean }[] = [
    { subject: error, depth: 0, isMember: false },
  ];
  for (let next = waiting.pop(); next !== undefined && links.length < maxLinks; next = waiting.pop()) {
    const { subject, depth, isMember } = next;
    if (isObject(subject)) {
      if (seen.has(subject)) continue;
      seen.add(subject);
    }
    const { members, left } = membersOf(subject);
    links.push({ ...linkOf(subject), depth, isMember, left });
    // The last one in is looked at first: the cause, then the members in their order.
    for (const member of members.toReversed())
      waiting.push({ subject: member, depth: depth + 1, isMember: true });
    const cause = read(subject, "cause");
    if (cause !== undefined && cause !== null)
      waiting.push({ subject: cause, depth: depth + 1, isMember: false });
  }
  return links;
}

/** A chain as text, a line for each error; masked error by error, before anything is shortened. */
export function chainText(chain: readonly ErrorLink[], mask: Redactor): string {
  const lines = chain.slice(0, maxTold).map(({ depth, isMember, left, name, status, message, code }) => {
    const label = depth === 0 ? "" : isMember ? "Among them: " : "Caused by: ";
    const http = status === undefined ? "" : ` (HTTP ${status})`;
    const words = mask(message.trim() === "" ? (code ?? "") : message, maxText);
    const more = left === 0 ? "" : ` (${left} more errors are not shown)`;
    return `${label}${mask(name, maxName)}${http}${words === "" ? "" : `: ${words}`}${more}`;
  });
  if (chain.length > maxTold) lines.push(`… and ${chain.length - maxTold} more`);
  return lines.join("\n");
}

function linkOf(subject: unknown): Omit<ErrorLink, "depth" | "isMember" | "left"> {
  const name = read(subject, "name");
  const code = read(subject, "code");
  return {
    name: typeof name === "string" && name.trim() !== "" ? name : kindOf(subject),
    message: providerMessage(subject) ?? messageOf(subject),
    code: typeof code === "string" ? code : undefined,
    status: statusOf(subject),
    reasonCode: read(subject, "reasonCode"),
  };
}

function kindOf(subject: unknown): string {
  if (isObject(subject)) return "Error";
  return subject === null ? "null" : typeof subject;
}

function messageOf(subject: unknown): string {
  if (isObject(subject)) {
    const message = read(subject, "message");
    return typeof message === "string" ? message : "something without a message was thrown";
  }
  if (subject === null || subject === undefined) return "nothing was thrown as an error";
  return typeof subject === "string" ? subject : `a ${typeof subject} was thrown`;
}

/** The HTTP status that an error carries. */
function statusOf(subject: unknown): number | undefined {
  const carried = [
    read(subject, "status"),
    read(subject, "statusCode"),
    read(subject, "status_code"),
    read(read(subject, "response"), "status"),
  ];
  return carried.find((status): status is number => isHttpStatus(status));
}

function isHttpStatus(candidate: unknown): candidate is number {
  return typeof candidate === "number" && Number.isInteger(candidate) && candidate >= 100 && candidate <= 599;
}

/** What a provider said in the body of its answer, where clients keep it. */
function providerMessage(subject: unknown): string | undefined {
  const response = read(subject, "response");
  for (const body of [
    read(subject, "error"),
    read(subject, "body"),
    read(response, "data"),
    read(response, "body"),
  ]) {
    const value = typeof body === "string" ? parsed(body) : body;
    const inner = read(value, "error");
    for (const words of [read(inner, "message"), inner, read(value, "message")]) {
      if (typeof words === "string" && words.trim() !== "") return words;
    }
  }
  return undefined;
}

function parsed(text: string): unknown {
  if (text.length > maxBody) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The first members of an aggregate. */
function membersOf(subject: unknown): { readonly members: readonly unknown[]; readonly left: number } {
  const errors = read(subject, "errors");
  try {
    if (!Array.isArray(errors)) return { members: [], left: 0 };
    const members: unknown[] = Array.from({ length: Math.min(errors.length, maxMembers) }, (_, index) =>
      read(errors, String(index)),
    );
    return { members, left: errors.length - members.length };
  } catch {
    return { members: [], left: 0 };
  }
}

/** A property, or undefined when reading it throws: an error may be anything. */
function read(subject: unknown, name: string): unknown {
  if (!isObject(subject)) return undefined;
  try {
    return Reflect.get(subject, name);
  } catch {
    return undefined;
  }
}

function isObject(subject: unknown): subject is object {
  return (typeof subject === "object" && subject !== null) || typeof subject === "function";
}
