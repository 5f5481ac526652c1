import { CoreError } from "../errors.ts";
import type { Message } from "../values/message.ts";
import type { ModelOffer } from "./call.ts";
import type { ModelTool, ModelToolCall, TokenUsage } from "./client.ts";
import type { ModelRequest, Protocol } from "./endpoint.ts";
import { LLMUnknownProviderError } from "./errors.ts";
import { checkPrices, type Prices } from "./prices.ts";

/** What a scripted endpoint was asked. */
export interface MockRequest {
  /** The conversation as the model saw it; made when it is read, so that a long run can be recorded. */
  readonly messages: readonly Message[];
  /** The names of the tools that were offered; empty when none were. */
  readonly toolNames: readonly string[];
  /** The tools as the provider's native protocol offers them; null with the JSON protocol, and when none were offered. */
  readonly nativeTools: readonly ModelTool[] | null;
  readonly outputFormat: "text" | "json";
  readonly protocol: Protocol;
}

/** An answer of a script with more than its content. */
export class MockReply {
  /** Text as it stands, or an object that is sent as JSON. */
  readonly content: string | object;
  readonly usage: TokenUsage;
  /** Native tool calls beside the content. */
  readonly toolCalls: readonly ModelToolCall[];

  constructor(
    content: string | object,
    { toolCalls = [], ...usage }: TokenUsage & { readonly toolCalls?: readonly ModelToolCall[] } = {},
  ) {
    this.content = content;
    this.usage = usage;
    this.toolCalls = toolCalls;
  }
}

/** A provider's failure in a script; it is classified like a real one, and never retried. */
export class MockProviderError extends Error {
  readonly statusCode: number | undefined;

  constructor(message: string, { statusCode }: { readonly statusCode?: number } = {}) {
    super(message);
    this.name = "MockProviderError";
    this.statusCode = statusCode;
  }
}

/** One answer: text as it stands, an object that is sent as JSON, or a failure. */
export type MockAnswer = string | object;
/** One entry of a script: an answer, or a function that makes one from the request. What it throws is passed on as it is. */
export type MockEntry = MockAnswer | ((request: MockRequest) => MockAnswer | Promise<MockAnswer>);

/** How a scripted endpoint presents itself. */
export interface MockEndpointOptions {
  /** Default `"mock"`. */
  readonly apiName?: string | undefined;
  /** Default `"mock"`. */
  readonly modelName?: string | undefined;
  /** Default 128 000. */
  readonly maxContextTokens?: number | undefined;
  /** Default `"json"`. With `"tools"`, an object with an `action` is given as a native tool call, a list of them as several. */
  readonly protocol?: Protocol | undefined;
  /** Makes scripted token usage cost something. */
  readonly prices?: Prices | undefined;
}

/** A script was not used up, or is no script. */
export class MockScriptError extends CoreError {
  readonly code = "core/mock-script";
}

/**
 * An endpoint that answers from a script, without a key and without a network, and keeps what it was asked.
 *
 * @param script - Answers in the order in which they are given, also when several runs share the endpoint; or one
 * function that answers every request. A call too many fails with {@link LLMUnknownProviderError}.
 */
export class MockLLMEndpoint {
  readonly type = "mock";
  readonly apiName: string;
  readonly modelName: string;
  readonly maxContextTokens: number;
  readonly protocol: Protocol;
  readonly outputFormat: "text" | "json" = "text";
  readonly acceptsImages = true;
  readonly temperature = undefined;
  readonly prices: Prices | undefined;
  /** None: a script is never away. */
  readonly externalDependencies = (): readonly [] => [];
  /** Every request, in order. */
  readonly requests: readonly MockRequest[];
  /**
   * Takes the next answer and records the request.
   *
   * @internal
   */
  readonly answer: (request: ModelRequest, offer: ModelOffer | undefined) => MockAnswer | Promise<MockAnswer>;
  /**
   * Checks that every answer was given.
   *
   * @throws {@link MockScriptError} (`core/mock-script`) when some were not. A function is always used up.
   */
  readonly assertUsedUp: () => void;

  constructor(
    script: readonly MockEntry[] | ((request: MockRequest) => MockAnswer | Promise<MockAnswer>),
    options: MockEndpointOptions = {},
  ) {
    if (typeof script !== "function" && !isList(script)) {
      throw new MockScriptError("A script is a list of answers, or a function that makes them");
    }
    const entries: readonly MockEntry[] | undefined = typeof script === "function" ? undefined : [...script];
    const everyTime = typeof script === "function" ? script : undefined;
    this.apiName = options.apiName ?? "mock";
    this.modelName = options.modelName ?? "mock";
    this.maxContextTokens = options.maxContextTokens ?? 128_000;
    this.protocol = options.protocol ?? "json";
    this.prices = checkPrices(options.prices);
    const requests: MockRequest[] = [];
    this.requests = requests;
    let given = 0;
    this.answer = (request, offer) => {
      const recorded = new RecordedRequest(request, offer, this);
      requests.push(recorded);
      const position = given;
      given += 1;
      const entry = everyTime ?? entries?.[position];
      if (entry === undefined) {
        throw new LLMUnknownProviderError({
          message: `The script has ${count(entries)}, and this was call ${position + 1}`,
        });
      }
      return isMaker(entry) ? answerOf(entry, recorded, request.messages) : entry;
    };
    this.assertUsedUp = () => {
      if (entries === undefined || given >= entries.length) return;
      throw new MockScriptError(`The script has ${count(entries)}, of which ${given} were asked for`);
    };
  }
}

function isList(given: unknown): boolean {
  return Array.isArray(given);
}

function count(entries: readonly MockEntry[] | undefined): string {
  return entries?.length === 1 ? "1 answer" : `${entries?.length ?? 0} answers`;
}

const noNames: readonly string[] = Object.freeze([]);

type Maker = (request: MockRequest) => MockAnswer | Promise<MockAnswer>;

/** Lets a function read the messages of the call under way without having them made again. */
function answerOf(
  make: Maker,
  recorded: RecordedRequest,
  messages: readonly Message[],
): MockAnswer | Promise<MockAnswer> {
  recorded.live = messages;
  try {
    return make(recorded);
  } finally {
    recorded.live = undefined;
  }
}

/** Keeps the way to the messages, not the messages: a copy of each request would make a long run quadratic. */
class RecordedRequest implements MockRequest {
  readonly toolNames: readonly string[];
  readonly outputFormat: "text" | "json";
  readonly protocol: Protocol;
  /** The messages as they are during the call. */
  live: readonly Message[] | undefined;
  readonly #recall: () => readonly Message[];
  readonly #offer: ModelOffer | undefined;

  constructor(
    request: ModelRequest,
    offer: ModelOffer | undefined,
    { outputFormat, protocol }: MockLLMEndpoint,
  ) {
    this.#recall = request.recall;
    this.#offer = offer;
    this.toolNames = offer?.names ?? noNames;
    this.outputFormat = outputFormat;
    this.protocol = protocol;
  }

  get messages(): readonly Message[] {
    return this.live ?? this.#recall();
  }

  get nativeTools(): readonly ModelTool[] | null {
    return this.protocol === "tools" ? (this.#offer?.nativeTools ?? null) : null;
  }
}

function isMaker(entry: MockEntry): entry is Maker {
  return typeof entry === "function";
}
