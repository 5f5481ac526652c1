import type { Stats } from "node:fs";
import { lstat, readdir, readFile, realpath } from "node:fs/promises";
import { builtinModules } from "node:module";
import { basename, dirname, isAbsolute, join, parse, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

import { ScaffoldError } from "../errors.ts";

/** The installed package: nothing of a project belongs into it. */
const packageDirectory = fileURLToPath(new URL("../../", import.meta.url));

const snakeCase = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;

const reserved = new Set(
  (
    "roboz arguments async await break case catch class const continue debugger default delete do else enum eval export extends false finally for " +
    "function if implements import in instanceof interface let new null of package private protected public return static super switch this " +
    "throw true try typeof undefined var void while with yield"
  ).split(" "),
);

/** A directory that a package may be written to: nothing is there yet. */
export interface Destination {
  /** The absolute path. */
  readonly directory: string;
  /** The directory's name, which names what the package holds. */
  readonly name: string;
}

/**
 * Checks where a package is to go; creates nothing.
 *
 * @throws {@link ScaffoldError} (`cli/scaffold`)
 */
export async function checkDestination(path: string, workingDirectory: string): Promise<Destination> {
  const directory = resolve(workingDirectory, path);
  const name = basename(directory);
  const found = await statsOf(directory);
  if (found?.isSymbolicLink() === true) throw new ScaffoldError({ path: directory, fault: "link" });
  if (isWithin(await realpath(packageDirectory), await realDirectory(directory))) {
    throw new ScaffoldError({ path: directory, fault: "inside-package" });
  }
  if (!snakeCase.test(name)) throw new ScaffoldError({ path: directory, fault: "name" });
  if (reserved.has(name)) throw new ScaffoldError({ path: directory, fault: "reserved-name" });
  if (found !== undefined) throw new ScaffoldError({ path: directory, fault: "exists" });
  const [root, parent] = await Promise.all([workingDirectory, dirname(directory)].map(realDirectory));
  const other = root === parent ? await sameName(workingDirectory, name) : undefined;
  if (other !== undefined) throw new ScaffoldError({ path: directory, fault: "importable", other });
  return { directory, name };
}

/** What stands at a path itself, also a link that leads nowhere; undefined when nothing does. */
async function statsOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (cause) {
    if (isSystemError(cause, "ENOENT")) return undefined;
    throw new ScaffoldError({ path, fault: "unwritable", cause });
  }
}

/** The real path of a directory, as far as it exists. */
async function realDirectory(directory: string): Promise<string> {
  try {
    return await realpath(directory);
  } catch (cause) {
    const parent = dirname(directory);
    if (isSystemError(cause, "ENOENT", "ENOTDIR") && parent !== directory) {
      return join(await realDirectory(parent), basename(directory));
    }
    throw new ScaffoldError({ path: directory, fault: "unwritable", cause });
  }
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

const moduleEnding = /\.(?:[cm]?[jt]sx?|json|node)$/;

/** What a project imports under this name already. */
async function sameName(workingDirectory: string, name: string): Promise<string | undefined> {
  if (builtinModules.includes(name)) return `Node's own \`${name}\``;
  const declared = await declaredPackages(workingDirectory);
  if (declared.has(name)) return `the package \`${name}\``;
  const beside = (await readdir(workingDirectory)).find(
    (file) => moduleEnding.test(file) && parse(file.replace(/\.d\.([cm]?ts)$/, ".$1")).name === name,
  );
  return beside === undefined ? undefined : `the module \`${beside}\` beside it`;
}

const dependencyFields = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];

/** The packages that the nearest `package.json` names; none when it cannot be read. */
async function declaredPackages(directory: string): Promise<ReadonlySet<string>> {
  const text = await readFile(join(directory, "package.json"), "utf8").catch(() => undefined);
  const parent = dirname(directory);
  if (text === undefined) return parent === directory ? new Set() : declaredPackages(parent);
  const manifest = asObject(parsed(text));
  return new Set(dependencyFields.flatMap((field) => Object.keys(asObject(Reflect.get(manifest, field)))));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function asObject(given: unknown): object {
  return typeof given === "object" && given !== null ? given : {};
}

/** Whether the operating system gave one of these codes, such as `ENOENT`. */
export function isSystemError(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.some((code) => error.code === code);
}
