import type { Message } from "../values/message.ts";
import type { ChatRequest, ModelMessage, ModelTool } from "./client.ts";
import type { LLMEndpoint } from "./endpoint.ts";
import { LLMClientError } from "./errors.ts";
import { nativeMessages } from "./native-messages.ts";

/** What is sent of the messages: the records that it returns, and of them only what a client knows. */
export type Scrubber = (messages: readonly ModelMessage[]) => readonly ModelMessage[];

/**
 * What an endpoint is sent for a conversation.
 *
 * @throws {@link LLMClientError} (`core/llm-client`) for images that the model or the message's role cannot have.
 */
export function chatRequest(
  endpoint: LLMEndpoint,
  messages: readonly Message[],
  tools: readonly ModelTool[] | undefined,
  scrubber: Scrubber | undefined,
): ChatRequest {
  const mapped = messages.map(endpoint.messageMapper);
  const hasTools = tools !== undefined && tools.length > 0;
  // Providers refuse native calls in a request that offers no tools.
  const shaped = hasTools ? nativeMessages(mapped) : mapped;
  const sent = (scrubber === undefined ? shaped : scrubber(shaped)).map((message) =>
    sentMessage(message, endpoint),
  );
  return {
    model: endpoint.modelName,
    messages: sent,
    temperature: endpoint.temperature,
    outputFormat: endpoint.outputFormat,
    ...(hasTools ? { tools } : undefined),
    ...(endpoint.extraBody === undefined || Object.keys(endpoint.extraBody).length === 0
      ? undefined
      : { extraBody: endpoint.extraBody }),
  };
}

function sentMessage(
  { role, content, images = [], toolCalls, toolCallId }: ModelMessage,
  { acceptsImages, modelName }: LLMEndpoint,
): ModelMessage {
  if (images.length > 0 && !acceptsImages) {
    throw new LLMClientError(
      `A message has an image, and \`${modelName}\` is not described as taking any; set \`acceptsImages\`, or ask another model`,
    );
  }
  if (images.length > 0 && role !== "user") {
    throw new LLMClientError(`A message of the role \`${role}\` has an image; only the user's may`);
  }
  return {
    role,
    content,
    ...(images.length === 0 ? undefined : { images }),
    ...(toolCalls === undefined || toolCalls.length === 0 ? undefined : { toolCalls }),
    ...(toolCallId === undefined ? undefined : { toolCallId }),
  };
}
