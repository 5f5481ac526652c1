import { LLMClientError } from "./errors.ts";

/** What a request's body has at its top level beside what an endpoint puts there itself. */
export type ExtraBody = Readonly<Record<string, unknown>>;

const ownKeys: ReadonlySet<string> = new Set([
  "messages",
  "model",
  "response_format",
  "stream",
  "stream_options",
  "temperature",
  "tools",
]);

/**
 * A checked copy of request options.
 *
 * @throws {@link LLMClientError} (`core/llm-client`) for keys that the framework sets, and for what JSON cannot carry.
 */
export function checkExtraBody(given: unknown): ExtraBody | undefined {
  if (given === undefined || given === null) return undefined;
  const copy = plainCopy(given, "", 0);
  if (!isPlainObject(copy)) throw new LLMClientError("Request options are an object");
  const owned = Object.keys(copy).filter((key) => ownKeys.has(key));
  if (owned.length > 0) {
    throw new LLMClientError(
      `Request options may not set ${owned
        .sort()
        .map((key) => `\`${key}\``)
        .join(", ")}: the endpoint does`,
    );
  }
  return copy;
}

const maxDepth = 100;

/** A frozen copy of JSON-like data; paths in errors, never values. */
function plainCopy(given: unknown, path: string, depth: number): unknown {
  const refuse = (what: string): never => {
    throw new LLMClientError(`Request options hold ${what}${path === "" ? "" : ` at \`${path.slice(1)}\``}`);
  };
  if (depth > maxDepth) refuse("data that is nested too deeply, or in a ring,");
  switch (typeof given) {
    case "string":
    case "boolean":
      return given;
    case "number":
      return Number.isFinite(given) ? given : refuse("a number that is not finite");
    case "object":
      if (given === null) return null;
      if (Array.isArray(given)) {
        const items: readonly unknown[] = given;
        return Object.freeze(items.map((item, index) => plainCopy(item, `${path}.${index}`, depth + 1)));
      }
      if (!isPlainObject(given)) return refuse("an object that is no plain one");
      return Object.freeze(
        Object.fromEntries(
          Object.entries(given)
            .filter(([, field]) => field !== undefined)
            .map(([key, field]) => [key, plainCopy(field, `${path}.${key}`, depth + 1)]),
        ),
      );
    default:
      return refuse(`a ${typeof given}`);
  }
}

function isPlainObject(given: unknown): given is Readonly<Record<string, unknown>> {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return false;
  const prototype: unknown = Object.getPrototypeOf(given);
  return prototype === Object.prototype || prototype === null;
}
