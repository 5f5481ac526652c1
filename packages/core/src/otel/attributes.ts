import type { Attributes } from "@opentelemetry/api";

import type { RunLifecycleEvent } from "../runtime/events.ts";

/**
 * Names of OpenTelemetry's semantic conventions for generative AI, version 1.41 (in development), in the documents
 * `gen-ai-spans` and `gen-ai-agent-spans`. What they have no name for begins with `roboz.`.
 */
export const names = {
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  agentName: "gen_ai.agent.name",
  agentDescription: "gen_ai.agent.description",
  conversation: "gen_ai.conversation.id",
  requestModel: "gen_ai.request.model",
  temperature: "gen_ai.request.temperature",
  outputType: "gen_ai.output.type",
  finishReasons: "gen_ai.response.finish_reasons",
  responseId: "gen_ai.response.id",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  cachedTokens: "gen_ai.usage.cache_read.input_tokens",
  toolName: "gen_ai.tool.name",
  toolType: "gen_ai.tool.type",
  toolArguments: "gen_ai.tool.call.arguments",
  toolResult: "gen_ai.tool.call.result",
  inputMessages: "gen_ai.input.messages",
  outputMessages: "gen_ai.output.messages",
  errorType: "error.type",
  httpStatus: "http.response.status_code",
  runStatus: "roboz.run.status",
  chosenBy: "roboz.tool.chosen_by",
  outcome: "roboz.outcome",
  linkParent: "roboz.link.parent",
  linkChild: "roboz.link.child",
  attempt: "roboz.retry.attempt",
  delayMs: "roboz.retry.delay_ms",
} as const;

/** What is known of a run when it starts. */
export function runAttributes(event: RunLifecycleEvent): Attributes {
  const { agentName, agentDescription, runId, apiName, modelName, temperature, outputFormat } = event;
  return {
    [names.operation]: "invoke_agent",
    [names.agentName]: agentName,
    [names.conversation]: runId,
    ...(agentDescription === "" ? {} : { [names.agentDescription]: agentDescription }),
    ...(apiName === undefined ? {} : { [names.provider]: apiName }),
    ...(modelName === undefined ? {} : { [names.requestModel]: modelName }),
    ...(temperature === undefined ? {} : { [names.temperature]: temperature }),
    ...(outputFormat === "json" || outputFormat === "text" ? { [names.outputType]: outputFormat } : {}),
  };
}

/** Facts of an event under the names of attributes; those that are not there, or not of their kind, are left out. */
export class Facts {
  readonly #data: Readonly<Record<string, unknown>>;

  constructor(data: Readonly<Record<string, unknown>>) {
    this.#data = data;
  }

  text(fact: string): string | undefined {
    const value = this.#data[fact];
    return typeof value === "string" ? value : undefined;
  }

  number(fact: string): number | undefined {
    const value = this.#data[fact];
    return typeof value === "number" && Number.isFinite(value) ? value : undefined;
  }

  /** These facts, by the attributes that they go to. */
  attributes(facts: Readonly<Record<string, string>>): Attributes {
    const found: Attributes = {};
    for (const [attribute, fact] of Object.entries(facts)) {
      const value = this.text(fact) ?? this.number(fact);
      if (value !== undefined) found[attribute] = value;
    }
    return found;
  }
}
