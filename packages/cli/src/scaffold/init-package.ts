import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, link, mkdir, open, rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";

import { ScaffoldError } from "../errors.ts";
import { checkDestination, isSystemError } from "./destination.ts";
import { defaultPaths, renderPackage, type PackageKind, type RenderedFile } from "./templates.ts";

/**
 * Writes a new capability package: all of its files, or none.
 *
 * @param path - Its directory, whose name it takes; a relative one starts from the working directory.
 * @returns The absolute path of the directory.
 * @throws {@link ScaffoldError} (`cli/scaffold`); nothing that was there is changed then, and parents that were made stay.
 */
export async function initPackage(
  kind: PackageKind,
  path = defaultPaths[kind],
  workingDirectory = process.cwd(),
): Promise<string> {
  const { directory, name } = await checkDestination(path, workingDirectory);
  await publishDirectory(directory, renderPackage(kind, name));
  return directory;
}

/** Makes a directory that must be new, with its files; takes back what it made when one cannot be written. */
export async function publishDirectory(directory: string, files: readonly RenderedFile[]): Promise<void> {
  try {
    await mkdir(dirname(directory), { recursive: true });
    await mkdir(directory);
  } catch (cause) {
    const fault = isSystemError(cause, "EEXIST") ? "exists" : "unwritable";
    throw new ScaffoldError({ path: directory, fault, cause });
  }
  const made: string[] = [];
  try {
    for (const { name, text } of files) {
      const file = join(directory, name);
      await publishFile(file, text);
      made.push(file);
    }
  } catch (cause) {
    for (const file of made) await rm(file, { force: true });
    // What somebody else put there meanwhile keeps the directory.
    await rmdir(directory).catch(() => undefined);
    throw new ScaffoldError({ path: directory, fault: "unwritable", cause });
  }
}

/** Publishes a file that must be new: whole, or not at all. */
async function publishFile(file: string, text: string): Promise<void> {
  const temporary = join(dirname(file), `.${randomUUID()}`);
  try {
    const handle = await open(temporary, "wx");
    try {
      await handle.writeFile(text, "utf8");
      await handle.sync();
    } finally {
      await handle.close();
    }
    await link(temporary, file).catch(async (error: unknown) => {
      if (isSystemError(error, "EEXIST")) throw error;
      // Not every file system has hard links.
      await copyFile(temporary, file, constants.COPYFILE_EXCL);
    });
  } finally {
    await rm(temporary, { force: true });
  }
}
