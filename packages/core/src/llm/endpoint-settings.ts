import { LLMClientError } from "./errors.ts";

/** A checked name of a service or model. */
export function checkEndpointText(field: string, given: unknown): string {
  if (typeof given === "string" && given.trim() !== "") return given;
  throw new LLMClientError(`\`${field}\` must be a text that is not blank`);
}

/** A checked temperature. */
export function checkTemperature(given: unknown): number {
  if (typeof given === "number" && given >= 0 && given <= 2) return given;
  throw new LLMClientError("`temperature` must be a number from 0 to 2");
}

/** A checked number of tokens. */
export function checkContextTokens(given: unknown): number {
  if (typeof given === "number" && Number.isSafeInteger(given) && given > 0) return given;
  throw new LLMClientError("`maxContextTokens` must be a whole number above 0");
}

/** A checked choice among words. */
export function checkChoice<const Choice extends string>(
  field: string,
  given: Choice,
  choices: readonly Choice[],
): Choice {
  if (choices.includes(given)) return given;
  throw new LLMClientError(`\`${field}\` must be ${choices.map((choice) => `\`${choice}\``).join(" or ")}`);
}

/** The identity of a model at its service. */
export function modelId({
  apiName,
  modelName,
}: {
  readonly apiName: string;
  readonly modelName: string;
}): string {
  return `model:${apiName}:${modelName}`;
}

/** What an object is of, for a message that refuses it; never its content. */
export function describeCandidate(candidate: unknown): string {
  if (candidate === null) return "null";
  if (typeof candidate !== "object") return candidate === undefined ? "undefined" : `a ${typeof candidate}`;
  const type: unknown = Reflect.get(candidate, "type");
  return typeof type === "string"
    ? `an object of the type \`${type.slice(0, 50)}\``
    : "an object of another kind";
}
