import * as z from "zod";

import { ValueError } from "../errors.ts";
import { makeOnce } from "../make-once.ts";
import { describeIssues } from "./parse.ts";
import { truncationSchema, type Truncation, type TruncationRule } from "../truncation/policy.ts";

/** The kinds of message that the framework tells apart. */
export const messageKinds = [
  "auto_load_banner",
  "auto_loaded_skill",
  "compacted_context",
  "interrupted_generation",
  "librarian_activity",
  "librarian_routine",
  "startup_context",
  "system_message",
  "user_notification",
] as const;
export type MessageKind = (typeof messageKinds)[number];

/** The kinds of the messages a run starts with. */
export const bootstrapKinds: ReadonlySet<MessageKind> = new Set<MessageKind>([
  "system_message",
  "startup_context",
  "auto_load_banner",
  "auto_loaded_skill",
]);

/** What travels beside a value or message and is never in its JSON. */
export interface Metadata {
  /** How the model sees the message; none stands for the default policy. */
  readonly truncation?: Truncation | undefined;
  readonly messageKind?: MessageKind | undefined;
  /** The provider that produced the value. */
  readonly endpoint?: string | undefined;
  readonly model?: string | undefined;
  /** Billed tokens. */
  readonly tokenInput?: number | undefined;
  readonly tokenOutput?: number | undefined;
}

/** The fields of {@link Metadata}, as a schema has them. */
export const metadataShape = makeOnce(() => ({
  truncation: truncationSchema().optional(),
  messageKind: z.enum(messageKinds).optional(),
  endpoint: z.string().optional(),
  model: z.string().optional(),
  tokenInput: z.number().optional(),
  tokenOutput: z.number().optional(),
}));

const metadataSchema = makeOnce(() => z.strictObject(metadataShape()));

/** Policies that were found sound and cannot change, such as the presets. */
const soundPolicies = new WeakSet();

/** Metadata that was checked and frozen here; what a program uses again needs no second check. */
const soundMetadata = new WeakSet();

/** Checked and frozen metadata, or what is wrong with it: unknown keys, or null in code without types. */
export function parseMetadata(
  given: Metadata | null,
): { readonly meta: Metadata } | { readonly problem: z.ZodError } {
  if (given !== null && soundMetadata.has(given)) return { meta: given };
  const truncation = given?.truncation;
  if (given !== null && truncation !== undefined && soundPolicies.has(truncation)) {
    // What tools give most often is one policy and nothing else.
    if (Object.keys(given).length === 1) return { meta: Object.freeze({ truncation }) };
  }
  const parsed = metadataSchema().safeParse(given);
  if (!parsed.success) return { problem: parsed.error };
  const policy = truncation === undefined ? undefined : soundPolicy(truncation);
  const meta = Object.freeze(withoutUndefined({ ...parsed.data, truncation: policy }));
  soundMetadata.add(meta);
  return { meta };
}

/**
 * Checked and frozen metadata for a value.
 *
 * @throws {@link ValueError} (`core/value`) when it is not metadata.
 */
export function metadataFor(kind: string, given: Metadata): Metadata {
  const parsed = parseMetadata(given);
  if ("meta" in parsed) return parsed.meta;
  const problem = `metadata it does not know: ${describeIssues(parsed.problem)}`;
  throw new ValueError({ kind, problem, cause: parsed.problem });
}

/** A policy that was checked, frozen; the same object where it was frozen before. */
export function soundPolicy(policy: Truncation): Truncation {
  const rules: readonly TruncationRule[] = isRules(policy) ? policy : [policy];
  if (!Object.isFrozen(policy) || !rules.every((rule) => Object.isFrozen(rule))) {
    const copies = rules.map((rule) => Object.freeze({ ...rule }));
    return soundPolicy(isRules(policy) ? Object.freeze(copies) : (copies[0] ?? copies));
  }
  soundPolicies.add(policy);
  return policy;
}

function isRules(policy: Truncation): policy is readonly TruncationRule[] {
  return Array.isArray(policy);
}

function withoutUndefined(meta: Metadata): Metadata {
  return Object.fromEntries(Object.entries(meta).filter(([, part]) => part !== undefined));
}

/** Names that no field of a value may have: the run's own keys, in both spellings. */
export const reservedNames: ReadonlySet<string> = new Set([
  "action",
  "rationale",
  "caller",
  "truncation",
  "messageKind",
  "message_kind",
  "endpoint",
  "model",
  "tokenInput",
  "token_input",
  "tokenOutput",
  "token_output",
]);
