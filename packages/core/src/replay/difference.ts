import type { Message } from "../values/message.ts";
import { contentObject } from "../values/message.ts";
import type { ReplayDifference } from "./errors.ts";

/** Whether a message of today stands for a recorded one although it differs: for times, ids and the like. */
export type SameMessage = (recorded: Message, today: Message) => boolean;

/** Whether two messages say the same; who billed what for them does not count. */
export function isSameMessage(recorded: Message, today: Message, isSame: SameMessage | undefined): boolean {
  const isEqual =
    recorded.role === today.role &&
    recorded.content === today.content &&
    recorded.messageKind === today.messageKind &&
    (recorded.images.length === 0 && today.images.length === 0
      ? true
      : JSON.stringify(recorded.images) === JSON.stringify(today.images)) &&
    JSON.stringify(recorded.truncation) === JSON.stringify(today.truncation);
  return isEqual || isSame?.(recorded, today) === true;
}

/** Two messages that differ, each around the first difference. */
export function messageDifference(
  kind: ReplayDifference["kind"],
  where: string,
  recorded: Message | undefined,
  today: Message | undefined,
): ReplayDifference {
  const either = recorded ?? today;
  const tool = either === undefined ? undefined : toolOf(either);
  return {
    kind,
    what: tool === undefined ? where : `${where}, of ${tool}`,
    ...excerpts(textOf(recorded, today), textOf(today, recorded)),
  };
}

/** Both texts around the place where they part. */
export function excerpts(
  recorded: string | null,
  today: string | null,
): Pick<ReplayDifference, "recorded" | "today"> {
  if (recorded === null || today === null) return { recorded: from(recorded, 0), today: from(today, 0) };
  let at = 0;
  while (at < recorded.length && recorded[at] === today[at]) at += 1;
  const start = Math.max(0, at - leadLength);
  return { recorded: from(recorded, start), today: from(today, start) };
}

const leadLength = 40;
const excerptLength = 160;

function from(text: string | null, start: number): string | null {
  if (text === null) return null;
  const end = start + excerptLength;
  // A pair of code units that was cut in two would be no text.
  const part = text.slice(start, end).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
  return `${start > 0 ? "…" : ""}${part}${end < text.length ? "…" : ""}`;
}

/** What a message says, and of the rest what tells it from the other. */
function textOf(message: Message | undefined, other: Message | undefined): string | null {
  if (message === undefined) return null;
  const { role, content, images, truncation, messageKind } = message;
  if (content !== other?.content || role !== other.role) return `[${role}] ${content}`;
  return JSON.stringify({ images, truncation, messageKind });
}

function toolOf({ content }: Message): string | undefined {
  const { action, caller } = contentObject(content) ?? {};
  const tool = typeof action === "string" ? action : caller;
  return typeof tool === "string" ? `\`${tool}\`` : undefined;
}
