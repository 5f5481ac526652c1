import { LLMEndpoint, TranscriptionEndpoint } from "@roboz/core";

import type {
  ChatEndpointSettings,
  EndpointAdapter,
  ServiceConfiguration,
  TranscriptionEndpointSettings,
} from "../endpoint-adapter.ts";

type Described =
  | ({ readonly kind: "llm" } & ChatEndpointSettings)
  | ({ readonly kind: "transcription" } & TranscriptionEndpointSettings);

interface RecordingAdapter extends EndpointAdapter {
  /** What was described, also by adapters that were configured from this one. */
  readonly described: readonly Described[];
  readonly configurations: readonly ServiceConfiguration[];
  /** Makes each description fail, as wrong settings would. */
  readonly refuseWith: (problem: Error | undefined) => void;
}

/** Made for these tests: an adapter that says what it was asked for. */
export function recordingAdapter(): RecordingAdapter {
  const described: Described[] = [];
  const configurations: ServiceConfiguration[] = [];
  let refusal: Error | undefined;
  const record = (description: Described) => {
    if (refusal !== undefined) throw refusal;
    described.push(description);
  };
  const adapter: RecordingAdapter = {
    apiName: "example",
    described,
    configurations,
    refuseWith: (problem) => (refusal = problem),
    chatEndpoint: (settings) => {
      record({ kind: "llm", ...settings });
      const { model: modelName, maxContextTokens, stream } = settings;
      return new LLMEndpoint({
        client: refusedClient,
        apiName: "example",
        modelName,
        maxContextTokens,
        stream,
      });
    },
    transcriptionEndpoint: (settings) => {
      record({ kind: "transcription", ...settings });
      return new TranscriptionEndpoint({
        client: refusedClient,
        apiName: "example",
        modelName: settings.model,
      });
    },
    configured: (configuration) => {
      configurations.push(configuration);
      return adapter;
    },
  };
  return adapter;
}

function refusedClient(): never {
  throw new Error("these tests use no client");
}
