import fs from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

import { bundledInventory } from "./bundled-inventory.ts";
import { decodeInventory } from "./decode-inventory.ts";
import { CatalogueFileError } from "./errors.ts";
import { generateModule, isGeneratedModule } from "./generate-module.ts";
import { defaultCatalogueDirectory } from "./inventory-location.ts";
import { encodeInventory, type Inventory } from "./inventory.ts";
import { isPublicIdentifier } from "./public-name.ts";
import { existingTarget, fileStats, isSystemError, publishNewFile, replaceFile } from "./published-file.ts";

const inventoryFileName = "models.json";
const moduleFileName = "providers.ts";

/** Where a catalogue's JSON is. */
export interface InventoryFileOptions {
  /** The project's directory, which relative paths start from; the working directory when left out. */
  readonly directory?: string | undefined;
  /** The JSON file; when left out, `models.json` in the project's `model_catalogue` directory. */
  readonly path?: string | undefined;
}

/** Where a catalogue's JSON is and where its module goes. */
export interface GenerateInventoryOptions extends InventoryFileOptions {
  /** The module; `providers.ts` beside the JSON when left out. */
  readonly output?: string | undefined;
}

/** What {@link generateInventory} did. */
export interface GeneratedInventory {
  /** The JSON file, absolute. */
  readonly path: string;
  /** The module, absolute. */
  readonly output: string;
  /** Whether an earlier module was replaced. */
  readonly isReplaced: boolean;
  /** What the JSON says. */
  readonly inventory: Inventory;
}

/**
 * Reads a `models.json`.
 *
 * @param file - Errors start with it as it is given here.
 * @throws CatalogueFileError (`missing`, `not-a-file`, `unreadable`), and what {@link decodeInventory} throws.
 */
export async function readInventory(file: string): Promise<Inventory> {
  let bytes: Uint8Array;
  try {
    if (!(await fs.stat(file)).isFile()) throw new CatalogueFileError({ file, fault: "not-a-file" });
    bytes = await fs.readFile(file);
  } catch (cause) {
    if (CatalogueFileError.is(cause)) throw cause;
    const fault = isSystemError(cause, "ENOENT", "ENOTDIR") ? "missing" : "unreadable";
    throw new CatalogueFileError({ file, fault, cause });
  }
  return decodeInventory(bytes, { file });
}

/**
 * Writes the bundled examples as an editable `models.json`. An existing file is never replaced. The default directory is created when
 * absent; for a given `path` no directory is.
 *
 * @returns The file's absolute path.
 * @throws CatalogueFileError when the file exists, is a link, is inside the installed package, or cannot be written. Nothing is left
 * behind then.
 */
export async function initInventory(options: InventoryFileOptions = {}): Promise<string> {
  const file = await inventoryFile(options);
  if ((await existingTarget(file)) !== undefined) throw new CatalogueFileError({ file, fault: "exists" });
  const isMade = options.path === undefined && (await makeDirectory(dirname(file)));
  try {
    await publishNewFile(file, encodeInventory(bundledInventory));
  } catch (error) {
    // Only an empty directory can be removed so; anything put there meanwhile stays.
    if (isMade) await fs.rmdir(dirname(file)).catch(() => undefined);
    throw error;
  }
  return file;
}

/**
 * Writes the typed module of a `models.json`. Only a file that starts with the generated-file marker is replaced, in one step;
 * whatever fails, the old module is unchanged. No directory is created.
 *
 * @throws CatalogueFileError when the module's name or place is refused, which is checked before the JSON is read, or when
 * reading or writing fails; what {@link decodeInventory} throws for a wrong `models.json`.
 */
export async function generateInventory(options: GenerateInventoryOptions = {}): Promise<GeneratedInventory> {
  const path = await inventoryFile(options);
  const output = resolve(options.directory ?? "", options.output ?? join(dirname(path), moduleFileName));
  checkOutputName(output);
  await refuseSameFile(path, output);
  const isReplaced = await isReplaceable(output);
  const inventory = await readInventory(path);
  const text = generateModule(inventory);
  if (isReplaced) await replaceFile(output, text, () => isReplaceable(output));
  else await publishNewFile(output, text);
  return { path, output, isReplaced, inventory };
}

/** Where a catalogue's JSON is, absolute; it may not exist. */
export async function inventoryFile({ directory = "", path }: InventoryFileOptions): Promise<string> {
  if (path !== undefined) return resolve(directory, path);
  return join(await defaultCatalogueDirectory(resolve(directory)), inventoryFileName);
}

/** Makes the default directory if it is not there, and says whether it did. */
async function makeDirectory(directory: string): Promise<boolean> {
  const found = await fileStats(directory);
  if (found?.isSymbolicLink() === true) throw new CatalogueFileError({ file: directory, fault: "link" });
  if (found !== undefined) return false;
  try {
    await fs.mkdir(directory);
    return true;
  } catch (cause) {
    throw new CatalogueFileError({ file: directory, fault: "unwritable", cause });
  }
}

function checkOutputName(file: string): void {
  const stem = /^(.*)\.ts$/s.exec(basename(file))?.[1] ?? "";
  if (stem === "roboz" || !isPublicIdentifier(stem))
    throw new CatalogueFileError({ file, fault: "output-name" });
}

async function refuseSameFile(path: string, output: string): Promise<void> {
  const [json, module] = await Promise.all(
    [fs.stat(path), fs.stat(output)].map((stats) => stats.catch(() => undefined)),
  );
  const isSame = json !== undefined && json.dev === module?.dev && json.ino === module.ino;
  if (path === output || isSame) throw new CatalogueFileError({ file: output, fault: "same-file" });
}

/** Whether an earlier module stands there; anything else that stands there is refused. */
async function isReplaceable(file: string): Promise<boolean> {
  if ((await existingTarget(file)) === undefined) return false;
  let text: string;
  try {
    text = await fs.readFile(file, "utf8");
  } catch (cause) {
    throw new CatalogueFileError({ file, fault: "unreadable", cause });
  }
  if (!isGeneratedModule(text)) throw new CatalogueFileError({ file, fault: "not-generated" });
  return true;
}
