import { systemClock } from "../runtime/clock.ts";
import type { Message } from "../values/message.ts";
import type { CallSettings, ModelOffer, ModelReply } from "./call.ts";
import { CallObserver } from "./call-observer.ts";
import { chatRequest } from "./chat-request.ts";
import type { LLMEndpoint, ModelRequest } from "./endpoint.ts";
import { priced } from "./prices.ts";
import { readStream, readWhole, type ReadReply } from "./reply-reader.ts";
import { callWithRetries, checkRetrySettings, OwnFailure } from "./retry.ts";
import { throwIfGivenUp } from "./wait.ts";

/** Asks a model at its service: one call, up to `maxAttempts` attempts. */
export async function callProvider(
  endpoint: LLMEndpoint,
  request: ModelRequest,
  offer: ModelOffer | undefined,
  settings: CallSettings,
): Promise<ModelReply> {
  const { pipe, clock = systemClock, onDelta, startReplacementStream } = settings;
  checkRetrySettings(settings);
  throwIfGivenUp(settings);
  const tools = endpoint.protocol === "tools" ? offer?.nativeTools : undefined;
  const body = chatRequest(endpoint, request.messages, tools, settings.scrubber);
  const deliver = endpoint.stream ? onDelta : undefined;
  const observer =
    pipe?.isListening === true ? observe(endpoint, request.messages, settings, clock) : undefined;
  let hasDelivered = false;
  try {
    const reply = await callWithRetries(
      {
        declared: endpoint,
        attempt: async (signal) => {
          const client = await endpoint.client.get().catch((error: unknown) => {
            throw new OwnFailure(error);
          });
          if (signal.aborted) throw new OwnFailure(signal.reason);
          if (deliver === undefined) return readWhole(await client.complete(body, { signal }));
          return await readStream(client, body, {
            signal,
            onDelta: (text) => {
              hasDelivered = true;
              deliver(text);
            },
            onCloseFailure: (error) => observer?.closeFailed(error),
          });
        },
        mayRetry: () => !hasDelivered || startReplacementStream !== undefined,
        onRetry: async (retry) => {
          observer?.retrying({ ...retry, partialOutputAbandoned: hasDelivered });
          if (!hasDelivered) return;
          hasDelivered = false;
          await startReplacementStream?.();
        },
      },
      settings,
    );
    observer?.succeeded(replyFacts(reply));
    return modelReply(endpoint, reply);
  } catch (error) {
    observer?.failed(error, settings);
    throw error;
  }
}

function observe(
  endpoint: LLMEndpoint,
  messages: readonly Message[],
  { pipe, onDelta, timeoutMs }: CallSettings,
  clock: typeof systemClock,
): CallObserver | undefined {
  if (pipe === undefined) return undefined;
  return new CallObserver(pipe, clock, {
    endpoint: endpoint.apiName,
    model: endpoint.modelName,
    messages,
    outputFormat: endpoint.outputFormat,
    stream: onDelta !== undefined && endpoint.stream,
    timeoutMs,
  });
}

function modelReply(endpoint: LLMEndpoint, { text, toolCalls, usage }: ReadReply): ModelReply {
  return {
    text,
    toolCalls,
    telemetry: priced(
      {
        endpoint: endpoint.apiName,
        model: endpoint.modelName,
        tokenInput: usage.tokenInput,
        tokenOutput: usage.tokenOutput,
        tokenCached: usage.tokenCached,
      },
      endpoint.prices,
    ),
  };
}

/** What is told of a reply: numbers and identifiers. */
function replyFacts(reply: ReadReply): Readonly<Record<string, unknown>> {
  return {
    responseChars: reply.text.length,
    toolCalls: reply.toolCalls.length === 0 ? undefined : reply.toolCalls.length,
    ...reply.usage,
    ...(reply.reasoningChunks === 0
      ? undefined
      : { reasoningChars: reply.reasoningChars, reasoningChunks: reply.reasoningChunks }),
    streamChunks: reply.streamChunks === 0 ? undefined : reply.streamChunks,
    finishReason: reply.finishReason,
    providerGenerationId: reply.generationId,
    requestId: reply.requestId,
  };
}
