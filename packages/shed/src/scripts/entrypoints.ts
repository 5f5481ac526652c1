import { constants } from "node:fs";
import { lstat, open, readdir } from "node:fs/promises";
import { join } from "node:path";

import { compareNames } from "../files/file-name.ts";
import { systemCode, systemSentence } from "../files/system-error.ts";
import { firstCharacters } from "./characters.ts";

/** A script that can be run, as lists of them show it. */
export interface ScriptEntry {
  /** Its path below the scripts directory, with `/`. */
  readonly script: string;
  /** What its first comment says; empty without one. */
  readonly description: string;
}

/** The scripts of a directory, or why there are none. */
export type Listed =
  | { readonly status: "listed"; readonly scripts: readonly ScriptEntry[]; readonly diagnostic: string }
  | { readonly status: "refused" | "failed"; readonly diagnostic: string };

/** A script that may be run, or why it may not. */
export type Located = { readonly path: string } | { readonly refusal: string };

/** The longest description, in characters. */
export const longestDescription = 512;
/** The most scripts that a list shows. */
export const mostEntries = 10_000;
/** Where a description is looked for. */
const headBytes = 64 * 1024;

/**
 * The scripts of a directory: regular files whose names end with `.sh`, at any depth, in order. Links are not seen, and
 * neither is what cannot be read.
 *
 * @param folder - Absolute.
 */
export async function listScripts(folder: string): Promise<Listed> {
  try {
    if (!(await lstat(folder)).isDirectory()) return { status: "refused", diagnostic: notDirectory };
  } catch (error) {
    return systemCode(error) === "ENOENT" ? noDirectory : { status: "failed", diagnostic: unreadable(error) };
  }
  const names: string[] = [];
  try {
    await collect(folder, "", names);
  } catch (error) {
    return { status: "failed", diagnostic: unreadable(error) };
  }
  names.sort(compareNames);
  const scripts: ScriptEntry[] = [];
  for (const script of names.slice(0, mostEntries)) {
    const description = await describe(join(folder, script));
    if (description !== undefined) scripts.push({ script, description });
  }
  const left = names.length - mostEntries;
  return { status: "listed", scripts, diagnostic: left > 0 ? `${left} more scripts are not listed.` : "" };
}

const notDirectory = "The scripts directory is a link, or no directory.";
const noDirectory: Listed = {
  status: "listed",
  scripts: [],
  diagnostic: "There is no scripts directory yet. Make it, and put files that end with .sh into it.",
};

function unreadable(error: unknown): string {
  return `The scripts directory cannot be read: ${systemSentence(error) ?? "it is of an odd kind"}`;
}

async function collect(folder: string, prefix: string, names: string[]): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const name = prefix + entry.name;
    if (entry.isDirectory()) {
      // A folder that cannot be read has no scripts that could be run.
      await collect(join(folder, entry.name), `${name}/`, names).catch(() => undefined);
    } else if (entry.isFile() && nameRefusal(name) === undefined) names.push(name);
  }
}

/**
 * Looks a script up by its name. Every part of the way is looked at: none may be a link.
 *
 * @param folder - Absolute.
 */
export async function locateScript(folder: string, script: string): Promise<Located> {
  const refusal = nameRefusal(script);
  if (refusal !== undefined) return { refusal };
  const root = await lstat(folder).catch(() => undefined);
  if (root?.isDirectory() !== true)
    return { refusal: root === undefined ? "There is no scripts directory." : notDirectory };
  const parts = script.split("/");
  let path = folder;
  for (const [index, part] of parts.entries()) {
    path = join(path, part);
    const found = await lstat(path).catch(() => undefined);
    if (found === undefined) return { refusal: notFound };
    if (found.isSymbolicLink()) return { refusal: "The script, or a directory on its way, is a link." };
    const isWanted = index === parts.length - 1 ? found.isFile() : found.isDirectory();
    if (!isWanted) return { refusal: notFound };
  }
  return { path };
}

const notFound = "There is no such script; call without `script` for a list.";

/** Why a name is none that a script may have; undefined for one that is. */
function nameRefusal(name: string): string | undefined {
  if (name === "") return "The name is empty.";
  if (name.includes("\0")) return "The name has a NUL in it.";
  if (/^(?:[/\\]|[a-z]:)/i.test(name))
    return "The name is an absolute path; give it relative to the scripts directory.";
  if (name.split(/[/\\]/).includes("..")) return "The name has `..` in it.";
  if (!name.endsWith(".sh")) return "The name does not end with .sh.";
  const parts = name.split("/");
  return parts.some((part) => part === "" || part === ".")
    ? "The name is not written as lists show it."
    : undefined;
}

/** What a script says it does; undefined when it cannot be read. */
async function describe(path: string): Promise<string | undefined> {
  try {
    // Without waiting, should a named pipe have taken the script's place.
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      if (!(await file.stat()).isFile()) return undefined;
      const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
      return firstComment(buffer.toString("utf8", 0, bytesRead));
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

/** The first comment with text in it, before any code; empty without one. */
function firstComment(head: string): string {
  const lines = head.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
  if (lines[0]?.startsWith("#!") === true) lines.shift();
  for (const line of lines.map((each) => each.trim())) {
    if (line === "") continue;
    if (!line.startsWith("#")) return "";
    const text = line.replace(/^#+/, "").trim();
    if (text !== "") return firstCharacters(text, longestDescription);
  }
  return "";
}
