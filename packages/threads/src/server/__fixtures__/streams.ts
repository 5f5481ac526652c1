import { LLMEndpoint, type ChatChunk } from "@roboz/core";

import { parseJson } from "../../wire/json.ts";
import { threadDeltaSchema, type AgentThreadDelta } from "../../wire/thread.ts";

/** A model whose reply comes in pieces, each when it is let through. */
export interface GatedModel {
  readonly endpoint: LLMEndpoint;
  readonly pass: () => void;
  readonly isAborted: () => boolean;
}

/** A model whose replies come in the pieces that it is given. */
export function streamingModel(
  pieces: (signal: AbortSignal | undefined) => AsyncIterable<string>,
): LLMEndpoint {
  return new LLMEndpoint({
    apiName: "test",
    modelName: "m",
    maxContextTokens: 100_000,
    client: {
      complete: () => Promise.reject(new Error("streams only")),
      stream: async function* (_request, { signal }) {
        for await (const text of pieces(signal)) {
          const chunk: ChatChunk = { text };
          yield chunk;
        }
      },
      listModels: () => Promise.resolve(["m"]),
      close: () => undefined,
    },
  });
}

/** Makes one. */
export function gatedModel(reply: string, pieces: number): GatedModel {
  const waiting: (() => void)[] = [];
  let passes = 0;
  let signal: AbortSignal | undefined;
  const gate = async (): Promise<void> => {
    if (passes > 0) {
      passes -= 1;
      return;
    }
    await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const endpoint = streamingModel(async function* (given) {
    signal = given;
    const length = Math.ceil(reply.length / pieces);
    for (let at = 0; at < reply.length; at += length) {
      await gate();
      yield reply.slice(at, at + length);
    }
  });
  return {
    endpoint,
    pass: () => {
      const next = waiting.shift();
      if (next === undefined) passes += 1;
      else next();
    },
    isAborted: () => signal?.aborted === true,
  };
}

/** An event of a stream. */
export interface StreamEvent {
  readonly event: string;
  readonly id: string;
  readonly data: string;
}

/** Reads a stream, event by event. */
export async function* eventsOf(
  fetch: (request: Request) => Promise<Response>,
  path: string,
  { token = "", lastId }: { readonly token?: string | undefined; readonly lastId?: string | undefined },
): AsyncGenerator<StreamEvent, void> {
  const response = await fetch(
    new Request(`http://localhost${path}`, {
      headers: {
        authorization: `Bearer ${token}`,
        ...(lastId === undefined ? {} : { "last-event-id": lastId }),
      },
    }),
  );
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      text += value;
      for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
        const fields = new Map(
          text
            .slice(0, end)
            .split("\n")
            .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)] as const),
        );
        text = text.slice(end + 2);
        const event = fields.get("event");
        if (event !== undefined) yield { event, id: fields.get("id") ?? "", data: fields.get("data") ?? "" };
      }
    }
  } finally {
    await reader.cancel();
  }
}

const textIn = (delta: AgentThreadDelta): string =>
  Object.entries(delta.messages_by_idx)
    .flatMap(([index, { content }]) =>
      content.map((block) => (block.content_type === "text" ? `${index}:${block.text}` : block.content_type)),
    )
    .join("");
/** The text that deltas bring to message 1. */
export const joinedText = (deltas: readonly AgentThreadDelta[]): string =>
  deltas.map(textIn).join("").replaceAll("1:", "");
/** The delta of an event. */
export const deltaOf = ({ data }: StreamEvent): AgentThreadDelta => threadDeltaSchema.parse(parseJson(data));
