import { spawn } from "node:child_process";
import { once } from "node:events";

/** Something to type once the screen shows a text that it did not show before. */
export interface Keys {
  readonly when: string;
  readonly type: string;
}

/** What was on the screen of a terminal, and how the program in it ended. */
export interface Session {
  readonly code: number | null;
  readonly screen: string;
  /** Whether the terminal shows what is typed after the program has ended. */
  readonly echoes: boolean;
}

/** Pressed at a terminal. */
export const ctrlC = "\u0003";
export const ctrlD = "\u0004";

/**
 * Runs a program at a pseudo-terminal, with util-linux's `script`, which comes with every Debian.
 *
 * @param keys - Typed in this order.
 */
export async function atTerminal(
  words: readonly string[],
  keys: readonly Keys[],
  { cwd, env }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<Session> {
  // The shell outlives Ctrl-C, to say whether the terminal was left as it was found.
  const program = words.map((word) => `'${word}'`).join(" ");
  const line = `trap : INT; ${program}; code=$?; stty -a | grep -q -- ' -echo ' && echo 'echo is off'; exit $code`;
  const child = spawn("script", ["--quiet", "--return", "--command", line, "/dev/null"], {
    cwd,
    env: { ...process.env, ...env, SHELL: "/bin/sh", TERM: "dumb" },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let screen = "";
  let seen = 0;
  const waiting = [...keys];
  child.stdout.on("data", (chunk: Buffer) => {
    screen += chunk.toString();
    const [next] = waiting;
    if (next === undefined || !screen.slice(seen).includes(next.when)) return;
    waiting.shift();
    seen = screen.length;
    child.stdin.write(next.type);
  });
  await once(child, "close");
  return {
    code: child.exitCode,
    screen: screen.replaceAll("\r\n", "\n").replace("echo is off\n", ""),
    echoes: !screen.includes("echo is off"),
  };
}
