import { ExecutableDependency } from "@roboz/core";
import { accessSync, constants, realpathSync } from "node:fs";
import { delimiter } from "node:path";
import { isWithin } from "../files/file-name.ts";

/** A program that a command runs instead of working itself. */
export type ProgramName = "grep" | "rg";

/** Where programs are looked for. The search path of the environment is not used: anybody may have put something there. */
const folders = ["/usr/bin", "/bin", "/usr/local/bin", "/opt/homebrew/bin"];

/** The programs, looked for where the commands do. */
export const programDependencies: readonly ExecutableDependency[] = [
  { name: "rg", displayName: "ripgrep" },
  { name: "grep", displayName: "grep" },
].map(
  ({ name, displayName }) =>
    new ExecutableDependency(name, { displayName, environment: { PATH: folders.join(delimiter) } }),
);

const remedies: Readonly<Record<ProgramName, string>> = {
  grep: "grep is not installed; install it (Debian: apt-get install grep), or use rg",
  rg: "rg is not installed; install ripgrep (Debian: apt-get install ripgrep, macOS: brew install ripgrep), or use grep -r",
};

/** The absolute path of a program; undefined when it is not installed, or lies where the commands may write. */
export function programPath(name: ProgramName, base: string): string | undefined {
  for (const folder of folders) {
    const path = `${folder}/${name}`;
    try {
      accessSync(path, constants.X_OK);
      if (!isWithin(realpathSync(path), base) || base === "/") return path;
    } catch {
      // The next folder may have it.
    }
  }
  return undefined;
}

/** What to say when a program is missing. */
export function programRemedy(name: ProgramName): string {
  return remedies[name];
}
