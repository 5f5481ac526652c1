import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

/** What a command left: its exit code or the signal that ended it, and what it printed. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd: string;
  /** Added to this process's environment. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly input?: string | undefined;
  /** Sent once, when the command has printed its first words. */
  readonly signal?: NodeJS.Signals | undefined;
}

/** Runs a command, gives it all its input at once, and waits for its end, whatever it is. */
export async function runToEnd(
  file: string,
  args: readonly string[],
  { cwd, env, input = "", signal }: RunOptions,
): Promise<Ended> {
  const child = spawn(file, args, { cwd, env: { ...process.env, ...env } });
  child.stdin.on("error", () => {
    // A command may end without reading its input.
  });
  child.stdin.end(input);
  if (signal) child.stdout.once("data", () => child.kill(signal));
  const ended = new Promise<Pick<Ended, "code" | "signal">>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, by) => {
      resolve({ code, signal: by });
    });
  });
  const [stdout, stderr, end] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { ...end, stdout, stderr };
}

/** Runs a command that has to end well, and returns what it printed; a failure quotes it. */
export async function succeed(file: string, args: readonly string[], cwd: string): Promise<string> {
  const { code, stdout, stderr } = await runToEnd(file, args, { cwd });
  if (code !== 0) throw new Error(`\`${file} ${args.join(" ")}\` ended with ${code}\n${stdout}${stderr}`);
  return stdout;
}
