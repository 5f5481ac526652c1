import { systemClock } from "@roboz/core";
import { spawn, type ChildProcess } from "node:child_process";
import { constants } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

import { systemCode } from "../files/system-error.ts";
import { outcome, type CallOptions, type ScriptOutcome } from "./outcome.ts";
import { OutputPipe } from "./output-pipe.ts";
import { ScriptOutput } from "./script-output.ts";
import { ScriptProcesses, startPlan } from "./script-processes.ts";

/** What to run, and how. */
export interface ScriptStart extends CallOptions {
  readonly bash: string;
  /** Absolute. */
  readonly path: string;
  readonly cwd: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
}

/** What ends the wait for a script. */
type Ending =
  | { readonly kind: "exited"; readonly code: number | null; readonly signal: NodeJS.Signals | null }
  | { readonly kind: "not-started"; readonly error: unknown }
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "timeout" | "output-limit" | "cancelled" };

/** How long output may still come when nobody is left to write it, as far as is known. */
const drainMs = 1000;

/**
 * Runs one script to an end, and ends all its processes, whatever the end was.
 *
 * @throws The signal's reason; what `onOutput` threw.
 */
export async function runScript(start: ScriptStart): Promise<ScriptOutcome> {
  start.signal.throwIfAborted();
  let pipe: OutputPipe;
  try {
    pipe = await OutputPipe.open();
  } catch (error) {
    return notStarted(error);
  }
  const { bashArguments, marker } = startPlan(start.bash, start.path);
  const output = new ScriptOutput(start.maxOutputBytes);
  let child: ChildProcess;
  try {
    child = spawn(start.bash, bashArguments, {
      cwd: start.cwd,
      env: start.environment,
      // A group of its own, by which it is ended with all that stays in it.
      detached: true,
      stdio: ["ignore", pipe.writer, pipe.writer],
    });
  } catch (error) {
    pipe.reader.destroy();
    return notStarted(error);
  } finally {
    pipe.closeWriter();
  }
  const processes = child.pid === undefined ? undefined : new ScriptProcesses(child.pid, marker);
  const reading = read(pipe, output, start.onOutput);
  const ending = await firstEnding(child, reading.trouble, start);
  const survivors = (await processes?.end()) ?? 0;
  await drained(reading);
  pipe.reader.destroy();
  await reading.done;
  return told({ ending: reading.failure() ?? ending, output, survivors, start });
}

/** Waits for the rest of the output; not for ever, since somebody outside of the script may hold the pipe. */
async function drained({ done, isHanding }: Reading): Promise<void> {
  for (;;) {
    const isDone = await Promise.race([done.then(() => true), sleep(drainMs, false, { ref: false })]);
    if (isDone || !isHanding()) return;
  }
}

interface Reading {
  /** Resolves when there is reason to end the script. */
  readonly trouble: Promise<Ending>;
  /** Resolves when all was read. */
  readonly done: Promise<void>;
  /** Whether a listener is at work. */
  readonly isHanding: () => boolean;
  /** What a listener failed with by now. */
  readonly failure: () => Ending | undefined;
}

function read({ reader }: OutputPipe, output: ScriptOutput, onOutput: CallOptions["onOutput"]): Reading {
  let failure: Ending | undefined;
  let isHanding = false;
  let report: (ending: Ending) => void = () => undefined;
  const trouble = new Promise<Ending>((resolve) => {
    report = resolve;
  });
  const hand = async (text: string): Promise<void> => {
    if (text === "" || failure !== undefined) return;
    isHanding = true;
    try {
      await onOutput(text);
    } catch (error) {
      failure = { kind: "failed", error };
      report(failure);
    } finally {
      isHanding = false;
    }
  };
  const done = (async () => {
    try {
      for await (const bytes of reader) {
        if (bytes instanceof Uint8Array) await hand(output.add(bytes));
        // What comes beyond the limit is read and dropped, so that a script that tidies up is not held up.
        if (output.isOver) report({ kind: "output-limit" });
      }
    } catch {
      // The pipe was closed before its end, since somebody outside of the script holds it.
    }
    await hand(output.end());
  })();
  return { trouble, done, isHanding: () => isHanding, failure: () => failure };
}

/** Waits for whatever ends the script, or the wait for it. */
async function firstEnding(
  child: ChildProcess,
  trouble: Promise<Ending>,
  { signal, timeoutMs }: ScriptStart,
): Promise<Ending> {
  const undo: (() => void)[] = [];
  const limits = new Promise<Ending>((resolve) => {
    const cancel = (): void => {
      resolve({ kind: "cancelled" });
    };
    const stopClock = systemClock.after(timeoutMs, () => {
      resolve({ kind: "timeout" });
    });
    signal.addEventListener("abort", cancel, { once: true });
    undo.push(stopClock, () => {
      signal.removeEventListener("abort", cancel);
    });
    if (signal.aborted) cancel();
  });
  try {
    return await Promise.race([limits, trouble, exitOf(child)]);
  } finally {
    for (const each of undo) each();
  }
}

function exitOf(child: ChildProcess): Promise<Ending> {
  return new Promise((resolve) => {
    child.once("error", (error) => {
      resolve({ kind: "not-started", error });
    });
    child.once("exit", (code, signal) => {
      resolve({ kind: "exited", code, signal });
    });
  });
}

function told(run: {
  readonly ending: Ending;
  readonly output: ScriptOutput;
  readonly survivors: number;
  readonly start: ScriptStart;
}): ScriptOutcome {
  const { ending, output, survivors, start } = run;
  const { text } = output;
  const left =
    survivors === 0 ? "" : `${survivors} of its processes could not be ended and may still be running.`;
  switch (ending.kind) {
    case "cancelled":
      start.signal.throwIfAborted();
      return outcome("failed", { output: text });
    case "failed":
      throw ending.error;
    case "not-started":
      return notStarted(ending.error);
    case "timeout":
      return outcome("timeout", { output: text, diagnostic: left });
    case "output-limit":
      return outcome("output_limit", { output: text, diagnostic: left });
    case "exited": {
      if (output.isOver) return outcome("output_limit", { output: text, diagnostic: left });
      const { code, signal } = ending;
      if (code === 0) return outcome("success", { exitCode: 0, output: text, diagnostic: left });
      // As a shell says it.
      const exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
      const death = signal === null ? "" : `The script was ended by ${signal}.`;
      const diagnostic = [death, left].filter((part) => part !== "").join(" ");
      return outcome("failed", { exitCode, output: text, diagnostic });
    }
  }
}

function notStarted(error: unknown): ScriptOutcome {
  const code = systemCode(error);
  return outcome("failed", {
    diagnostic: `The script could not be started${code === undefined ? "" : ` (${code})`}.`,
  });
}
