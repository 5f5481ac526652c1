import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The project that the desk works in, below `projects` of its sandbox. */
export const project = "desk";

/** A folder for one run of the app. */
export interface DeskFolder {
  /** Absolute and canonical. */
  readonly path: string;
  /** The database file of the threads, beside what the desk sees. */
  readonly database: string;
  readonly remove: () => Promise<void>;
}

/** Makes the folder with a few notes, below the system's one for temporary files. */
export async function deskFolder(): Promise<DeskFolder> {
  const whole = await realpath(await mkdtemp(join(tmpdir(), "roboz-office-")));
  const path = join(whole, "desk");
  const notes = join(path, "projects", project, "notes");
  await mkdir(notes, { recursive: true });
  await writeFile(join(notes, "monday.md"), "# Monday\n\nTODO: water the ferns\n");
  await writeFile(
    join(notes, "tuesday.md"),
    "# Tuesday\n\nTODO: order more paper\nTODO: thank Ada for the biscuits\n",
  );
  return {
    path,
    database: join(whole, "threads.db"),
    remove: () => rm(whole, { recursive: true, force: true }),
  };
}
