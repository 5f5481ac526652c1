import { randomUUID } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

import { checkRunId } from "../journal/run-id.ts";
import type { RunDocument } from "./document.ts";
import { DataFolderError } from "./errors.ts";

/** Where a document stands. */
export interface ListedDocument {
  readonly conversationId: string;
  readonly path: string;
  /** The UTC date on which its run started, as `2026-05-01`. */
  readonly date: string;
}

/** For the owner's eyes alone. */
const folderMode = 0o700;
const fileMode = 0o600;

/**
 * Refuses a root that is there and is no folder.
 *
 * @throws {@link DataFolderError} (`core/data-folder`).
 */
export function checkDataFolder(root: string): string {
  const found = statSync(root, { throwIfNoEntry: false });
  if (found !== undefined && !found.isDirectory()) throw new DataFolderError({ path: root });
  return root;
}

/**
 * Where a run's document belongs: `ROOT/YYYY/MM/DD/ID.json`, by the UTC date of its start.
 *
 * @throws {@link RunIdError} (`core/run-id`) for an id that is no safe path component.
 */
export function documentPath(root: string, conversationId: string, startedAt: string): string {
  const [date = ""] = new Date(startedAt).toISOString().split("T");
  return join(root, ...date.split("-"), `${checkRunId(conversationId)}.json`);
}

/**
 * Writes a document where it belongs below a root, whole or not at all, in place of an earlier one of the same run.
 *
 * @returns The file's path.
 * @throws {@link RunIdError} (`core/run-id`), {@link DataFolderError} (`core/data-folder`); what the system says when the
 * file cannot be written: an earlier one then stands.
 */
export async function writeRunDocument(root: string, document: RunDocument): Promise<string> {
  const path = documentPath(checkDataFolder(root), document.conversation_id, document.started_at);
  await mkdir(dirname(path), { recursive: true, mode: folderMode });
  const temporary = temporaryBeside(path);
  try {
    const file = await open(temporary, "wx", fileMode);
    try {
      await file.writeFile(textOf(document));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  return path;
}

/** The same at once, for the few bytes that a run begins with. */
export function writeRunDocumentNow(root: string, document: RunDocument): string {
  const path = documentPath(checkDataFolder(root), document.conversation_id, document.started_at);
  mkdirSync(dirname(path), { recursive: true, mode: folderMode });
  const temporary = temporaryBeside(path);
  try {
    const file = openSync(temporary, "wx", fileMode);
    try {
      writeFileSync(file, textOf(document));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  return path;
}

/**
 * The documents below a root, the latest date first, without reading one. Whatever else stands there is passed over.
 *
 * @throws {@link DataFolderError} (`core/data-folder`).
 */
export async function listRunDocuments(root: string): Promise<readonly ListedDocument[]> {
  checkDataFolder(root);
  const listed: ListedDocument[] = [];
  for (const year of await foldersIn(root, /^\d{4}$/))
    for (const month of await foldersIn(join(root, year), /^\d{2}$/))
      for (const day of await foldersIn(join(root, year, month), /^\d{2}$/)) {
        const folder = join(root, year, month, day);
        for (const entry of await entriesOf(folder)) {
          const [, conversationId] = /^([A-Za-z0-9][A-Za-z0-9._-]{0,199})\.json$/.exec(entry.name) ?? [];
          if (conversationId === undefined || !entry.isFile()) continue;
          listed.push({ conversationId, path: join(folder, entry.name), date: `${year}-${month}-${day}` });
        }
      }
  return listed;
}

function textOf(document: RunDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** No name that a reader takes for a document's. */
function temporaryBeside(path: string): string {
  return `${path}.${randomUUID()}.tmp`;
}

/** The latest first. */
async function foldersIn(folder: string, name: RegExp): Promise<readonly string[]> {
  return (await entriesOf(folder))
    .filter((entry) => entry.isDirectory() && name.test(entry.name))
    .map((entry) => entry.name)
    .sort()
    .reverse();
}

async function entriesOf(folder: string) {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
