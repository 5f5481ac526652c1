import * as z from "zod";

import { ValueError, ValueTypeError } from "../errors.ts";

/** What a schema gave: the fields, or what it found wrong. */
export type Parsed = { readonly fields: Fields } | { readonly problem: unknown };
/** Any object, read by key. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether anything is an object with fields. */
export function isFields(candidate: unknown): candidate is Fields {
  return typeof candidate === "object" && candidate !== null && !Array.isArray(candidate);
}

/**
 * Parses fields, and reports instead of throwing, whatever the schema's own checks do.
 * The problem is a `ZodError`, what a check threw, or a {@link ValueTypeError} for a check that is asynchronous.
 */
export function parseFields(kind: string, schema: z.ZodType, given: unknown): Parsed {
  try {
    const result = schema.safeParse(given);
    if (!result.success) return { problem: result.error };
    return isFields(result.data) ? { fields: result.data } : { problem: new TypeError("not an object") };
  } catch (error) {
    if (!(error instanceof z.core.$ZodAsyncError)) return { problem: error };
    return { problem: new ValueTypeError({ kind, problem: asynchronous, cause: error }) };
  }
}

/** What is said of a schema that cannot be parsed at once. */
export const asynchronous =
  "has an asynchronous check, but values are made at once; check in the tool's `run` instead";

/** Parsed fields, when they parse to themselves. */
export function proven(kind: string, schema: z.ZodType, fields: Fields): Parsed {
  const again = parseFields(kind, schema, fields);
  if ("fields" in again && isSameJson(again.fields, fields)) return { fields };
  const problem =
    "gave fields that do not parse to themselves, as a stored value must; drop the `pipe`, `catch`, `overwrite` or check that changes them";
  return { problem: new ValueTypeError({ kind, problem }) };
}

function isSameJson(one: Fields, other: Fields): boolean {
  try {
    return JSON.stringify(one) === JSON.stringify(other);
  } catch {
    return true; // no JSON at all, which whoever makes a value of the fields reports
  }
}

/** The error for fields of which no value can be made. */
export function refusal(kind: string, cause: unknown): ValueError | ValueTypeError {
  if (cause instanceof ValueTypeError) return cause;
  const problem =
    cause instanceof z.ZodError
      ? `fields it does not take: ${describeIssues(cause)}`
      : "fields on which a check of its schema threw";
  return new ValueError({ kind, problem, cause });
}

/** What stands in the way of a value, whatever it is; never the rejected value. */
export function describeProblem(problem: unknown): string {
  return problem instanceof z.ZodError ? describeIssues(problem) : "a check of the schema failed";
}

const maxIssues = 5;
const maxIssueLength = 200;

/** What a schema found wrong, each with its path; never the rejected value, and never much text. */
export function describeIssues(error: z.core.$ZodError): string {
  const { issues } = error;
  const texts = issues.slice(0, maxIssues).map(({ path, message }) => {
    const text = path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`;
    return text.length > maxIssueLength ? `${text.slice(0, maxIssueLength)}…` : text;
  });
  if (issues.length > maxIssues) texts.push(`and ${issues.length - maxIssues} more`);
  return texts.join("; ");
}
