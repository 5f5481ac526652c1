import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";

/** Each test of the file gets an empty working directory, and its changes to the process are undone. */
export function useScratchDirectory(): { readonly path: string } {
  const scratch = { path: "" };
  let before = { directory: "", variables: new Map<string, string | undefined>() };

  beforeEach(() => {
    before = { directory: process.cwd(), variables: new Map(Object.entries(process.env)) };
    scratch.path = realpathSync(mkdtempSync(join(tmpdir(), "roboz-secrets-")));
    process.chdir(scratch.path);
  });

  afterEach(() => {
    process.chdir(before.directory);
    for (const name of Object.keys(process.env)) {
      if (!before.variables.has(name)) Reflect.deleteProperty(process.env, name);
    }
    for (const [name, value] of before.variables) {
      if (process.env[name] !== value) process.env[name] = value;
    }
    rmSync(scratch.path, { recursive: true, force: true });
  });

  return scratch;
}
