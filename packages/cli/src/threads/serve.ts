import type { ServerLimits } from "@roboz/threads/server";

import type { CommandContext } from "../command.ts";
import { InterruptedError } from "../errors.ts";
import { agentsOfModule } from "./agents-of-module.ts";
import { loadThreadsServer } from "./load-threads.ts";
import { databaseAddress } from "./with-store.ts";

/** What is asked of the server's limits; without a value a limit is as the server has it. */
export interface AskedLimits {
  readonly concurrency?: number | undefined;
  readonly perOrg?: number | undefined;
  readonly steps?: number | undefined;
  readonly turnSeconds?: number | undefined;
  readonly clientToolSeconds?: number | undefined;
  readonly streams?: number | undefined;
  readonly requestsPerSecond?: number | undefined;
  readonly bodyBytes?: number | undefined;
}

/** What a server is started with. */
export interface ServeSettings {
  readonly database: string | undefined;
  readonly module: string | undefined;
  readonly host: string;
  readonly port: number;
  /** Whether it answers requests, works on turns, or both. */
  readonly role: "all" | "api" | "worker";
  readonly limits: AskedLimits;
}

/**
 * Serves threads until Ctrl-C or `SIGTERM`. Turns under way then have ten seconds, and are given back to the store; a second Ctrl-C
 * does not wait for them.
 */
export async function serveThreads(
  { database, module, host, port, role, limits: asked }: ServeSettings,
  { terminal, interrupts }: CommandContext,
): Promise<void> {
  const { createThreadServer, openStoreAt, serverLimits } = await loadThreadsServer();
  const agents = await agentsOfModule(module);
  const { store, queue } = await openStoreAt(databaseAddress(database));
  try {
    const limits = limitsOf(asked, serverLimits);
    const server = await createThreadServer({ store, agents, limits, queue: role === "api" ? null : queue });
    const { stopped, release } = untilStopped(interrupts);
    try {
      if (role === "worker") {
        await server.start();
        terminal.output.write("Working on turns. Ctrl-C ends it.\n");
      } else {
        const { url } = await server.listen({ host, port });
        terminal.output.write(
          `Threads are at ${url} for tokens of \`threads token create\`. Ctrl-C ends it.\n`,
        );
      }
      await stopped;
      terminal.output.write("Ending the turns under way.\n");
    } finally {
      await server.stop();
      release();
    }
  } finally {
    await store.close();
  }
}

/** The limits of a server that are asked for, over its own. */
export function limitsOf(asked: AskedLimits, own: ServerLimits): ServerLimits {
  const {
    concurrency,
    perOrg,
    steps,
    turnSeconds,
    clientToolSeconds,
    streams,
    requestsPerSecond,
    bodyBytes,
  } = asked;
  return {
    ...own,
    concurrency: concurrency ?? own.concurrency,
    perOrg: perOrg ?? own.perOrg,
    steps: steps ?? own.steps,
    wallMs: turnSeconds === undefined ? own.wallMs : turnSeconds * 1000,
    clientToolTtlMs: clientToolSeconds === undefined ? own.clientToolTtlMs : clientToolSeconds * 1000,
    streams: streams ?? own.streams,
    requests:
      requestsPerSecond === undefined
        ? own.requests
        : { burst: requestsPerSecond * 4, perSecond: requestsPerSecond },
    bodyBytes: bodyBytes ?? own.bodyBytes,
  };
}

/** Resolves with the first Ctrl-C or `SIGTERM`. The second one ends the command. */
function untilStopped(interrupts: CommandContext["interrupts"]): {
  readonly stopped: Promise<void>;
  readonly release: () => void;
} {
  let stop = (): void => undefined;
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  let isStopping = false;
  const onSignal = (): void => {
    if (isStopping) interrupts.end(new InterruptedError());
    isStopping = true;
    stop();
  };
  interrupts.signal.addEventListener("abort", stop, { once: true });
  const unhandle = interrupts.handle(onSignal);
  process.on("SIGTERM", onSignal);
  return {
    stopped,
    release: () => {
      unhandle();
      process.off("SIGTERM", onSignal);
    },
  };
}
