import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** The project that the desk works in, below `projects` of its sandbox. */
export const project = "desk";

const files: Readonly<Record<string, string>> = {
  "projects/desk/notes/monday.md": "# Monday\n\nTODO: water the ferns\nCall the printer about the posters.\n",
  "projects/desk/notes/tuesday.md":
    "# Tuesday\n\nTODO: order more paper\nTODO: thank Ada for the biscuits\nThe fair opens at nine.\n",
  "projects/desk/.env": "PRINTER_PASSWORD=not-for-models\n",
  "readonly/house-rules.md": "Be kind. Label your lunch.\n",
  "shared/welcome.md": "Whatever is here, everybody reads.\n",
};

/** A folder with a few notes, for one run of the app. */
export interface DeskFolder {
  /** Absolute and canonical. */
  readonly path: string;
  readonly remove: () => Promise<void>;
}

/** Makes the folder, below the system's one for temporary files. */
export async function deskFolder(): Promise<DeskFolder> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "roboz-desk-")));
  for (const [name, text] of Object.entries(files)) {
    const place = join(path, name);
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, text);
  }
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
