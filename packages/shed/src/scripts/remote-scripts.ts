import type { ScriptEntry } from "./entrypoints.ts";
import { mostEntries } from "./entrypoints.ts";
import { ConnectionEndedError, FrameSocket, TooSlowError } from "./frame-socket.ts";
import {
  answerFrame,
  exchangeMs,
  FrameError,
  greetedVersion,
  greetingFrame,
  patienceMs,
  protocolVersion,
  type AnswerFrame,
  type GreetingFrame,
} from "./frames.ts";
import type { ScriptTurn } from "./local-scripts.ts";
import {
  outcome,
  type CallOptions,
  type ScriptHost,
  type ScriptOutcome,
  type ScriptStatus,
} from "./outcome.ts";
import { connectTo } from "./socket-path.ts";
import { systemCode } from "../files/system-error.ts";

/** How only a script can end, and no list. */
const ranStatuses: ReadonlySet<ScriptStatus> = new Set(["success", "timeout", "output_limit", "busy"]);

/** A connection to a service that has greeted. */
interface Greeted {
  readonly frames: FrameSocket;
  readonly greeting: GreetingFrame;
}

/** The most that decoded output may be in bytes, for each raw byte: what stands for a byte that is no UTF-8 has three. */
const decodedBytesPerByte = 3;

/**
 * Connects to a service and takes its greeting.
 *
 * @throws `FrameError` for a service of another version, and one that does not keep to the protocol; the system's error;
 * {@link TooSlowError}; {@link ConnectionEndedError}; the signal's reason.
 */
export async function greetedBy(socketPath: string, signal?: AbortSignal): Promise<Greeted> {
  const socket = await connectTo(socketPath);
  const frames = new FrameSocket(socket);
  try {
    const message = await frames.receive({ withinMs: exchangeMs, signal });
    const version = greetedVersion(message);
    if (typeof version === "number" && version !== protocolVersion)
      throw new FrameError(`the service speaks version ${version} of the protocol, not ${protocolVersion}`);
    const greeting = greetingFrame.safeParse(message);
    if (!greeting.success) throw new FrameError("the service does not greet as it should");
    return { frames, greeting: greeting.data };
  } catch (error) {
    frames.close();
    throw error;
  }
}

/** What went wrong with a connection, for people. */
export function transportProblem(error: unknown): string {
  if (error instanceof FrameError || error instanceof ConnectionEndedError || error instanceof TooSlowError)
    return error.message;
  const code = systemCode(error);
  if (code === "ENOENT") return "there is no socket";
  return code === undefined ? "the connection failed" : `the connection failed with ${code}`;
}

/** Lists and runs scripts by a service on a socket. */
export class RemoteScripts implements ScriptHost {
  readonly #socketPath: string;
  readonly #turn: ScriptTurn;

  constructor({ socketPath, turn }: { readonly socketPath: string; readonly turn: ScriptTurn }) {
    this.#socketPath = socketPath;
    this.#turn = turn;
  }

  async call(script: string | null, options: CallOptions): Promise<ScriptOutcome> {
    options.signal.throwIfAborted();
    if (script === null) return this.#ask(script, options);
    if (!this.#turn.take())
      return outcome("busy", { diagnostic: "Another script is running; call again when it has ended." });
    try {
      return await this.#ask(script, options);
    } finally {
      this.#turn.free();
    }
  }

  async #ask(script: string | null, options: CallOptions): Promise<ScriptOutcome> {
    let greeted: Greeted;
    try {
      greeted = await greetedBy(this.#socketPath, options.signal);
    } catch (error) {
      options.signal.throwIfAborted();
      const problem = transportProblem(error);
      return outcome("failed", {
        diagnostic: `The script service cannot be used: ${problem}. Nothing was run.`,
      });
    }
    const { frames, greeting } = greeted;
    try {
      return await new Exchange(script, greeting, options).with(frames);
    } finally {
      frames.close();
    }
  }
}

/** One request and its answer. */
class Exchange {
  readonly #script: string | null;
  readonly #options: CallOptions;
  readonly #most: number;
  readonly #patienceMs: number;
  readonly #scripts: ScriptEntry[] = [];
  readonly #output: string[] = [];
  #bytes = 0;

  constructor(script: string | null, greeting: GreetingFrame, options: CallOptions) {
    this.#script = script;
    this.#options = options;
    this.#most = greeting.max_output_bytes * decodedBytesPerByte;
    this.#patienceMs = greeting.timeout_s * 1000 + patienceMs;
  }

  async with(frames: FrameSocket): Promise<ScriptOutcome> {
    const { signal } = this.#options;
    const until = performance.now() + this.#patienceMs;
    try {
      await frames.send({ kind: "request", script: this.#script });
      for (;;) {
        const message = await frames.receive({ withinMs: until - performance.now(), signal });
        const answer = answerFrame.safeParse(message);
        if (!answer.success) throw new FrameError("the service sent what is no answer");
        const ended = await this.#take(answer.data);
        if (ended !== undefined) return ended;
      }
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ListenerFailure) throw error.cause;
      return this.#unknown(error);
    }
  }

  /** Takes one frame; the last one gives the outcome. */
  async #take(frame: AnswerFrame): Promise<ScriptOutcome | undefined> {
    switch (frame.kind) {
      case "output":
        if (this.#script === null) throw new FrameError("the service sent output in place of a list");
        return this.#hear(frame.output);
      case "entry": {
        const { script, description } = frame;
        if (this.#script !== null) throw new FrameError("the service sent a list in place of output");
        if (this.#scripts.length >= mostEntries) throw new FrameError("the service lists too many scripts");
        this.#scripts.push({ script, description });
        return undefined;
      }
      case "completion": {
        const { status, exit_code: exitCode, diagnostic } = frame;
        const isFitting = this.#script === null ? !ranStatuses.has(status) : status !== "listed";
        if (!isFitting) throw new FrameError("the service answered another request than this one");
        return outcome(status, {
          exitCode,
          diagnostic,
          scripts: this.#scripts,
          output: this.#output.join(""),
        });
      }
    }
  }

  async #hear(text: string): Promise<undefined> {
    this.#bytes += Buffer.byteLength(text);
    if (this.#bytes > this.#most) throw new FrameError("the service sent more output than it promised");
    this.#output.push(text);
    try {
      await this.#options.onOutput(text);
    } catch (cause) {
      throw new ListenerFailure(cause);
    }
  }

  /** The request may have arrived, so nobody here knows what became of the script. */
  #unknown(error: unknown): ScriptOutcome {
    const whether =
      this.#script === null
        ? ""
        : " Whether the script ran, and how it ended, is unknown; find out before it is run again.";
    return outcome("failed", {
      scripts: this.#scripts,
      output: this.#output.join(""),
      diagnostic: `The connection to the script service was lost: ${transportProblem(error)}.${whether}`,
    });
  }
}

/** Whoever hears the output failed, not the connection. */
class ListenerFailure extends Error {
  constructor(cause: unknown) {
    super("a listener failed", { cause });
  }
}
