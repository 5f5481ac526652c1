import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { scriptTool, type ScriptReport } from "../script-tool.ts";
import type { LocalScriptSettings } from "../script-tool.ts";

/** A folder of a test, with scripts in it. */
export interface ScriptFolder extends Disposable {
  readonly root: string;
  readonly scriptsDir: string;
  /** Writes a script. */
  readonly write: (name: string, ...lines: readonly string[]) => void;
  /** Runs one in this process. */
  readonly run: (script: string, settings?: Partial<LocalScriptSettings>) => Promise<ScriptReport>;
}

export function scriptFolder(): ScriptFolder {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "roboz-scripts-")));
  const scriptsDir = join(root, "scripts");
  mkdirSync(scriptsDir);
  return {
    root,
    scriptsDir,
    write: (name, ...lines) => {
      const path = join(scriptsDir, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, lines.map((line) => `${line}\n`).join(""));
    },
    run: (script, settings) => scriptTool({ scriptsDir, cwd: root, ...settings }).invoke({ script }),
    [Symbol.dispose]: () => {
      rmSync(root, { recursive: true, force: true });
    },
  };
}
