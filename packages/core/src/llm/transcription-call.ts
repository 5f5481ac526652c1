import { classifyError } from "./classify.ts";
import type { TranscriptionRequest } from "./client.ts";
import { checkTemperature, describeCandidate } from "./endpoint-settings.ts";
import { LLMClientError } from "./errors.ts";
import { callWithRetries, checkRetrySettings, OwnFailure, type RetrySettings } from "./retry.ts";
import type { TranscriptionEndpoint, TranscriptionEndpointLike } from "./transcription-endpoint.ts";
import { throwIfGivenUp, type WaitLimits } from "./wait.ts";

/** What {@link callTranscriptionApi} needs. */
export interface TranscriptionCall extends RetrySettings, Pick<WaitLimits, "signal" | "timeoutMs" | "clock"> {
  readonly endpoint: TranscriptionEndpointLike;
  readonly audio: Uint8Array;
  /** Tells the service the format where the content type does not. */
  readonly filename: string;
  /** The audio's media type, such as `audio/ogg`. */
  readonly contentType: string;
  /** Wins over the endpoint's. */
  readonly language?: string | undefined;
  /** Wins over the endpoint's. */
  readonly temperature?: number | undefined;
  /** Wins over the endpoint's. */
  readonly prompt?: string | undefined;
}

/**
 * Turns speech to text. Retries, time limits and errors are those of {@link callLlmApi}.
 *
 * @returns The text, without blanks around it.
 * @throws {@link LLMClientError} (`core/llm-client`) when the call cannot be made; the provider's failure as one of the
 * other `core/llm-` errors; `signal.reason` when the signal fired.
 */
export async function callTranscriptionApi(call: TranscriptionCall): Promise<string> {
  const { endpoint, audio, filename, contentType } = call;
  const kind: unknown = Reflect.get(Object(endpoint), "type");
  if (kind !== "transcription" && kind !== "mock-transcription") {
    throw new LLMClientError(
      `A transcription needs its own kind of endpoint, and this is ${describeCandidate(endpoint)}`,
    );
  }
  if (!(audio instanceof Uint8Array) || audio.length === 0) {
    throw new LLMClientError("A transcription needs `audio`, at least one byte");
  }
  checkRetrySettings(call);
  const language = call.language ?? endpoint.language ?? undefined;
  const prompt = call.prompt ?? endpoint.prompt ?? undefined;
  const request = {
    audio,
    filename,
    contentType,
    temperature: checkTemperature(call.temperature ?? endpoint.temperature),
    ...(language === undefined ? undefined : { language }),
    ...(prompt === undefined ? undefined : { prompt }),
  };
  throwIfGivenUp(call);
  if (endpoint.type === "transcription") return (await transcribe(endpoint, request, call)).trim();
  const answer = endpoint.answer(request);
  throwIfGivenUp(call);
  if (typeof answer !== "string") throw classifyError(answer);
  return answer.trim();
}

async function transcribe(
  endpoint: TranscriptionEndpoint,
  request: Omit<TranscriptionRequest, "model">,
  settings: RetrySettings & WaitLimits,
): Promise<string> {
  return await callWithRetries(
    {
      declared: endpoint,
      attempt: async (signal) => {
        const client = await endpoint.client.get().catch((error: unknown) => {
          throw new OwnFailure(error);
        });
        if (signal.aborted) throw new OwnFailure(signal.reason);
        const { text } = await client.transcribe({ ...request, model: endpoint.modelName }, { signal });
        return typeof text === "string" ? text : "";
      },
    },
    settings,
  );
}
