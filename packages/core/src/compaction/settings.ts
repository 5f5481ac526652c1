import { isEndpointLike, type EndpointLike } from "../llm/endpoint.ts";
import { isFields } from "../values/parse.ts";

/** When and how a conversation is compacted. */
export interface CompactionSettings {
  /** The model that summarises, and whose context size counts; that of the agent by default. */
  readonly endpoint?: EndpointLike | undefined;
  /** From which part of the context on the conversation is compacted, in percent; 80 by default. */
  readonly thresholdPercent?: number | undefined;
  /** For each call of the model; none by default. */
  readonly timeoutMs?: number | undefined;
  /** What the model is told beside the summary; by default that it stands for what was said, and to go on. */
  readonly continuation?: string | undefined;
}

export const defaultThresholdPercent = 80;
export const defaultContinuation =
  "The conversation so far was replaced by this summary, because it grew too long. Go on from where it ended.";

const names: readonly string[] = ["endpoint", "thresholdPercent", "timeoutMs", "continuation"];

/** What is wrong with settings as given, each going on from the name of what has them. */
export function compactionProblems(given: unknown): readonly string[] {
  if (!isFields(given)) return ["is no object of settings"];
  const { endpoint, thresholdPercent, timeoutMs, continuation } = given;
  const problems = Object.keys(given)
    .filter((name) => !names.includes(name))
    .map((name) => `has no setting \`${name}\`; there are ${names.join(", ")}`);
  if (endpoint !== undefined && !isEndpointLike(endpoint))
    problems.push("has an `endpoint` that is no endpoint; give an LLMEndpoint, a MockLLMEndpoint or a route");
  if (thresholdPercent !== undefined && !isPositive(thresholdPercent))
    problems.push("has a `thresholdPercent` that is not a finite number above 0");
  if (timeoutMs !== undefined && !isPositive(timeoutMs))
    problems.push("has a `timeoutMs` that is not a finite number above 0");
  if (continuation !== undefined && (typeof continuation !== "string" || continuation.trim() === ""))
    problems.push("has a `continuation` that is blank, or no text; leave it out for the usual one");
  return problems;
}

function isPositive(given: unknown): boolean {
  return typeof given === "number" && Number.isFinite(given) && given > 0;
}
