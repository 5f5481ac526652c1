import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

import type * as Shed from "@roboz/shed";

import { MissingPackageError } from "../errors.ts";

/** What the commands use of `@roboz/shed`. */
export type ShedPackage = Pick<
  typeof Shed,
  "checkScriptService" | "DependencyHealthMonitor" | "scriptContainment" | "serveScripts"
>;

const names = ["checkScriptService", "DependencyHealthMonitor", "scriptContainment", "serveScripts"];
const shedPackage = "@roboz/shed";

/** Where the package is looked for. */
export interface ShedPlaces {
  /** Imports the one beside this package. */
  readonly own?: (() => Promise<unknown>) | undefined;
  /** Imports the project's. */
  readonly inProject?: (() => Promise<unknown>) | undefined;
}

/**
 * The package behind the commands `scripts` and `health`. It is a choice of the user's, so it is looked for beside this one and in
 * the project.
 *
 * @throws {@link MissingPackageError} (`cli/missing-package`) when it is in neither place, or is too old.
 */
export async function loadShed(commandName: string, places: ShedPlaces = {}): Promise<ShedPackage> {
  const { own = () => import("@roboz/shed"), inProject = () => importShedFrom(resolve("package.json")) } =
    places;
  for (const load of [own, inProject]) {
    const exports: unknown = await load().catch((error: unknown) => {
      if (isMissing(error)) return undefined;
      throw error;
    });
    if (isShed(exports)) return exports;
  }
  throw new MissingPackageError({ commandName, packageName: shedPackage });
}

/** Imports the package as a file of a project would find it. */
export async function importShedFrom(file: string): Promise<unknown> {
  const entry = createRequire(pathToFileURL(file)).resolve(shedPackage);
  return import(pathToFileURL(entry).href);
}

/** Whether this very package was not found, rather than something that it needs. */
function isMissing(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  const isLoading = error.code === "ERR_MODULE_NOT_FOUND" || error.code === "MODULE_NOT_FOUND";
  return isLoading && error.message.includes(`'${shedPackage}'`);
}

function isShed(candidate: unknown): candidate is ShedPackage {
  if (typeof candidate !== "object" || candidate === null) return false;
  return names.every((name) => typeof Reflect.get(candidate, name) === "function");
}
