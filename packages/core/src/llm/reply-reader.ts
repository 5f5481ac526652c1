import { CallText } from "./call-text.ts";
import type {
  ChatChunk,
  ChatClient,
  ChatReply,
  ChatRequest,
  ModelToolCall,
  ReplyFacts,
  TokenUsage,
  ToolCallPart,
} from "./client.ts";
import { OwnFailure } from "./retry.ts";

/** A whole reply, and what is counted of it. The text of the reasoning is not kept. */
export interface ReadReply {
  readonly text: string;
  readonly toolCalls: readonly ModelToolCall[];
  readonly usage: TokenUsage;
  readonly finishReason: string | undefined;
  readonly generationId: string | undefined;
  readonly requestId: string | undefined;
  readonly reasoningChars: number;
  readonly reasoningChunks: number;
  /** Pieces that came, also those without text; 0 when the reply was not streamed. */
  readonly streamChunks: number;
}

/** Reads a reply that came as a whole. */
export function readWhole(reply: ChatReply): ReadReply {
  const text = textOf(reply.text);
  const reasoning = textOf(reply.reasoning);
  return {
    text,
    toolCalls: reply.toolCalls ?? [],
    usage: reply.usage ?? {},
    finishReason: reply.finishReason,
    generationId: reply.generationId,
    requestId: reply.requestId,
    reasoningChars: reasoning.length,
    reasoningChunks: reasoning === "" ? 0 : 1,
    streamChunks: 0,
  };
}

/** How a stream is read. */
export interface StreamReading {
  readonly signal: AbortSignal;
  /** Gets each piece of text that is not empty, and of native calls as text, until the signal fires. */
  readonly onDelta: (text: string) => void;
  /** Told when the stream could not be closed. */
  readonly onCloseFailure: (error: unknown) => void;
}

/**
 * Reads a stream to its end and closes it. Usage is asked for; a provider that refuses to be asked is called again
 * without.
 */
export async function readStream(
  client: ChatClient,
  request: ChatRequest,
  reading: StreamReading,
): Promise<ReadReply> {
  const reader = new StreamReader(reading);
  try {
    await reader.read(client.stream(request, { signal: reading.signal, includeUsage: true }));
  } catch (error) {
    if (reader.chunks > 0 || !refusesUsage(error)) throw error;
    await reader.read(client.stream(request, { signal: reading.signal, includeUsage: false }));
  }
  return reader.finish();
}

/** Whether a failure is about the option that asks for usage. */
function refusesUsage(error: unknown): boolean {
  const message: unknown = error instanceof Error ? error.message : error;
  return typeof message === "string" && /stream_options|include_usage/i.test(message);
}

class StreamReader {
  chunks = 0;
  readonly #reading: StreamReading;
  readonly #text: string[] = [];
  readonly #callText = new CallText();
  readonly #calls = new Map<number, { id: string; name: string; arguments: string[] }>();
  readonly #facts: { -readonly [Fact in keyof ReplyFacts]: ReplyFacts[Fact] } = {};
  #reasoningChars = 0;
  #reasoningChunks = 0;

  constructor(reading: StreamReading) {
    this.#reading = reading;
  }

  async read(stream: AsyncIterable<ChatChunk>): Promise<void> {
    const iterator = stream[Symbol.asyncIterator]();
    let isOver = false;
    try {
      for (;;) {
        const next = await iterator.next();
        if (next.done === true) {
          isOver = true;
          this.#deliver(this.#callText.end());
          return;
        }
        if (this.#reading.signal.aborted) return;
        this.#take(next.value);
      }
    } finally {
      if (!isOver) await this.#close(iterator);
    }
  }

  finish(): ReadReply {
    const { usage = {}, finishReason, generationId, requestId } = this.#facts;
    const calls = [...this.#calls].sort(([one], [other]) => one - other);
    return {
      text: this.#text.join(""),
      toolCalls: calls.map(([, call]) => ({ ...call, arguments: call.arguments.join("") })),
      usage,
      finishReason,
      generationId,
      requestId,
      reasoningChars: this.#reasoningChars,
      reasoningChunks: this.#reasoningChunks,
      streamChunks: this.chunks,
    };
  }

  async #close(iterator: AsyncIterator<ChatChunk>): Promise<void> {
    try {
      await iterator.return?.();
    } catch (error) {
      this.#reading.onCloseFailure(error);
    }
  }

  #take(chunk: ChatChunk): void {
    this.chunks += 1;
    for (const fact of ["usage", "finishReason", "generationId", "requestId"] as const) {
      if (chunk[fact] !== undefined) Object.assign(this.#facts, { [fact]: chunk[fact] });
    }
    const reasoning = textOf(chunk.reasoning);
    if (reasoning !== "") {
      this.#reasoningChars += reasoning.length;
      this.#reasoningChunks += 1;
    }
    const text = textOf(chunk.text);
    if (text !== "") this.#text.push(text);
    this.#deliver(text);
    for (const part of chunk.toolCalls ?? []) {
      this.#takeCall(part);
      this.#deliver(this.#callText.take(part));
    }
  }

  #deliver(text: string): void {
    if (text === "") return;
    try {
      this.#reading.onDelta(text);
    } catch (error) {
      throw new OwnFailure(error);
    }
  }

  #takeCall({ index, id, name, arguments: text }: ToolCallPart): void {
    let call = this.#calls.get(index);
    if (call === undefined) this.#calls.set(index, (call = { id: "", name: "", arguments: [] }));
    if (id !== undefined && id !== "") call.id = id;
    // Some providers repeat the name in every part.
    if (name !== undefined && name !== "") call.name = name;
    if (text !== undefined) call.arguments.push(text);
  }
}

function textOf(given: unknown): string {
  return typeof given === "string" ? given : "";
}
