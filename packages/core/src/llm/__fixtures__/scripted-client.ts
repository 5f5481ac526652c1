import type {
  ChatChunk,
  ChatClient,
  ChatReply,
  ChatRequest,
  ClientCallOptions,
  StreamOptions,
} from "../client.ts";

/** What a client does at one attempt: a reply, pieces of one, a failure, or anything at all. */
export type Act =
  | ChatReply
  | Error
  | readonly (ChatChunk | Error)[]
  | ((request: ChatRequest, options: ClientCallOptions) => Promise<ChatReply>);

/** One attempt as the client saw it. */
export interface Seen {
  readonly request: ChatRequest;
  readonly signal: AbortSignal;
  /** Undefined when the reply was not to be streamed. */
  readonly includeUsage: boolean | undefined;
}

/** A provider's client that plays its part, act by act. */
export class ScriptedClient implements ChatClient {
  readonly seen: Seen[] = [];
  closed = 0;
  streamsClosed = 0;
  closeFailure: Error | undefined;
  readonly #acts: Act[];

  constructor(acts: readonly Act[]) {
    this.#acts = [...acts];
  }

  readonly complete = async (request: ChatRequest, options: ClientCallOptions): Promise<ChatReply> => {
    this.seen.push({ request, signal: options.signal, includeUsage: undefined });
    const act = this.#next();
    if (act instanceof Error) throw act;
    if (typeof act === "function") return await act(request, options);
    if (isPieces(act)) throw new Error("this act is a stream");
    return act;
  };

  readonly stream = (request: ChatRequest, options: StreamOptions): AsyncIterable<ChatChunk> => {
    this.seen.push({ request, signal: options.signal, includeUsage: options.includeUsage });
    const act = this.#next();
    if (act instanceof Error) throw act;
    if (!isPieces(act)) throw new Error("this act is no stream");
    return this.#play(act);
  };

  readonly listModels = (): Promise<readonly string[]> => Promise.resolve(["m"]);

  readonly close = (): void => {
    this.closed += 1;
  };

  async *#play(pieces: readonly (ChatChunk | Error)[]): AsyncIterable<ChatChunk> {
    try {
      for (const piece of pieces) {
        await Promise.resolve();
        if (piece instanceof Error) throw piece;
        yield piece;
      }
    } finally {
      this.streamsClosed += 1;
      // eslint-disable-next-line no-unsafe-finally -- a stream whose close fails is what this plays
      if (this.closeFailure !== undefined) throw this.closeFailure;
    }
  }

  #next(): Act {
    const act = this.#acts.shift();
    if (act === undefined) throw new Error("the client was asked once too often");
    return act;
  }
}

function isPieces(act: Act): act is readonly (ChatChunk | Error)[] {
  return Array.isArray(act);
}

/** A failure with what a provider's client tells of it. */
export function failure(message: string, facts: Readonly<Record<string, unknown>> = {}): Error {
  return Object.assign(new Error(message), facts);
}
