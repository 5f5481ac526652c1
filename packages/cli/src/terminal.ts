/** What a command reads from: the standard input, or what a test puts in its place. */
export interface TerminalInput {
  readonly isTTY?: boolean | undefined;
  readonly readableEnded?: boolean | undefined;
  readonly destroyed?: boolean | undefined;
  on(event: "data" | "end" | "close" | "error", listener: (chunk: unknown) => void): unknown;
  off(event: "data" | "end" | "close" | "error", listener: (chunk: unknown) => void): unknown;
  resume(): unknown;
  pause(): unknown;
  /** Switches echo and line editing off or on; only a terminal has it. */
  setRawMode?(isRaw: boolean): unknown;
}

/** What a command prints to. */
export interface TerminalOutput {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

/** The three streams of a command. */
export interface Terminal {
  readonly input: TerminalInput;
  readonly output: TerminalOutput;
  readonly errors: TerminalOutput;
}

/** The streams of this process. */
export function processTerminal(): Terminal {
  return { input: process.stdin, output: process.stdout, errors: process.stderr };
}
