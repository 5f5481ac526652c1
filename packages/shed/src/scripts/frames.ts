import { isUtf8 } from "node:buffer";
import * as z from "zod";

import { firstCharacters } from "./characters.ts";
import { longestDescription } from "./entrypoints.ts";
import { scriptStatuses } from "./outcome.ts";

/** The version of the protocol that both sides speak. */
export const protocolVersion = 2;
/** The most bytes that one frame has, its line end too. */
export const mostFrameBytes = 524_288;
export const longestDiagnostic = 4096;
/** Characters of output in one frame: escaped, each may take six bytes, or twelve for two units. */
const mostOutputUnits = 64 * 1024;

/** How long the service has for its greeting, and the client for its request. */
export const exchangeMs = 3000;
/** How long one frame may take to be sent. */
export const sendMs = 5000;
/** How long a client waits beyond the time that a script has. */
export const patienceMs = 10_000;

/** A text of at most so many characters, which are code points. */
const short = (most: number) => z.string().refine((text) => firstCharacters(text, most) === text);

export const greetingFrame = z.strictObject({
  kind: z.literal("greeting"),
  protocol: z.literal(protocolVersion),
  /** The version of the service's package; for people. */
  roboz: z.string(),
  timeout_s: z.number().positive(),
  max_output_bytes: z.int().positive(),
});
export type GreetingFrame = z.output<typeof greetingFrame>;

export const requestFrame = z.strictObject({
  kind: z.literal("request"),
  script: z.string().nullable(),
});

const completionFrame = z
  .strictObject({
    kind: z.literal("completion"),
    status: z.enum(scriptStatuses),
    exit_code: z.int().nullable(),
    diagnostic: short(longestDiagnostic),
  })
  .refine(({ status, exit_code: code }) => {
    if (status === "success") return code === 0;
    return status === "failed" ? code !== 0 : code === null;
  });

/** What a service sends after a request. */
export const answerFrame = z.union([
  z.strictObject({ kind: z.literal("output"), output: z.string() }),
  z.strictObject({ kind: z.literal("entry"), script: z.string(), description: short(longestDescription) }),
  completionFrame,
]);
export type AnswerFrame = z.output<typeof answerFrame>;

/** Anything that either side sends. */
export type Frame = GreetingFrame | z.output<typeof requestFrame> | AnswerFrame;

/** A frame as it travels. */
export function encodeFrame(frame: Frame): Buffer {
  return Buffer.from(`${JSON.stringify(frame)}\n`, "utf8");
}

/** The version that a greeting names, whatever else is in it; undefined when it is none. */
export function greetedVersion(message: unknown): unknown {
  if (typeof message !== "object" || message === null) return undefined;
  return Reflect.get(message, "kind") === "greeting" ? Reflect.get(message, "protocol") : undefined;
}

/** Output in pieces that fit a frame each, and never cut a character in two. */
export function outputPieces(text: string): readonly string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length;) {
    const last = text.charCodeAt(from + mostOutputUnits - 1);
    const isCut = last >= 0xd800 && last <= 0xdbff;
    const to = from + mostOutputUnits - (isCut ? 1 : 0);
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}

/** The other side did not keep to the protocol. */
export class FrameError extends Error {
  constructor(problem: string) {
    super(problem);
    this.name = "FrameError";
  }
}

/** Cuts a stream of bytes into frames. */
export class FrameReader {
  /** What came and was not taken yet; only the last of them may hold line ends. */
  #chunks: Buffer[] = [];
  #length = 0;

  /** Whether something came that was not taken. */
  get hasRest(): boolean {
    return this.#length > 0;
  }

  add(bytes: Buffer): void {
    this.#chunks.push(bytes);
    this.#length += bytes.length;
  }

  /**
   * The next whole frame, as the JSON it holds; undefined while there is none.
   *
   * @throws {@link FrameError} for a frame that is too long, no UTF-8, or no JSON.
   */
  next(): { readonly message: unknown } | undefined {
    const last = this.#chunks.at(-1);
    const inLast = last?.indexOf("\n") ?? -1;
    const end = inLast === -1 ? -1 : this.#length - (last?.length ?? 0) + inLast;
    if ((end === -1 ? this.#length : end) >= mostFrameBytes)
      throw new FrameError(`a frame is longer than ${mostFrameBytes} bytes`);
    if (end === -1) return undefined;
    const whole = Buffer.concat(this.#chunks);
    const line = whole.subarray(0, end);
    this.#chunks = end + 1 < whole.length ? [whole.subarray(end + 1)] : [];
    this.#length = whole.length - end - 1;
    return { message: parsed(line) };
  }
}

function parsed(line: Buffer): unknown {
  if (!isUtf8(line)) throw new FrameError("a frame is no UTF-8");
  try {
    return JSON.parse(line.toString("utf8"));
  } catch {
    throw new FrameError("a frame is no JSON");
  }
}
