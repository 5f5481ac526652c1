import type { ChatChunk, ChatClient, ChatReply, ChatRequest } from "@roboz/core";
import { onTestFinished } from "vitest";

import {
  scriptedProvider,
  type ScriptedProvider,
  type ScriptedProviderOptions,
  type ScriptEntry,
} from "../../testing/index.ts";
import { openAiClient, type OpenAIClient, type OpenAIClientSettings } from "../client.ts";

/** A key that must never appear in an error. */
export const testKey = "sk-test-4f9c1e27";

/** Starts a provider that is closed with the test, and a client of it. */
export async function clientOf(
  script: readonly ScriptEntry[],
  {
    provider: providerOptions,
    ...settings
  }: Partial<OpenAIClientSettings> & { readonly provider?: ScriptedProviderOptions } = {},
): Promise<{ readonly client: OpenAIClient; readonly provider: ScriptedProvider }> {
  const provider = await scriptedProvider(script, providerOptions);
  onTestFinished(() => provider.close());
  const client = openAiClient({ baseUrl: provider.baseUrl, apiKey: testKey, ...settings });
  return { client, provider };
}

/** A request for a chat completion. */
export function chatRequest(changes: Partial<ChatRequest> = {}): ChatRequest {
  return {
    model: "scripted-model",
    messages: [{ role: "user", content: "Hello?" }],
    temperature: 0.7,
    outputFormat: "text",
    ...changes,
  };
}

/** A signal that never fires. */
export const noSignal = new AbortController().signal;

/** Asks for a whole reply. */
export function ask(client: ChatClient, request = chatRequest(), signal = noSignal): Promise<ChatReply> {
  return client.complete(request, { signal });
}

/** Asks for a stream and collects it. */
export async function askInPieces(
  client: ChatClient,
  request = chatRequest(),
  signal = noSignal,
): Promise<readonly ChatChunk[]> {
  const chunks: ChatChunk[] = [];
  for await (const chunk of client.stream(request, { signal, includeUsage: true })) chunks.push(chunk);
  return chunks;
}

/** What a stream said, put together as a reader would. */
export function joined(chunks: readonly ChatChunk[]): ChatReply {
  const calls = new Map<number, { id: string; name: string; arguments: string }>();
  for (const { index, id, name, arguments: text } of chunks.flatMap(({ toolCalls = [] }) => toolCalls)) {
    const call = calls.get(index) ?? { id: "", name: "", arguments: "" };
    calls.set(index, {
      id: id ?? call.id,
      name: name ?? call.name,
      arguments: call.arguments + (text ?? ""),
    });
  }
  const last = <Fact>(facts: readonly (Fact | undefined)[]): Fact | undefined =>
    facts.findLast((fact) => fact !== undefined);
  return {
    text: chunks.map(({ text }) => text ?? "").join(""),
    toolCalls: [...calls.values()],
    reasoning: chunks.map(({ reasoning }) => reasoning ?? "").join(""),
    usage: last(chunks.map(({ usage }) => usage)),
    finishReason: last(chunks.map(({ finishReason }) => finishReason)),
    generationId: last(chunks.map(({ generationId }) => generationId)),
    requestId: last(chunks.map(({ requestId }) => requestId)),
  };
}
