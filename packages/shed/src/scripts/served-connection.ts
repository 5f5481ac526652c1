import type { Socket } from "node:net";

import { firstCharacters } from "./characters.ts";
import { FrameSocket } from "./frame-socket.ts";
import {
  exchangeMs,
  longestDiagnostic,
  outputPieces,
  protocolVersion,
  requestFrame,
  type GreetingFrame,
} from "./frames.ts";
import type { ScriptHost } from "./outcome.ts";

/** What every connection to a service shares. */
export interface Served {
  readonly host: ScriptHost;
  readonly greeting: Omit<GreetingFrame, "kind" | "protocol">;
  /** Fires when the service ends. */
  readonly signal: AbortSignal;
}

/** The client went away, or sent more than one request. */
class ClientLeft extends Error {}

/** Serves one client: greets it, takes one request, answers it. Resolves when all that it caused is over; never rejects. */
export async function serveConnection(socket: Socket, served: Served): Promise<void> {
  const frames = new FrameSocket(socket);
  try {
    await serve(frames, served);
  } catch {
    // Whatever went wrong, this client is not answered any further, and is told so by the end of the connection.
  } finally {
    frames.close();
  }
}

async function serve(frames: FrameSocket, { host, greeting, signal }: Served): Promise<void> {
  const until = performance.now() + exchangeMs;
  await frames.send({ kind: "greeting", protocol: protocolVersion, ...greeting });
  const message = await frames.receive({ withinMs: until - performance.now(), signal });
  const { script } = requestFrame.parse(message);
  const left = new AbortController();
  frames.onAnythingMore(() => {
    left.abort(new ClientLeft());
  });
  const given = AbortSignal.any([signal, left.signal]);
  const { status, scripts, exitCode, diagnostic } = await host.call(script, {
    signal: given,
    onOutput: async (text) => {
      for (const output of outputPieces(text)) await frames.send({ kind: "output", output });
    },
  });
  given.throwIfAborted();
  for (const entry of scripts) await frames.send({ kind: "entry", ...entry });
  await frames.send({
    kind: "completion",
    status,
    exit_code: exitCode,
    diagnostic: firstCharacters(diagnostic, longestDiagnostic),
  });
}
