import { randomUUID } from "node:crypto";
import { constants, type Stats } from "node:fs";
import fs from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

import { CatalogueFileError } from "./errors.ts";

/** The installed package: nothing of a project belongs into it. */
const packageDirectory = fileURLToPath(new URL("../../", import.meta.url));

/**
 * What stands at a path that is to be written, or `undefined` when nothing does.
 *
 * @throws CatalogueFileError when it is a symbolic link, no regular file, or inside the installed package.
 */
export async function existingTarget(file: string): Promise<Stats | undefined> {
  const found = await fileStats(file);
  if (found?.isSymbolicLink() === true) throw new CatalogueFileError({ file, fault: "link" });
  if (await isInsidePackage(file)) throw new CatalogueFileError({ file, fault: "inside-package" });
  if (found?.isFile() === false) throw new CatalogueFileError({ file, fault: "not-a-file" });
  return found;
}

/** The file's own stats, a link's rather than those of what it leads to; `undefined` when there is nothing. */
export async function fileStats(file: string): Promise<Stats | undefined> {
  try {
    return await fs.lstat(file);
  } catch (cause) {
    if (isSystemError(cause, "ENOENT", "ENOTDIR")) return undefined;
    throw new CatalogueFileError({ file, fault: "unreadable", cause });
  }
}

/**
 * Publishes a file that must not be there yet: whole, or not at all.
 *
 * @throws CatalogueFileError `exists` when something appeared meanwhile, which is kept; `unwritable` otherwise.
 */
export async function publishNewFile(file: string, text: string): Promise<void> {
  await withTemporary(file, text, 0o666, async (temporary) => {
    try {
      await fs.link(temporary, file);
    } catch (cause) {
      if (isSystemError(cause, "EEXIST")) throw cause;
      // Not every file system has hard links.
      await fs.copyFile(temporary, file, constants.COPYFILE_EXCL);
    }
  });
}

/**
 * Replaces a file in one step, keeping its permissions.
 *
 * @param isReplaceable - Asked last of all, just before the step: whether something stands there that may go. It throws for
 * what may not.
 * @throws CatalogueFileError `unwritable` when it cannot be done; what was there is kept.
 */
export async function replaceFile(
  file: string,
  text: string,
  isReplaceable: () => Promise<boolean>,
): Promise<void> {
  const mode = (await fileStats(file))?.mode ?? 0o644;
  await withTemporary(file, text, mode & 0o777, async (temporary) => {
    await fs.chmod(temporary, mode & 0o777);
    await isReplaceable();
    await fs.rename(temporary, file);
  });
}

/** Lets a complete temporary file beside the target be published, and leaves no trace of it. */
async function withTemporary(
  file: string,
  text: string,
  mode: number,
  publish: (temporary: string) => Promise<void>,
): Promise<void> {
  const temporary = join(dirname(file), `.${basename(file)}.${randomUUID()}`);
  try {
    const handle = await fs.open(temporary, "wx", mode);
    try {
      await writeThrough(handle, text);
      await publish(temporary);
    } finally {
      await fs.rm(temporary, { force: true });
    }
  } catch (cause) {
    if (CatalogueFileError.is(cause)) throw cause;
    const fault = isSystemError(cause, "EEXIST") ? "exists" : "unwritable";
    throw new CatalogueFileError({ file, fault, cause });
  }
}

async function writeThrough(handle: fs.FileHandle, text: string): Promise<void> {
  try {
    await handle.writeFile(text, "utf8");
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function isInsidePackage(file: string): Promise<boolean> {
  const way = relative(await fs.realpath(packageDirectory), await realDirectory(dirname(file)));
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The real path of a directory, as far as it exists. */
async function realDirectory(directory: string): Promise<string> {
  try {
    return await fs.realpath(directory);
  } catch (cause) {
    const parent = dirname(directory);
    if (isSystemError(cause, "ENOENT", "ENOTDIR") && parent !== directory) {
      return join(await realDirectory(parent), basename(directory));
    }
    throw new CatalogueFileError({ file: directory, fault: "unwritable", cause });
  }
}

/** Whether the operating system gave one of these codes, such as `ENOENT`. */
export function isSystemError(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.some((code) => error.code === code);
}
