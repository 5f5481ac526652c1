import type { AgentProblem, LimitName } from "../errors.ts";
import { isFields } from "../values/parse.ts";

/** What a run may use before it ends with `LimitReachedError`. `null` switches a limit off. */
export interface Limits {
  /** Calls of the model, repairs included; 200 by default. */
  readonly llmCalls?: number | null | undefined;
  /** Tools run; 10,000 by default. */
  readonly steps?: number | null | undefined;
  /** Failures of tools in a row that the model is shown; the run then fails with the last one. 3 by default. */
  readonly toolFailures?: number | null | undefined;
  /** The same call with the same outcome in a row, after which the model is told once; the next one ends the run. 3 by default. */
  readonly repeats?: number | null | undefined;
  /** Tokens in and out together; none by default. */
  readonly tokens?: number | null | undefined;
  /** US dollars, for endpoints with prices; none by default. */
  readonly costUsd?: number | null | undefined;
  /** Milliseconds of work, those before a run was resumed included; waiting for a reply in between does not count. None by default. */
  readonly wallMs?: number | null | undefined;
}

/** Limits with their defaults filled in; `Infinity` where switched off. */
export type EffectiveLimits = Readonly<Record<LimitName, number>>;

const defaults: EffectiveLimits = Object.freeze({
  llmCalls: 200,
  steps: 10_000,
  toolFailures: 3,
  repeats: 3,
  tokens: Infinity,
  costUsd: Infinity,
  wallMs: Infinity,
});

/** Fills in what is not given; the agent's own settings, or a run's over them. */
export function effectiveLimits(given?: Limits, base: EffectiveLimits = defaults): EffectiveLimits {
  if (given === undefined) return base;
  const pick = (name: LimitName): number => {
    const limit = given[name];
    return limit === undefined ? base[name] : (limit ?? Infinity);
  };
  return Object.freeze({
    llmCalls: pick("llmCalls"),
    steps: pick("steps"),
    toolFailures: pick("toolFailures"),
    repeats: pick("repeats"),
    tokens: pick("tokens"),
    costUsd: pick("costUsd"),
    wallMs: pick("wallMs"),
  });
}

/** Limits of which none is higher than the ceiling's. */
export function limitsBelow(limits: EffectiveLimits, ceiling: Limits | undefined): EffectiveLimits {
  if (ceiling === undefined) return limits;
  const entries: [string, unknown][] = Object.entries(ceiling);
  const lower = Object.fromEntries(
    entries.flatMap(([name, most]) =>
      isLimit(name) && typeof most === "number" && most < limits[name] ? [[name, most]] : [],
    ),
  );
  return Object.freeze({ ...limits, ...lower });
}

function isLimit(name: string): name is LimitName {
  return Object.hasOwn(defaults, name);
}

/** What is wrong with limits as given. */
export function limitProblems(given: unknown): AgentProblem[] {
  const settings = (message: string): AgentProblem[] => [{ code: "settings", toolNames: [], message }];
  if (given === undefined) return [];
  if (!isFields(given)) return settings("`limits` is no object; leave it out for the limits by default");
  const entries = Object.entries(given);
  return entries.flatMap(([name, limit]) => {
    if (!(name in defaults))
      return settings(`\`limits.${name}\` is no limit; there are ${Object.keys(defaults).join(", ")}`);
    if (limit === undefined || limit === null || (typeof limit === "number" && limit > 0)) return [];
    return settings(`\`limits.${name}\` must be a number above 0, or null for no limit`);
  });
}
