import type { ProviderRequest } from "./provider-request.ts";

/** A call of a tool in a scripted reply. */
export interface ScriptedToolCall {
  readonly name: string;
  /** A text goes out as it stands, also when it is no JSON; an object goes out as an object, as some services do. */
  readonly arguments: string | object;
  /** Made up when left out; null leaves it out of the answer. */
  readonly id?: string | null | undefined;
}

/** The tokens that a scripted answer reports. */
export interface ScriptedUsage {
  readonly prompt: number;
  readonly completion: number;
  /** The part of the prompt that came from a cache. */
  readonly cached?: number | undefined;
  /** The part of the completion that was reasoning. */
  readonly reasoning?: number | undefined;
}

/** What a service says when it refuses or fails. */
export interface ScriptedError {
  readonly message: string;
  readonly code?: string | number | undefined;
  readonly type?: string | undefined;
}

/** How the delivery of an answer ends before the answer does. */
export interface BreakOff {
  /**
   * - `"end"`: the answer ends as if it were whole.
   * - `"cut"`: the connection is closed.
   * - `"reset"`: the connection is reset.
   * - `"silence"`: the connection stays open and nothing more comes.
   */
  readonly how: "end" | "cut" | "reset" | "silence";
  /**
   * How many pieces are sent before; 0, the default, means nothing at all, not even the status. A reply that is not
   * streamed has two pieces.
   */
  readonly afterPieces?: number | undefined;
}

/**
 * One answer of a scripted provider. Without anything it is an empty reply. A request that asks for a stream gets one.
 */
export interface ScriptedAnswer {
  /** The reply, or the transcript. Null goes out as null, which is also what a reply with tool calls has when it is left out. */
  readonly text?: string | null | undefined;
  readonly toolCalls?: readonly ScriptedToolCall[] | undefined;
  readonly reasoning?: string | undefined;
  /** The field in which the reasoning goes out; `"reasoning"` when left out. */
  readonly reasoningField?: "reasoning" | "reasoning_content" | "reasoning_details" | undefined;
  /** `"tool_calls"` or `"stop"` when left out, null leaves it out of the answer. */
  readonly finishReason?: string | null | undefined;
  /** A quarter of the characters when left out, null leaves it out of the answer. A stream has it only if it was asked for. */
  readonly usage?: ScriptedUsage | null | undefined;
  /** The identifier of the reply; made up when left out. */
  readonly id?: string | undefined;

  /** The HTTP status; 200 when left out. */
  readonly status?: number | undefined;
  /** A failure. In a stream with status 200 it comes after the text, otherwise in place of the reply. */
  readonly error?: ScriptedError | undefined;
  /** Sent in place of all of the above: a text as it stands and as a web page, an object as JSON. */
  readonly body?: string | object | undefined;
  /** Further headers of the answer, such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;

  /** The texts of a stream's pieces, together the reply; the reply in pieces of 12 characters when left out. */
  readonly pieces?: readonly string[] | undefined;
  /** Sends a keep-alive comment before each piece of a stream. */
  readonly keepAlive?: boolean | undefined;
  /** Sends so many bytes at a time, so that a character of several bytes may be split. */
  readonly bytesPerWrite?: number | undefined;
  /** Milliseconds before anything is sent. */
  readonly delayMs?: number | undefined;
  readonly breakOff?: BreakOff | undefined;
}

/**
 * One entry of a script: a reply's text, an answer, or a function that makes one of the request.
 */
export type ScriptEntry =
  | string
  | ScriptedAnswer
  | ((request: ProviderRequest) => string | ScriptedAnswer | Promise<string | ScriptedAnswer>);
