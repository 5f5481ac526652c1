import { runProgram } from "./run-program.mjs";
import { pinnedPnpm, root } from "./workspace.mjs";

// Turbo starts each package's scripts with pnpm, so it needs the pinned one on its path.
const { file, args, shell } = pinnedPnpm(["exec", "turbo", "run", ...process.argv.slice(2)]);
const env = { ...process.env, TURBO_TELEMETRY_DISABLED: "1", DO_NOT_TRACK: "1" };
await runProgram(file, args, { cwd: root, env, shell });
