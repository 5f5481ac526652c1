import type { ServerResponse } from "node:http";

import { completionBody, completionEvents } from "./chat-wire.ts";
import type { ProviderRequest } from "./provider-request.ts";
import type { ScriptedAnswer } from "./scripted-answer.ts";

/** An answer as it goes over the wire. */
interface WireAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly pieces: readonly string[];
}

/**
 * Sends an answer, as far as its script says.
 *
 * @param number - Counts the answers from 1; identifiers are made of it.
 * @param pause - Waits some milliseconds, or until the provider is closed; says whether to go on.
 */
export async function deliver(
  answer: ScriptedAnswer,
  request: ProviderRequest,
  response: ServerResponse,
  { number, pause }: { readonly number: number; readonly pause: (ms: number) => Promise<boolean> },
): Promise<void> {
  const { breakOff, bytesPerWrite, delayMs, headers = {} } = answer;
  if (delayMs !== undefined && !(await pause(delayMs))) return;
  if (response.destroyed) return;
  const { status, contentType, pieces } = wireAnswer(answer, request, number);
  const sent = breakOff === undefined ? pieces : pieces.slice(0, breakOff.afterPieces ?? 0);
  if (breakOff === undefined || sent.length > 0 || breakOff.how === "end") {
    response.writeHead(status, { "content-type": contentType, "x-request-id": `req_${number}`, ...headers });
    response.flushHeaders();
    for (const piece of sent) write(response, piece, bytesPerWrite);
  }
  switch (breakOff?.how) {
    case undefined:
    case "end":
      response.end();
      return;
    case "cut":
      // What was written must arrive first.
      response.write("", () => response.socket?.destroySoon());
      return;
    case "reset":
      if (sent.length === 0) response.socket?.resetAndDestroy();
      else response.write(" ", () => response.socket?.resetAndDestroy());
      return;
    case "silence":
  }
}

function wireAnswer(answer: ScriptedAnswer, request: ProviderRequest, number: number): WireAnswer {
  const { body, error, keepAlive = false, status = 200, text } = answer;
  const isTranscription = request.path === "/audio/transcriptions";
  const wantsStream = request.body["stream"] === true;
  if (typeof body === "string")
    return { status, contentType: "text/html; charset=utf-8", pieces: halves(body) };
  if (body !== undefined) return json(status, body);
  if (error !== undefined && (status !== 200 || !wantsStream)) return json(status, { error });
  if (isTranscription) return json(status, { text: text ?? "" });
  if (!wantsStream) return json(status, completionBody(answer, request, number));
  const comment = keepAlive ? ": keep-alive\n\n" : "";
  const events = completionEvents(answer, request, number).map((event) => JSON.stringify(event));
  return {
    status,
    contentType: "text/event-stream; charset=utf-8",
    pieces: [...events, "[DONE]"].map((data) => `${comment}data: ${data}\n\n`),
  };
}

function json(status: number, body: object): WireAnswer {
  return { status, contentType: "application/json", pieces: halves(JSON.stringify(body)) };
}

function halves(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}

function write(response: ServerResponse, text: string, bytesPerWrite: number | undefined): void {
  const bytes = Buffer.from(text);
  const size = bytesPerWrite ?? Math.max(bytes.length, 1);
  for (let start = 0; start < bytes.length; start += size)
    response.write(bytes.subarray(start, start + size));
}
