import { isHeld, newProcessHold } from "@roboz/core";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { systemCode } from "../files/system-error.ts";
import { readText } from "./stamped-files.ts";

/** A folder's maintenance, which one process and one Librarian at a time should pay for. */
export interface FolderClaim {
  /** False while somebody else is at it. */
  readonly isOurs: boolean;
  /** Lets others have it. */
  readonly release: () => void;
}

const claimName = ".maintenance";
const notOurs: FolderClaim = { isOurs: false, release: () => undefined };

/**
 * Claims a folder, which is made when there is none. It saves calls of a model, and nothing depends on it: what two write at once is
 * sound as well. The claim of a process that is gone counts for nothing.
 */
export async function claimFolder(folder: string): Promise<FolderClaim> {
  const path = join(folder, claimName);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    const hold = newProcessHold();
    try {
      writeFileSync(path, hold.text, { flag: "wx", mode: 0o600 });
    } catch (error) {
      if (systemCode(error) !== "EEXIST") throw error;
      if (isHeld((await readText(path)) ?? "")) return notOurs;
      rmSync(path, { force: true });
      continue;
    }
    const release = (): void => {
      try {
        rmSync(path, { force: true });
      } catch {
        // The file stays, and is of no hold.
        hold.end();
      }
    };
    return { isOurs: true, release };
  }
  return notOurs;
}
