import type { AgentRecord, TemplateVariable } from "../wire/agents.ts";
import { invalid } from "../store/errors.ts";

const placeholder = /\{\{\s*([a-zA-Z_][a-zA-Z0-9_.]*)\s*\}\}/g;

/**
 * Checks that a template uses the variables that are declared, and no others.
 *
 * @throws {@link RobotoInvalidRequestException}
 */
export function checkTemplate({
  request_template: template,
  variables,
}: Pick<AgentRecord, "request_template" | "variables">): void {
  const names = variables.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw invalid(`The variable \`${twice}\` is declared twice`);
  const used = new Set<string>();
  collect(template, used);
  const undeclared = [...used].filter((name) => !names.includes(name));
  if (undeclared.length > 0)
    throw invalid(`The template uses variables that are not declared: ${undeclared.join(", ")}`);
  const unused = names.filter((name) => !used.has(name));
  if (unused.length > 0) throw invalid(`The template does not use these variables: ${unused.join(", ")}`);
}

function collect(part: unknown, used: Set<string>): void {
  if (typeof part === "string") {
    for (const [, name = ""] of part.matchAll(placeholder)) used.add(name);
    return;
  }
  if (typeof part !== "object" || part === null) return;
  for (const [key, value] of Object.entries(part)) {
    if (!Array.isArray(part) && new RegExp(placeholder.source).test(key))
      throw invalid(`The key \`${key}\` holds a variable; only texts may`);
    collect(value, used);
  }
}

/**
 * The values of a template's variables: those that are given, else their defaults.
 *
 * @throws {@link RobotoInvalidRequestException} for names that are not declared, and for those that have no value.
 */
export function resolveValues(
  variables: readonly TemplateVariable[],
  given: Readonly<Record<string, string>>,
): ReadonlyMap<string, string> {
  const declared = new Set(variables.map(({ name }) => name));
  const unknown = Object.keys(given).filter((name) => !declared.has(name));
  if (unknown.length > 0)
    throw invalid(`The agent has no variables of these names: ${unknown.join(", ")}`, {
      kind: "UnknownAgentVariablesError",
      names: unknown.sort(),
    });
  const values = new Map<string, string>();
  const missing: string[] = [];
  for (const { name, default: preset } of variables) {
    const value = Object.hasOwn(given, name) ? given[name] : (preset ?? undefined);
    if (value === undefined) missing.push(name);
    else values.set(name, value);
  }
  if (missing.length > 0)
    throw invalid(`These variables have no value: ${missing.sort().join(", ")}`, {
      kind: "UnresolvedAgentVariablesError",
      names: missing,
    });
  return values;
}

/** A template with its variables filled in, once: what a value holds is not looked at. */
export function filledIn(part: unknown, values: ReadonlyMap<string, string>): unknown {
  if (typeof part === "string")
    return part.replaceAll(placeholder, (whole, name: string) => values.get(name) ?? whole);
  if (Array.isArray(part)) return part.map((item: unknown) => filledIn(item, values));
  if (typeof part !== "object" || part === null) return part;
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, filledIn(value, values)]));
}
