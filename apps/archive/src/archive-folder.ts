import { copyFile, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { Sandbox } from "@roboz/shed";

/** The project that the archive works in, below `projects` of its sandbox. */
const project = "archive";
/** What came in: two columns on one page, made by Ghostscript. */
const paper = new URL("../papers/bees.pdf", import.meta.url);

const notes: Readonly<Record<string, string>> = {
  "notes/house-rules.md":
    "# House rules\n\nA paper is filed under three headings.\nThe catalogue is projects/archive/catalogue.md.\n",
  "notes/in.md": "# Came in\n\npapers/bees.pdf, from the beekeepers of Port Alder.\n",
};

/** A folder with an archive. */
export interface ArchiveFolder {
  readonly sandbox: Sandbox;
  /** The newest memory, if there is any. */
  readonly memory: () => Promise<string | undefined>;
  readonly catalogue: () => Promise<string>;
  /** Removes it, when it was made for this run only. */
  readonly close: () => Promise<void>;
}

/** Opens the archive in a folder, and makes it where there is none; without a folder in one below the system's for temporary files. */
export async function archiveFolder(folder: string | undefined): Promise<ArchiveFolder> {
  if (folder !== undefined) await mkdir(folder, { recursive: true });
  const root = await realpath(folder ?? (await mkdtemp(join(tmpdir(), "roboz-archive-"))));
  const sandbox = new Sandbox({ root, scope: project });
  for (const [name, text] of Object.entries(notes)) {
    const place = join(sandbox.projectDir, name);
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, text);
  }
  await mkdir(join(sandbox.projectDir, "papers"), { recursive: true });
  await copyFile(fileURLToPath(paper), join(sandbox.projectDir, "papers/bees.pdf"));
  return {
    sandbox,
    memory: async () => {
      const [newest] = (await readdir(sandbox.memoryDir).catch(() => [])).sort().reverse();
      return newest === undefined ? undefined : readFile(join(sandbox.memoryDir, newest), "utf8");
    },
    catalogue: () => readFile(join(sandbox.projectDir, "catalogue.md"), "utf8").catch(() => ""),
    close: async () => {
      if (folder === undefined) await rm(root, { recursive: true, force: true });
    },
  };
}
