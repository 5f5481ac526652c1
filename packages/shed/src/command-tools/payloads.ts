import { Str, value, type Of } from "@roboz/core";
import * as z from "zod";

import { tags } from "../language/grammar.ts";
import { operations } from "../permissions/operation.ts";

/** An operation at a place, as payloads carry it. */
export const needSchema = z.strictObject({ operation: z.enum(operations), location: z.string() });

/** What a guard asked and was told. */
export const exchangeSchema = z.strictObject({ prompt: z.string(), reply: z.string().nullable() });

/** What the stage before left for a command to read. */
const piped = z.strictObject({
  /** Where the bytes are, when they are too many to be carried along. */
  id: z.string().nullable(),
  /** The bytes themselves, when they are few. */
  base64: z.string().nullable(),
});
export type Piped = z.output<typeof piped>;

/** Where a sequence has got to. */
const position = {
  /** All tokens of the input. */
  value: z.array(z.tuple([z.string(), z.enum(tags)]).readonly()).readonly(),
  /** The command that is next, counted from 0. */
  at: z.int(),
  /** The last status; 0 before any command has run. */
  status: z.int(),
  /** What was asked so far, as the report tells it. */
  permissions: z.string(),
  /** The frames of the commands that ran. */
  history: z.string(),
  piped: piped.nullable(),
};
const _positionSchema = z.object(position);
export type Position = z.output<typeof _positionSchema>;

/** Where a payload's sequence has got to, without the rest of it. */
export function positionOf({ value, at, status, permissions, history, piped }: Position): Position {
  return { value, at, status, permissions, history, piped };
}

/** A command of a sequence that was looked into: it can be judged, or was refused already. */
export const ResolvedFileCommand = value("resolved_file_command", {
  ...position,
  /** Names what was prepared, for as long as this process has it. */
  id: z.string(),
  label: z.string(),
  /** Why it cannot run; a `need` when that is for the policy. */
  refusal: z.strictObject({ message: z.string(), need: needSchema.nullable() }).nullable(),
});
export type ResolvedFileCommand = Of<typeof ResolvedFileCommand>;

/** A command that was judged. */
export const GuardedFileCommand = ResolvedFileCommand.extend("guarded_file_command", {
  verdict: z.enum(["allowed", "denied"]),
  reason: z.enum(["policy_denied", "user_declined"]).nullable(),
  /** What a person was asked for, and the replies; the effect must need nothing else. */
  exchanges: z.array(exchangeSchema),
  /** What was looked at when a person was asked; null when nobody was. */
  fingerprint: z.string().nullable(),
});
export type GuardedFileCommand = Of<typeof GuardedFileCommand>;

/** A sequence that has more to run. */
export const FileCommandProgress = value("file_command_progress", position);
export type FileCommandProgress = Of<typeof FileCommandProgress>;

/** How a sequence of file commands ended; `value` is the report that the model reads. */
export const FileCommandReport = Str.extend("file_command_report", {
  /** `"exit"` for one that ran to its end, with the last command's status. */
  ending: z.enum(["exit", "too-large", "execution-error"]),
  /** The last status; 1 where there was none. */
  status: z.int(),
});
export type FileCommandReport = Of<typeof FileCommandReport>;
