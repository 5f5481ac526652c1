import { join } from "node:path";
import { install } from "./install.mjs";
import { runProgram } from "./run-program.mjs";
import { root } from "./workspace.mjs";

if (install()) {
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  await runProgram(process.execPath, [vitest, "run", ...process.argv.slice(2)], { cwd: root });
}
