import { All, Suspend, tool, type AnyTool } from "@roboz/core";
import * as z from "zod";

import type { DeclaredTool } from "../store/trigger.ts";
import { stringifyJson } from "../wire/json.ts";

/** What a client answered a call. */
export interface ClientAnswer {
  readonly status: string;
  readonly output: Readonly<Record<string, unknown>>;
}

/** A call that its client declined, or failed to carry out: the chain ends, and the model is told. */
export class ClientToolFailure extends Error {
  override readonly name: string;

  constructor({ status, output }: ClientAnswer) {
    const reason = output["reason"] ?? output["error"];
    const said = typeof reason === "string" && reason !== "" ? `: ${reason}` : "";
    super(status === "declined" ? `the user declined this call${said}` : `the call failed${said}`);
    this.name = status === "declined" ? "Declined" : "ClientToolError";
  }
}

/**
 * A tool that the client carries out: the loop waits for its answer.
 *
 * @param name - As the model sees it.
 * @param answered - The answer to the call under way, if it is there already.
 */
export function clientTool(
  { description, input_schema }: DeclaredTool,
  name: string,
  answered: () => ClientAnswer | undefined,
): AnyTool {
  const run = (): All | Suspend => {
    const answer = answered();
    if (answer === undefined) return Suspend({ request: {} });
    if (answer.status !== "success") throw new ClientToolFailure(answer);
    return All({ ...answer.output });
  };
  const parts = {
    name,
    output: [All, Suspend],
    suspends: { request: z.looseObject({}), reply: All },
    run,
  } as const;
  try {
    const schema = z.fromJSONSchema({ ...withoutPatterns(input_schema) });
    if (schema instanceof z.ZodObject) return tool({ ...parts, description, input: schema });
  } catch {
    // A schema that has no counterpart is told to the model as it is.
  }
  return tool({
    ...parts,
    description: `${description}\n\nIts arguments, as a JSON schema: ${JSON.stringify(input_schema)}`,
    input: All,
  });
}

/**
 * A schema with its regular expressions as words for the model. They are the client's, and one that takes forever would stop the
 * server; the client checks the arguments itself.
 *
 * @throws Error for expressions that names of properties match.
 */
function withoutPatterns(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { pattern, patternProperties, ...rest } = schema;
  if (patternProperties !== undefined) throw new Error("Names that match a pattern have no counterpart");
  const kept = Object.fromEntries(Object.entries(rest).map(([key, part]) => [key, partWithout(part)]));
  // A property may have this name, and its value is then a schema.
  if (typeof pattern !== "string")
    return pattern === undefined ? kept : { ...kept, pattern: partWithout(pattern) };
  const said = typeof rest["description"] === "string" ? `${rest["description"]} ` : "";
  return { ...kept, description: `${said}Matches ${pattern}` };
}

function partWithout(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(partWithout);
  return typeof part === "object" && part !== null ? withoutPatterns({ ...part }) : part;
}

/** A name as the model's tools have it, in lower snake case, that no other tool has. */
export function modelName(name: string, taken: ReadonlySet<string>): string {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replaceAll(/_+/g, "_")
    .replaceAll(/^_|_$/g, "")
    // A part that begins with a digit is fine, the first one never does.
    .slice(0, 64);
  let found = words;
  for (let number = 2; taken.has(found); number += 1) found = `${words}_${number}`;
  return found;
}

/** What is wrong with a declared tool's schema; undefined when nothing is. Fetches nothing. */
export function schemaProblem(schema: unknown, maxBytes: number): string | undefined {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return "is no object";
  const text = stringifyJson(schema);
  if (Buffer.byteLength(text) > maxBytes) return `is larger than ${maxBytes} bytes`;
  if ("type" in schema && schema.type !== "object") return "is not of the type `object`";
  return referenceProblem(schema, { root: schema, path: new Set(), seen: { parts: 0 } }, 0);
}

const maxDepth = 64;
const maxParts = 20_000;

/** Where references of a schema are followed. */
interface Followed {
  readonly root: object;
  /** Those that lead here. */
  readonly path: ReadonlySet<string>;
  /** How many parts were seen: a schema of a few lines may come to one of them on millions of paths. */
  readonly seen: { parts: number };
}

/** References may lead within the schema only, and must come to an end without an instance. */
function referenceProblem(part: unknown, followed: Followed, depth: number): string | undefined {
  const { root, path, seen } = followed;
  if (typeof part !== "object" || part === null) return undefined;
  if (depth > maxDepth) return "is nested too deeply";
  seen.parts += 1;
  if (seen.parts > maxParts) return `has more than ${maxParts} parts once its references are followed`;
  for (const [key, value] of Object.entries(part)) {
    if ((key === "$ref" || key === "$dynamicRef") && typeof value === "string") {
      if (!value.startsWith("#")) return "refers to something outside of itself";
      if (path.has(value)) return "refers to itself without an end";
      const target = targetOf(value, root);
      if (target === undefined) return `refers to \`${value.slice(0, 100)}\`, which it does not have`;
      const found = referenceProblem(target, { ...followed, path: new Set([...path, value]) }, depth + 1);
      if (found !== undefined) return found;
    } else {
      const found = referenceProblem(value, followed, depth + 1);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function targetOf(reference: string, root: object): unknown {
  let found: unknown = root;
  for (const part of reference
    .slice(1)
    .split("/")
    .filter((one) => one !== "")) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = Reflect.get(found, key);
  }
  return found;
}
