import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The workspace's top folder. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * What these tools read of a package.json.
 *
 * @typedef {object} Manifest
 * @property {string} name
 * @property {string} version
 * @property {string} [description]
 * @property {string} [license]
 * @property {string} [packageManager]
 * @property {{ node?: string }} [engines]
 * @property {boolean} [private]
 * @property {Record<string, string>} [scripts]
 * @property {Record<string, string>} [dependencies]
 * @property {Record<string, string>} [devDependencies]
 * @property {Record<string, string>} [peerDependencies]
 * @property {Record<string, unknown>} [exports]
 */

/**
 * @param {string} folder
 * @returns {Manifest}
 */
export function readManifest(folder) {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

/**
 * The folders directly below `parent` that hold a package, by name.
 *
 * @param {string} parent
 * @returns {string[]}
 */
export function packageFolders(parent) {
  if (!existsSync(parent)) return [];
  // A folder without a manifest is what another branch's build left behind.
  return readdirSync(parent)
    .filter((name) => existsSync(join(parent, name, "package.json")))
    .sort()
    .map((name) => join(parent, name));
}

/**
 * The folders of all workspace packages but the root, as pnpm-workspace.yaml names them.
 *
 * @returns {string[]}
 */
export function workspaceFolders() {
  const settings = readFileSync(join(root, "pnpm-workspace.yaml"), "utf8");
  const list = /^packages:\r?\n((?:[ ]*- .*\r?\n)+)/m.exec(settings)?.[1] ?? "";
  return [...list.matchAll(/- ["']?([^"'#\s]+)/g)].flatMap(([, pattern = ""]) =>
    pattern.endsWith("/*")
      ? packageFolders(join(root, pattern.slice(0, -2)))
      : [join(root, pattern)].filter((folder) => existsSync(join(folder, "package.json"))),
  );
}

/**
 * How the workspace's own pnpm is started: another release refuses the pin in package.json.
 *
 * @param {readonly string[]} args
 * @returns {{ file: string, args: string[], shell: boolean }}
 */
export function pinnedPnpm(args) {
  const pin = readManifest(root).packageManager ?? "pnpm";
  // On Windows npx is a script that only a shell can start.
  return { file: "npx", args: ["--yes", pin, ...args], shell: process.platform === "win32" };
}
