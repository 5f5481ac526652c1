import { redactSecrets } from "@roboz/core";

import { AgentMissingError, ThreadDriverError } from "../store/errors.ts";
import type { ThreadStore } from "../store/thread-store.ts";
import { threadAgent, type GivenAgent } from "../turns/thread-agent.ts";
import type { FlushSettings } from "../turns/answer-text.ts";
import type { GoalTargets } from "../turns/achieve-tools.ts";
import { storeTurnQueue, type TurnQueue } from "../turns/turn-queue.ts";
import { titleOfFirstMessage, Worker, type LeaseSettings, type TitleMaker } from "../turns/worker.ts";
import { createApp } from "./app.ts";
import { limitsWith, type ServerLimits } from "./limits.ts";
import { AgentChoice, type ServerParts } from "./route.ts";
import { storedTokens, type TokenVerifier } from "./verifier.ts";
import { listenOn, type ListenOptions, type Listening } from "./listen.ts";
import type { HostSettings } from "./hosts.ts";

/** What a server is made of. */
export interface ThreadServerOptions {
  /** Where threads are kept. The server does not close it. */
  readonly store: ThreadStore;
  /** The agents by the model profiles that threads name; the first one is taken without a profile. */
  readonly agents: Readonly<Record<string, GivenAgent>>;
  /** Says who a bearer token speaks for; by default the tokens of the store. */
  readonly verifier?: TokenVerifier | undefined;
  readonly limits?: Partial<ServerLimits> | undefined;
  /** What goals need from outside. */
  readonly goals?: GoalTargets | undefined;
  /** Whether an entity that a template's variable names is there; everything is by default. */
  readonly entityExists?: ServerParts["entityExists"] | undefined;
  /** Makes the titles of threads; the beginning of the first message by default. */
  readonly title?: TitleMaker | undefined;
  /** Hands out turns; by default from the store itself. Null for a process that only answers requests. */
  readonly queue?: TurnQueue | null | undefined;
  readonly lease?: Partial<LeaseSettings> | undefined;
  readonly flush?: Partial<FlushSettings> | undefined;
  /** Which web pages and host names are answered: any host, and no other page, by default. */
  readonly hosts?: Partial<HostSettings> | undefined;
  /** Told of what went wrong on the server's side; written to the standard error stream by default, credentials masked. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** A server of threads. */
export interface ThreadServer {
  /** Answers one request, without a network. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Begins to work on turns. */
  readonly start: () => Promise<void>;
  /** Begins to work on turns, and to answer on a port. */
  readonly listen: (options?: ListenOptions) => Promise<Listening>;
  /**
   * Ends what was begun. Turns under way may go on for a while, and are then given back to the store.
   *
   * @param options.graceMs - How long; 10,000 by default.
   */
  readonly stop: (options?: { readonly graceMs?: number }) => Promise<void>;
}

/**
 * Makes a server of threads: their REST and event-stream interface, and the worker that runs them.
 *
 * ```ts
 * const store = await sqliteThreadStore("threads.db");
 * const server = await createThreadServer({ store, agents: { standard: deskAgent } });
 * await server.listen({ port: 8080 });
 * ```
 *
 * @throws {@link ThreadDriverError} (`threads/driver`) when `hono` is not installed; {@link ServerLimitError}
 * (`threads/server-limit`) for a limit that is none; {@link AgentMissingError} (`threads/agent-missing`) without an agent.
 */
export async function createThreadServer(options: ThreadServerOptions): Promise<ThreadServer> {
  const { store, goals = {}, onError = logError } = options;
  const limits = limitsWith(options.limits);
  const agents = new Map(Object.entries(options.agents).map(([key, given]) => [key, threadAgent(given)]));
  if (agents.size === 0) throw new AgentMissingError();
  const parts: ServerParts = {
    store,
    agents: new AgentChoice(agents),
    goals,
    limits,
    entityExists: options.entityExists ?? (() => true),
  };
  const { Hono } = await import("hono").catch((cause: unknown) => {
    throw new ThreadDriverError({ driver: "hono", cause });
  });
  const stopping = new AbortController();
  const hostSettings: HostSettings = { hosts: undefined, origins: [], ...options.hosts };
  let hosts = hostSettings;
  const fetch = createApp(new Hono(), {
    parts,
    verifier: options.verifier ?? storedTokens(store),
    hosts: () => hosts,
    stopping: stopping.signal,
    onError,
  });
  const worker =
    options.queue === null
      ? undefined
      : new Worker({
          store,
          queue: options.queue ?? storeTurnQueue(store),
          agentFor: (key) => agents.get(key),
          goals,
          limits,
          lease: { leaseMs: 30_000, heartbeatMs: 10_000, reapMs: 5000, attempts: 3, ...options.lease },
          flush: { everyMs: 50, chars: 512, ...options.flush },
          title: options.title ?? titleOfFirstMessage,
          onError,
        });
  let started: Promise<void> | undefined;
  let listening: Listening | undefined;
  const start = (): Promise<void> => (started ??= worker?.start() ?? Promise.resolve());
  return {
    fetch,
    start,
    listen: async (given = {}) => {
      listening = await listenOn(fetch, given);
      if (hostSettings.hosts === undefined) hosts = { ...hostSettings, hosts: listening.ownHosts };
      await start();
      return listening;
    },
    stop: async ({ graceMs = 10_000 } = {}) => {
      stopping.abort();
      await listening?.close();
      if (started !== undefined) await worker?.stop(graceMs);
    },
  };
}

function logError(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${redactSecrets(text)}\n`);
}
