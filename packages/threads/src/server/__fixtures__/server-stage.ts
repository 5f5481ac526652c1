import { MockLLMEndpoint, stop, type AnyTool, type EndpointLike, type MockEntry } from "@roboz/core";
import { Capability, DeployableAgent, ToolLabel } from "@roboz/deployment";

import type { ThreadStore } from "../../store/thread-store.ts";
import { createToken } from "../../store/tokens.ts";
import { parseJson, stringifyJson } from "../../wire/json.ts";
import {
  threadDeltaSchema,
  threadRecordSchema,
  type AgentThreadDelta,
  type AgentThreadRecord,
} from "../../wire/thread.ts";
import type { ThreadAgent } from "../../turns/thread-agent.ts";
import type { AddressedStore } from "../store-address.ts";
import { createThreadServer, type ThreadServer, type ThreadServerOptions } from "../thread-server.ts";
import { failingAt } from "./failing-store.ts";
import { sqlitePlace, type StagePlace } from "./stage-place.ts";

/** What a scripted model calls. */
export function call(action: string, args: object = {}): object {
  return { action, rationale: "Because.", ...args };
}

/** What a scripted model says at the end of its turn. */
export function say(value: string): object {
  return call("stop", { value });
}

/** An agent with a scripted model and these tools. */
export function scripted(
  script: readonly MockEntry[] | EndpointLike,
  tools: readonly (AnyTool | readonly AnyTool[])[] = [],
  settings: Partial<Omit<ThreadAgent, "agent">> & { readonly mode?: "steerable" | "autonomous" } = {},
): ThreadAgent {
  const { mode = "autonomous", ...rest } = settings;
  const endpoint = isScript(script) ? new MockLLMEndpoint(script) : script;
  const agent = new DeployableAgent({
    name: "desk",
    description: "Answers.",
    systemPrompt: "You answer.",
    mode,
    agentEndpoint: endpoint,
    capabilities: [new Capability({ label: ToolLabel("tools"), build: () => [stop, ...tools] })],
  });
  return { agent, tasks: false, ...rest };
}

function isScript(script: readonly MockEntry[] | EndpointLike): script is readonly MockEntry[] {
  return Array.isArray(script);
}

/** An answer of the server. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly data: unknown;
  readonly error: { readonly error_code: string; readonly message: string; readonly [more: string]: unknown };
  readonly details: unknown;
  readonly text: string;
}

/** What a request is sent with. */
export interface Sent {
  readonly as?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly raw?: string | undefined;
}

const people = {
  u1: { userId: "us_1", orgs: ["og_1"] },
  u2: { userId: "us_2", orgs: ["og_1"] },
  x: { userId: "us_x", orgs: ["og_2"] },
  a: { userId: "us_a", orgs: ["og_1"], admin: true },
  two: { userId: "us_two", orgs: ["og_1", "og_2"] },
} as const;

let newPlace: () => StagePlace | Promise<StagePlace> = sqlitePlace;

/** Has every stage from now on keep its threads elsewhere than in a file of its own. */
export function keepStagesIn(make: () => StagePlace): void {
  newPlace = make;
}

/** A server on a store of its own, with tokens of some people: `u1` and `u2` of one organisation, `x` of another, the admin `a`. */
export class ServerStage {
  store: ThreadStore;
  server: ThreadServer;
  readonly tokens = new Map<string, string>();
  /** What the server's operator was told. */
  readonly errors: readonly unknown[];
  readonly #place: StagePlace;
  readonly #options: Omit<ThreadServerOptions, "store">;

  private constructor(
    place: StagePlace,
    { store, server }: { readonly store: ThreadStore; readonly server: ThreadServer },
    options: Omit<ThreadServerOptions, "store">,
    errors: readonly unknown[],
  ) {
    this.#place = place;
    this.store = store;
    this.server = server;
    this.#options = options;
    this.errors = errors;
  }

  static async open(
    agents: ThreadServerOptions["agents"],
    more: Partial<Omit<ThreadServerOptions, "store" | "agents">> = {},
  ): Promise<ServerStage> {
    const place = await newPlace();
    const errors: unknown[] = [];
    const options = {
      onError: (error: unknown) => errors.push(error),
      // A title comes when it likes; tests that wait for none are not disturbed by it.
      title: () => null,
      ...more,
      limits: { requests: null, ...more.limits },
      agents,
    };
    const opened = await serverOn(await place.open(), options);
    const stage = new ServerStage(place, opened, options, errors);
    for (const [name, grant] of Object.entries(people)) {
      const { token } = await opened.store.write((transaction) => createToken(transaction, grant));
      stage.tokens.set(name, token);
    }
    await opened.server.start();
    return stage;
  }

  /** Ends the server and its store, and opens both again on the same data. */
  async restart(options: Partial<Omit<ThreadServerOptions, "store">> = {}): Promise<void> {
    await this.server.stop({ graceMs: 0 });
    await this.store.close();
    ({ store: this.store, server: this.server } = await serverOn(await this.#place.open(), {
      ...this.#options,
      ...options,
    }));
    await this.server.start();
  }

  /** A request to a server whose store fails once at a statement, and what that server says of it on its side. */
  async sendFailing(
    statement: string,
    ...request: Parameters<ServerStage["send"]>
  ): Promise<{ readonly reply: Reply; readonly logged: readonly unknown[] }> {
    const { server } = this;
    const logged: unknown[] = [];
    this.server = await createThreadServer({
      ...this.#options,
      store: failingAt(this.store, statement),
      queue: null,
      onError: (error) => logged.push(error),
    });
    try {
      return { reply: await this.send(...request), logged };
    } finally {
      this.server = server;
    }
  }

  /** How many rows a table has. */
  async count(table: string): Promise<number> {
    const rows = await this.store.read(({ queries }) => queries.rows(`SELECT COUNT(*) AS n FROM ${table}`));
    return Number(rows[0]?.["n"]);
  }

  async close(): Promise<void> {
    await this.server.stop({ graceMs: 1000 });
    await this.#place.leave();
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    { as = "u1", headers = {}, raw }: Sent = {},
  ): Promise<Reply> {
    const token = this.tokens.get(as);
    const response = await this.server.fetch(
      new Request(`http://localhost${path}`, {
        method,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          "content-type": "application/json",
          ...headers,
        },
        ...(method === "GET" || method === "HEAD"
          ? {}
          : { body: raw ?? (body === undefined ? null : stringifyJson(body)) }),
      }),
    );
    return replyOf(response);
  }

  get(path: string, sent: Sent = {}): Promise<Reply> {
    return this.send("GET", path, undefined, sent);
  }

  post(path: string, body: unknown = {}, sent: Sent = {}): Promise<Reply> {
    return this.send("POST", path, body, sent);
  }

  put(path: string, body: unknown, sent: Sent = {}): Promise<Reply> {
    return this.send("PUT", path, body, sent);
  }

  /** Starts a thread with a text, or with a body. */
  async start(given: string | object = "Hello.", sent: Sent = {}): Promise<AgentThreadRecord> {
    const body = typeof given === "string" ? { messages: [message(given)] } : given;
    const reply = await this.post("/v1/ai/threads", body, sent);
    if (reply.status !== 201) throw new Error(`The start was refused: ${reply.text}`);
    return threadRecordSchema.parse(reply.data);
  }

  /** Sends a text to a thread. */
  say(threadId: string, text: string, more: object = {}, sent: Sent = {}): Promise<Reply> {
    return this.post(`/v1/ai/threads/${threadId}/messages`, { message: message(text), ...more }, sent);
  }

  async read(threadId: string, sent: Sent = {}): Promise<AgentThreadRecord> {
    return threadRecordSchema.parse((await this.get(`/v1/ai/threads/${threadId}`, sent)).data);
  }

  async delta(threadId: string, token: string, sent: Sent = {}): Promise<AgentThreadDelta> {
    const reply = await this.get(`/v1/ai/threads/${threadId}/delta?next_token=${token}`, sent);
    return threadDeltaSchema.parse(reply.data);
  }

  /** The thread once it has paused. */
  settled(threadId: string): Promise<AgentThreadRecord> {
    return this.until(threadId, ({ status }) => status !== "roboto_turn");
  }

  /** The thread once it is as it should be. */
  async until(threadId: string, holds: (thread: AgentThreadRecord) => boolean): Promise<AgentThreadRecord> {
    for (;;) {
      const changed = this.#changed(threadId);
      const thread = await this.read(threadId, { as: "a" });
      if (holds(thread)) {
        changed.stop();
        return thread;
      }
      await changed.happened;
      changed.stop();
    }
  }

  #changed(threadId: string): { readonly happened: Promise<void>; readonly stop: () => void } {
    let stop = (): void => undefined;
    const happened = new Promise<void>((resolve) => {
      stop = this.store.onThread((changed) => {
        if (changed === threadId) resolve();
      });
    });
    return { happened, stop };
  }

  /** A thread that has had one turn. */
  async talked(given: string | object = "Hello.", sent: Sent = {}): Promise<AgentThreadRecord> {
    return this.settled((await this.start(given, sent)).thread_id);
  }
}

async function serverOn(
  { store, queue }: AddressedStore,
  options: Omit<ThreadServerOptions, "store">,
): Promise<{ readonly store: ThreadStore; readonly server: ThreadServer }> {
  return { store, server: await createThreadServer({ store, queue, ...options }) };
}

/** A message of the user's. */
export function message(text: string): object {
  return { role: "user", content: [{ text }] };
}

async function replyOf(response: Response): Promise<Reply> {
  const text = await response.text();
  const body: unknown = text === "" ? {} : parseJson(text);
  const part = (name: string): unknown =>
    typeof body === "object" && body !== null ? Reflect.get(body, name) : undefined;
  const error = part("error");
  return {
    status: response.status,
    headers: response.headers,
    data: part("data"),
    error: isError(error) ? error : { error_code: "", message: "" },
    details: part("details"),
    text,
  };
}

function isError(candidate: unknown): candidate is Reply["error"] {
  return typeof candidate === "object" && candidate !== null && "error_code" in candidate;
}

/** The texts of a thread's messages, each with its role. */
export function lines({ messages }: Pick<AgentThreadRecord, "messages">): string[] {
  return messages.map(({ role, content }) => {
    const said = content.map((block) => {
      switch (block.content_type) {
        case "text":
          return block.text;
        case "tool_use":
          return `<${block.tool_name}>`;
        case "tool_result":
          return `[${block.tool_name} ${block.status}]`;
        case "error":
          return `!${block.error_code ?? ""}`;
        default:
          return "?";
      }
    });
    return `${role}: ${said.join(" ")}`;
  });
}
