import { stat } from "node:fs/promises";

import type { AgentSource, GivenAgent } from "@roboz/threads/server";

import { AgentExportError, UsageError } from "../errors.ts";
import { loadModule } from "../run/agent-module.ts";

const usualModules = ["agents.ts", "agents.js", "agents.mjs"] as const;

/** The module of agents that is meant when none is named. */
async function usualModule(): Promise<string> {
  for (const module of usualModules) {
    const found = await stat(module).catch(() => undefined);
    if (found?.isFile() === true) return module;
  }
  throw new UsageError(
    "there is no `agents.ts` here; name a module that exports deployable agents with --agents",
  );
}

/**
 * The agents that a module exports, by the profiles that threads name them with: those of its export `agents`, else each export that is
 * one, under its name. The default export is `standard`, and the first one.
 *
 * @throws {@link ModuleError} (`cli/module`); {@link AgentExportError} (`cli/agent-export`) when it exports none, or another as `standard`
 * beside the default.
 */
export async function agentsOfModule(
  given: string | undefined,
): Promise<Readonly<Record<string, GivenAgent>>> {
  const module = given ?? (await usualModule());
  const exports = await loadModule(module, isGiven);
  const listed = exports.get("agents");
  const entries = typeof listed === "object" && listed !== null ? Object.entries(listed) : [...exports];
  const agents = entries.filter((entry): entry is [string, GivenAgent] => isGiven(entry[1]));
  const first = agents.find(([name]) => name === "default");
  const others = agents.filter(([name, agent]) => name !== "default" && agent !== first?.[1]);
  if (first === undefined && others.length === 0)
    throw new AgentExportError({ module, fault: "none", agents: [] });
  if (first !== undefined && others.some(([name]) => name === "standard"))
    throw new AgentExportError({ module, fault: "two-standards", agents: agents.map(([name]) => name) });
  return Object.fromEntries([...(first === undefined ? [] : [["standard", first[1]] as const]), ...others]);
}

function isGiven(candidate: unknown): candidate is GivenAgent {
  if (isSource(candidate)) return true;
  return (
    typeof candidate === "object" && candidate !== null && "agent" in candidate && isSource(candidate.agent)
  );
}

/** By what it can do, as the module may have a copy of `@roboz/deployment` of its own. */
function isSource(candidate: unknown): candidate is AgentSource {
  if (typeof candidate !== "object" || candidate === null) return false;
  return ["copy", "addCapabilities", "build"].every(
    (name) => typeof Reflect.get(candidate, name) === "function",
  );
}
