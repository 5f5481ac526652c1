import { closeSync, constants, mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { FileAccess } from "../files/access.ts";
import { isSame } from "../files/entry.ts";
import { bytesFromName, isWithin, lastName, parentLocation } from "../files/file-name.ts";
import type { OpenDirectory } from "../files/open-directory.ts";
import { FileChangedError, systemCode, systemSentence } from "../files/system-error.ts";
import { writeAll } from "../files/write-file.ts";
import type { Doomed } from "./removal.ts";

/**
 * Moves one name to the home trash, as the freedesktop.org Trash Specification 1.0 says: first the note on where it
 * came from, which takes the name, then the object itself, in one rename from the directory that was checked.
 *
 * @returns Why it stays where it is; `undefined` when it was moved.
 */
export function moveToTrash(
  access: FileAccess,
  { location, stats }: Doomed,
  trash: string | undefined,
): string | undefined {
  if (trash === undefined) return "There is no home for a trash folder";
  const folder = openTrash(access, trash);
  if (typeof folder === "string") return folder;
  if (
    isWithin(folder.files.location, location) ||
    isWithin(location, parentLocation(folder.files.location))
  ) {
    return "The trash itself cannot be moved to the trash";
  }
  const from = access.at(parentLocation(location));
  const name = lastName(location);
  if (folder.files.stats.dev !== from.stats.dev) {
    return "The trash folder is on another file system; remove the file instead";
  }
  const now = from.inspect(name);
  if (now === undefined || !isSame(now, stats)) throw new FileChangedError(location);
  const taken = takeName(access, folder.info.location, name, noteOn(location));
  const files = access.at(folder.files.location);
  try {
    if (files.inspect(taken) !== undefined) throw new FileChangedError(folder.files.location);
    access.forget(location);
    access.at(parentLocation(location)).rename(name, files, taken);
    return undefined;
  } catch (error) {
    access.at(folder.info.location).unlink(`${taken}.trashinfo`);
    throw error;
  }
}

function openTrash(
  access: FileAccess,
  trash: string,
): { files: OpenDirectory; info: OpenDirectory } | string {
  try {
    mkdirSync(join(trash, "files"), { recursive: true, mode: 0o700 });
    mkdirSync(join(trash, "info"), { recursive: true, mode: 0o700 });
    const real = realpathSync(trash);
    return { files: access.at(join(real, "files")), info: access.at(join(real, "info")) };
  } catch (error) {
    const sentence = systemSentence(error);
    if (sentence === undefined) throw error;
    return `The trash folder cannot be used: ${sentence}`;
  }
}

/** Takes the first free name among `a.txt`, `a.2.txt`, `a.3.txt`; the note is made exclusively, so two never share one. */
function takeName(access: FileAccess, info: string, name: string, note: string): string {
  const dot = name.lastIndexOf(".");
  const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ""];
  for (let count = 1; ; count++) {
    const taken = count === 1 ? name : `${stem}.${count}${extension}`;
    try {
      writeNote(access.at(info), `${taken}.trashinfo`, note);
      return taken;
    } catch (error) {
      if (systemCode(error) !== "EEXIST" || count === 100_000) throw error;
    }
  }
}

/** A note that could not be written takes no name. */
function writeNote(info: OpenDirectory, name: string, note: string): void {
  const descriptor = info.createFile(name, constants.O_WRONLY, 0o600);
  try {
    writeAll(descriptor, Buffer.from(note, "utf8"));
  } catch (error) {
    info.unlink(name);
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

/** The path is URL-escaped byte by byte, the time is local and without a zone. */
function noteOn(location: string): string {
  const path = [...bytesFromName(location)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9\-_.~/]/.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");
  const now = new Date();
  const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
  return `[Trash Info]\nPath=${path}\nDeletionDate=${local}\n`;
}
