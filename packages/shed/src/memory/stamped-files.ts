import { constants, mkdirSync, readdirSync, realpathSync, type Dirent } from "node:fs";
import { open, readdir, type FileHandle } from "node:fs/promises";
import { join } from "node:path";

import { FileAccess } from "../files/access.ts";
import { FileChangedError, systemCode } from "../files/system-error.ts";
import { replaceFile } from "../files/write-file.ts";
import { microsOf, stampOf, stampOfFile, type Stamp } from "./stamp.ts";

/** The stamps of the files called `STAMP.md` in a folder, the oldest first; none for a folder that is not there. */
export async function stampsIn(folder: string): Promise<readonly Stamp[]> {
  return stampsOf(await entriesOf(folder));
}

/** The newest stamp in a folder, found out at once: right before a write, when nothing may come between. */
export function newestStampNow(folder: string): Stamp | undefined {
  try {
    return stampsOf(readdirSync(folder, { withFileTypes: true })).at(-1);
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

function stampsOf(entries: readonly Dirent[]): readonly Stamp[] {
  return entries.flatMap((entry) => (entry.isFile() ? (stampOfFile(entry.name) ?? []) : [])).sort();
}

/** The folders in a folder, in order. */
export async function foldersIn(folder: string): Promise<readonly string[]> {
  return (await entriesOf(folder))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}

/** The text of a file; undefined when it has vanished, is no ordinary file, or no UTF-8. */
export async function readText(path: string): Promise<string | undefined> {
  const bytes = await readBytes(path);
  try {
    return bytes === undefined ? undefined : new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The text of a file, what is no UTF-8 in it replaced; undefined when it has vanished, or is no ordinary file. */
export async function readDamagedText(path: string): Promise<string | undefined> {
  const bytes = await readBytes(path);
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
}

async function readBytes(path: string): Promise<Uint8Array | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (isGone(error) || systemCode(error) === "ELOOP") return undefined;
    throw error;
  }
  try {
    return (await file.stat()).isFile() ? await file.readFile() : undefined;
  } finally {
    await file.close();
  }
}

/** Whether something is not there, or no longer. */
export function isGone(error: unknown): boolean {
  const code = systemCode(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

const attempts = 5;

/**
 * Adds a file to a folder, whole or not at all; nobody else's is replaced. The folders are made, for their owner alone, and no
 * link below the root is followed.
 *
 * @param names - The folders below the root.
 * @returns The file's stamp: the one wanted, or a few microseconds later when that was taken.
 */
export function addStamped(root: string, names: readonly string[], wanted: Stamp, text: string): Stamp {
  let stamp = wanted;
  for (let attempt = 1; ; attempt += 1) {
    try {
      addFile(root, names, `${stamp}.md`, text);
      return stamp;
    } catch (error) {
      if (attempt >= attempts) throw error;
      // Taken by somebody else, or the folder was pruned while it was still empty.
      if (error instanceof FileChangedError) stamp = stampOf((microsOf(stamp) ?? 0) + 1);
      else if (!isGone(error)) throw error;
    }
  }
}

function addFile(root: string, names: readonly string[], name: string, text: string): void {
  mkdirSync(root, { recursive: true, mode: 0o700 });
  const access = new FileAccess({ base: realpathSync(root) });
  try {
    let location = access.base;
    for (const folder of names) {
      const parent = access.at(location);
      try {
        parent.makeDirectory(folder, 0o700);
      } catch (error) {
        if (systemCode(error) !== "EEXIST") throw error;
      }
      location = join(location, folder);
    }
    replaceFile(access, join(location, name), Buffer.from(text), { expected: undefined });
  } finally {
    access.close();
  }
}
