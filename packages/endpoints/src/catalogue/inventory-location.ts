import fs from "node:fs/promises";
import { join } from "node:path";

import { fileStats } from "./published-file.ts";

const catalogueDirectory = "model_catalogue";

/**
 * Where a project keeps its catalogue: `model_catalogue` in the first of `src/NAME`, `src` and `NAME` that has an `index.ts`, else in the project
 * directory itself. `NAME` is the `name` of `package.json` without its scope, each run of `-`, `_` and `.` made one `_`.
 * A `package.json` that is missing, malformed or without a usable name counts as none; parent directories are not searched.
 *
 * @param directory - The project's directory.
 * @returns The catalogue's directory, which may not exist yet.
 */
export async function defaultCatalogueDirectory(directory: string): Promise<string> {
  const name = await projectName(directory);
  const roots = name === undefined ? [] : [join("src", name), "src", name];
  for (const root of roots) {
    const marker = await fileStats(join(directory, root, "index.ts"));
    if (marker?.isFile() === true) return join(directory, root, catalogueDirectory);
  }
  return join(directory, catalogueDirectory);
}

async function projectName(directory: string): Promise<string | undefined> {
  const manifest = await readManifest(join(directory, "package.json"));
  if (typeof manifest !== "object" || manifest === null || !("name" in manifest)) return undefined;
  if (typeof manifest.name !== "string") return undefined;
  const name = manifest.name.replace(/^@[^/]*\//, "").replace(/[-_.]+/g, "_");
  // No part of a path: a separator in it would lead elsewhere.
  return /^[^/\\\0]+$/.test(name) ? name : undefined;
}

async function readManifest(file: string): Promise<unknown> {
  try {
    const manifest: unknown = JSON.parse(await fs.readFile(file, "utf8"));
    return manifest;
  } catch {
    return undefined;
  }
}
