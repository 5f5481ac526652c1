import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { ThreadsClient, type ThreadsClientOptions } from "../client/http/threads-client.ts";
import { parseJson, stringifyJson } from "../wire/json.ts";
import { ManualClock } from "./manual-clock.ts";

/** A request as the server got it. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

/** What the server does with one request. */
export type Step = (response: ServerResponse, request: SeenRequest) => void | Promise<void>;

/** Answers with data in the envelope. */
export function answer(data: unknown, status = 200, headers: Record<string, string> = {}): Step {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(stringifyJson({ data }));
  };
}

/** Refuses with an error of the protocol. */
export function refuse(
  status: number,
  error_code: string,
  more: object = {},
  headers: Record<string, string> = {},
): Step {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(stringifyJson({ error: { error_code, message: `No: ${error_code}`, ...more } }));
  };
}

/** Answers with a text as it is. */
export function raw(status: number, body: string | Buffer, headers: Record<string, string> = {}): Step {
  return (response) => {
    response.writeHead(status, headers);
    response.end(body);
  };
}

/** Breaks the connection without an answer. */
export const breakOff: Step = (response) => {
  response.destroy();
};

/** Streams the pieces given, then ends well or breaks off. */
export function stream(pieces: readonly (string | Buffer)[], ending: "end" | "break" | "stay" = "end"): Step {
  return async (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const piece of pieces) {
      await new Promise<void>((resolve) => {
        response.write(piece, () => {
          setImmediate(resolve);
        });
      });
    }
    if (ending === "end") response.end();
    if (ending === "break") response.destroy();
  };
}

/** A server that does one step per request, in order, and keeps what it was asked. */
export class ScriptedServer {
  readonly requests: SeenRequest[] = [];
  /** What went wrong in the script. */
  readonly failures: string[] = [];
  /** Told of each request that arrived. */
  onRequest: (() => unknown) | undefined;
  readonly #steps: Step[];
  readonly #server = createServer((request, response) => {
    void this.#handle(request, response);
  });

  constructor(steps: readonly Step[]) {
    this.#steps = [...steps];
  }

  /** Adds steps to the end of the script. */
  add(...steps: readonly Step[]): void {
    this.#steps.push(...steps);
  }

  /** Puts a step before all others. */
  insert(step: Step): void {
    this.#steps.unshift(step);
  }

  /** How many steps have not been asked for. */
  get left(): number {
    return this.#steps.length;
  }

  /** Where it listens. */
  get port(): number {
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  listen(): Promise<string> {
    return new Promise((resolve) => {
      this.#server.listen(0, "127.0.0.1", () => {
        resolve(`http://127.0.0.1:${this.port}`);
      });
    });
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => {
        resolve();
      });
      this.#server.closeAllConnections();
    });
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://localhost");
    const content = await text(request);
    const seen: SeenRequest = {
      method: request.method ?? "",
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: request.headers,
      body: content === "" ? undefined : parseJson(content),
    };
    this.requests.push(seen);
    this.onRequest?.();
    const step = this.#steps.shift();
    if (step === undefined) {
      this.failures.push(`nothing is scripted for ${seen.method} ${seen.path}`);
      response.writeHead(418).end();
      return;
    }
    await step(response, seen);
  }
}

/** What a test has at hand. */
export interface Stage {
  readonly server: ScriptedServer;
  readonly client: ThreadsClient;
  readonly clock: ManualClock;
}

/** Runs a test against a scripted server, which must have been asked for all of its script and nothing else. */
export async function withServer(
  steps: readonly Step[],
  play: (stage: Stage) => Promise<void>,
  options: Partial<ThreadsClientOptions> = {},
): Promise<void> {
  const server = new ScriptedServer(steps);
  const clock = new ManualClock();
  try {
    const baseUrl = await server.listen();
    await play({
      server,
      clock,
      client: new ThreadsClient({ baseUrl, clock, random: () => 0.5, ...options }),
    });
    if (server.failures.length > 0) throw new Error(server.failures.join("; "));
    if (server.left > 0) throw new Error(`${server.left} steps of the script were not asked for`);
  } finally {
    await server.close();
  }
}
