import type { Image } from "../values/image.ts";

/** A tool call as a provider's native protocol has it. */
export interface ModelToolCall {
  /** Ties the call to its result. */
  readonly id: string;
  readonly name: string;
  /** The arguments as JSON text. */
  readonly arguments: string;
}

/** A message as a client sends it. */
export interface ModelMessage {
  /** `tool` is the result of a native tool call, and only used with native tools. */
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string;
  /** Only with role `user`. */
  readonly images?: readonly Image[] | undefined;
  /** Only with role `assistant`. */
  readonly toolCalls?: readonly ModelToolCall[] | undefined;
  /** Only with role `tool`: the call that this is the result of. */
  readonly toolCallId?: string | undefined;
}

/** A JSON schema, as a plain object. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A tool as a provider's native protocol offers it to the model. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** The schema of the arguments: an object. */
  readonly parameters: JsonSchema;
}

/** What one attempt sends to a provider. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly ModelMessage[];
  readonly temperature: number;
  /** `"json"` asks the provider to give JSON only; `"text"` does not. */
  readonly outputFormat: "text" | "json";
  /** Native tools; left out when there are none. The model is asked to call at least one. */
  readonly tools?: readonly ModelTool[] | undefined;
  /** Goes to the top level of the request body; never one of the fields above. */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
}

/** What rides along with a request and is not sent. */
export interface ClientCallOptions {
  /** Fires when nobody waits for the answer any more; the client may then close the connection. */
  readonly signal: AbortSignal;
}

/** What a streamed call is told beside. */
export interface StreamOptions extends ClientCallOptions {
  /** Whether to ask for token usage in the stream; a provider that refuses this is asked again without. */
  readonly includeUsage: boolean;
}

/** Billed tokens; unknown parts are left out. */
export interface TokenUsage {
  readonly tokenInput?: number | undefined;
  readonly tokenOutput?: number | undefined;
  /** The part of the input that was read from the provider's cache. */
  readonly tokenCached?: number | undefined;
  /** The part of the output that was reasoning. */
  readonly tokenReasoning?: number | undefined;
}

/** What a provider says of a reply beside its content; unknown parts are left out. */
export interface ReplyFacts {
  readonly usage?: TokenUsage | undefined;
  /** The provider's word for why it stopped, such as `stop`, `length` or `tool_calls`. */
  readonly finishReason?: string | undefined;
  /** The provider's identifier of the reply. */
  readonly generationId?: string | undefined;
  readonly requestId?: string | undefined;
}

/** A whole reply. */
export interface ChatReply extends ReplyFacts {
  /** Anything but a string counts as the empty string. */
  readonly text?: string | null | undefined;
  readonly toolCalls?: readonly ModelToolCall[] | undefined;
  /** The reasoning text, which is counted and then forgotten. */
  readonly reasoning?: string | undefined;
}

/** A part of a native tool call in a stream. Parts with the same index make one call; their arguments are joined. */
export interface ToolCallPart {
  readonly index: number;
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly arguments?: string | undefined;
}

/** A piece of a streamed reply. Of the facts, the last one that was given counts. */
export interface ChatChunk extends ReplyFacts {
  readonly text?: string | null | undefined;
  /** The piece's reasoning text, in one representation only; counted and then forgotten. */
  readonly reasoning?: string | undefined;
  readonly toolCalls?: readonly ToolCallPart[] | undefined;
}

/**
 * What an endpoint needs of a provider. Failures are thrown as they come: an HTTP status is read from `status` or
 * `statusCode`, response headers from `headers`, the provider's words from `code`, `type` and `message`, the transport's
 * failure from the chain of `cause`. The client does not retry by itself.
 */
export interface ChatClient {
  readonly complete: (request: ChatRequest, options: ClientCallOptions) => Promise<ChatReply>;
  /** Streams a reply. Whoever reads the stream closes it, also when it stops early. */
  readonly stream: (request: ChatRequest, options: StreamOptions) => AsyncIterable<ChatChunk>;
  /** The identifiers of the models that the service offers; the request creates nothing and costs nothing. */
  readonly listModels: (options: ClientCallOptions) => Promise<readonly string[]>;
  /** Ends what the client holds open; may be called twice. */
  readonly close: () => void | Promise<void>;
}

/** What a transcription sends. */
export interface TranscriptionRequest {
  readonly model: string;
  readonly audio: Uint8Array;
  readonly filename: string;
  /** The audio's media type, such as `audio/ogg`. */
  readonly contentType: string;
  readonly temperature: number;
  readonly language?: string | undefined;
  readonly prompt?: string | undefined;
}

/** What a transcription endpoint needs of a provider; see {@link ChatClient} for failures. */
export interface TranscriptionClient {
  readonly transcribe: (
    request: TranscriptionRequest,
    options: ClientCallOptions,
  ) => Promise<{ readonly text: string; readonly requestId?: string | undefined }>;
  readonly listModels: (options: ClientCallOptions) => Promise<readonly string[]>;
  readonly close: () => void | Promise<void>;
}

/**
 * A client, or a function that makes it. The function is called when the client is first used, so that an endpoint can
 * be described without a credential and without loading a provider's package. A failed build is tried again at the
 * next use; concurrent uses share one build.
 */
export type ClientSource<Client extends object> = Client | (() => Client | Promise<Client>);
