import { dedupeExternalDependencies, externalDependenciesOf, isExternalDependency } from "@roboz/core";
import type { ExternalDependency } from "@roboz/core";

import { DependencyExportError } from "../errors.ts";
import { loadModule } from "../run/agent-module.ts";

/**
 * What the exports of a module need from outside, each thing once: the export asked for, else the default export, else all of them.
 * Agents, described or built, tools, endpoints and dependencies count, and lists of these.
 *
 * @param module - A path, from the working directory.
 * @throws `ModuleError` (`cli/module`); {@link DependencyExportError} (`cli/dependency-export`) when nothing that is exported says
 * what it needs.
 */
export async function loadDependencies(
  module: string,
  exportName?: string,
): Promise<readonly ExternalDependency[]> {
  const exports = await loadModule(module, saysNeeds);
  const asked = exportName ?? "default";
  const named = exports.get(asked);
  if (saysNeeds(named)) return needsOf(named);
  if (exportName !== undefined) throw new DependencyExportError({ module, asked: exportName });
  const speaking = [...exports.values()].filter(saysNeeds);
  if (speaking.length === 0) throw new DependencyExportError({ module });
  return dedupeExternalDependencies(speaking.flatMap(needsOf));
}

/** By what it can do, not by its class: the module may have copies of the packages of its own. */
function saysNeeds(candidate: unknown): boolean {
  if (Array.isArray(candidate)) return candidate.length > 0 && candidate.every(saysNeeds);
  if ((typeof candidate !== "object" && typeof candidate !== "function") || candidate === null) return false;
  return (
    isExternalDependency(candidate) || typeof Reflect.get(candidate, "externalDependencies") === "function"
  );
}

function needsOf(subject: unknown): readonly ExternalDependency[] {
  return Array.isArray(subject)
    ? dedupeExternalDependencies(subject.flatMap(needsOf))
    : externalDependenciesOf(subject);
}
