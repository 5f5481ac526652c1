import { stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { extname, resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";

import type { Agent } from "@roboz/core";

import { AgentExportError, ModuleError } from "../errors.ts";
import { errorLine } from "../error-line.ts";

/**
 * The agent that a module exports: the one asked for, else the default export, else the only export that is an agent.
 *
 * @param module - A path, from the working directory.
 * @throws {@link ModuleError} (`cli/module`) when the module cannot be loaded; {@link AgentExportError}
 * (`cli/agent-export`) when it is not clear which export is meant.
 */
export async function loadAgent(module: string, exportName?: string): Promise<Agent> {
  const exports = await loadModule(module, isAgent);
  const agents = [...exports].filter((entry): entry is [string, Agent] => isAgent(entry[1]));
  const names = agents.map(([name]) => name);
  const asked = exportName ?? "default";
  const named = agents.find(([name]) => name === asked)?.[1];
  if (named !== undefined) return named;
  if (exportName !== undefined)
    throw new AgentExportError({ module, fault: "not-an-agent", agents: names, asked: exportName });
  // One agent may have several names.
  const [only, ...others] = new Set(agents.map(([, agent]) => agent));
  if (only === undefined || others.length > 0)
    throw new AgentExportError({ module, fault: only === undefined ? "none" : "several", agents: names });
  return only;
}

/** By what it can do, not by its class: the module may have a copy of `@roboz/core` of its own. */
function isAgent(candidate: unknown): candidate is Agent {
  if (typeof candidate !== "object" || candidate === null) return false;
  return ["graph", "start", "copy"].every((method) => typeof Reflect.get(candidate, method) === "function");
}

const javaScript = new Set([".js", ".mjs", ".cjs"]);
const typeScript = new Set([".ts", ".mts", ".cts"]);

/**
 * What a module exports, by name.
 *
 * @param isWanted - Tells what is looked for: a default export that is none may be what CommonJS exports, and is looked into.
 * @throws {@link ModuleError} (`cli/module`)
 */
export async function loadModule(
  module: string,
  isWanted: (exported: unknown) => boolean,
): Promise<ReadonlyMap<string, unknown>> {
  const file = resolve(module);
  const extension = extname(file);
  if (!javaScript.has(extension) && !typeScript.has(extension))
    throw new ModuleError({ module, fault: "extension" });
  const found = await stat(file).catch(() => undefined);
  if (found?.isFile() !== true) throw new ModuleError({ module, fault: "missing" });
  if (typeScript.has(extension)) await readTypeScript(module, file);
  try {
    const exports: unknown = await import(pathToFileURL(file).href);
    const named = entriesOf(exports);
    // What CommonJS exports is the default; translated from a module it has a default of its own.
    const inner = named.get("default");
    return isWanted(inner) ? named : new Map([...named, ...entriesOf(inner)]);
  } catch (cause) {
    throw new ModuleError({ module, fault: "failed", cause, detail: errorLine(cause) });
  }
}

function entriesOf(candidate: unknown): Map<string, unknown> {
  return new Map(typeof candidate === "object" && candidate !== null ? Object.entries(candidate) : []);
}

/** Lets this process import TypeScript: with the `tsx` that stands beside the module or this package, else with Node's own means. */
async function readTypeScript(module: string, file: string): Promise<void> {
  for (const from of [file, import.meta.url]) {
    let entry: string;
    try {
      entry = createRequire(from).resolve("tsx");
    } catch {
      continue;
    }
    // As with `node --import tsx`: importing it is what registers it.
    await import(pathToFileURL(entry).href);
    return;
  }
  if (!("typescript" in process.features) || process.features.typescript === false)
    throw new ModuleError({ module, fault: "no-typescript" });
}
