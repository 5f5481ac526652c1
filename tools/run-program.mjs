import { spawn } from "node:child_process";
import { once } from "node:events";

/** @type {readonly NodeJS.Signals[]} */
const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
const isAtTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;

/**
 * Runs a program in this one's place: it shares standard input and output, is sent the signals sent to this process,
 * and its exit code or fatal signal becomes that of this process.
 *
 * @param {string} file
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, shell?: boolean }} [options]
 * @returns {Promise<void>} settles when the program has ended
 */
export async function runProgram(file, args, options = {}) {
  const child = spawn(file, args, { ...options, stdio: "inherit" });
  /** @param {NodeJS.Signals} signal */
  const forward = (signal) => {
    // Ctrl-C reaches every process at the terminal; forwarded, it would count twice.
    if (signal === "SIGINT" && isAtTerminal) return;
    child.kill(signal);
  };
  for (const signal of signals) process.on(signal, forward);
  try {
    const [code, signal] = await once(child, "close");
    for (const each of signals) process.off(each, forward);
    if (signal) process.kill(process.pid, signal);
    else process.exitCode = code;
  } catch (error) {
    console.error(
      `\`${file}\` could not be started: ${error instanceof Error ? error.message : String(error)}`,
    );
    process.exitCode = 1;
  }
}
