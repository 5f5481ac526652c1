import { createThreadServer, createToken, openStoreAt, type ThreadStore } from "@roboz/threads/server";

import { Child } from "./child.ts";
import { quickAgent } from "./quick-agent.ts";

/** How fast threads were started and answered. */
export interface TurnFigures {
  readonly perSecond: number;
  /** From the request to the user's turn, in milliseconds. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** What one turn writes. */
export interface TurnCost {
  readonly transactions: number;
  readonly statements: number;
}

const threads = 120;
const atOnce = 16;

/** Starts threads of one turn each, so many at once, and waits until each is answered. */
export async function measureTurns(address: string, workers: number): Promise<TurnFigures & TurnCost> {
  const { store, queue } = await openStoreAt(address);
  const helpers = Array.from({ length: workers }, () => new Child("worker", [address]));
  const counted = countingStore(store);
  const server = await createThreadServer({
    store: counted.store,
    queue: workers === 0 ? queue : null,
    agents: { standard: quickAgent() },
    limits: { requests: null },
  });
  try {
    for (const helper of helpers) await helper.line();
    await server.start();
    const { token } = await store.write((transaction) =>
      createToken(transaction, { userId: "us_1", orgs: ["og_1"] }),
    );
    const { start, end } = starter(store, server.fetch, token);
    for (let index = 0; index < 5; index += 1) await start();
    counted.reset();
    const times: number[] = [];
    let left = threads;
    const startedAt = performance.now();
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        while (left > 0) {
          left -= 1;
          times.push(await start());
        }
      }),
    );
    const perSecond = (threads / (performance.now() - startedAt)) * 1000;
    end();
    times.sort((one, other) => one - other);
    const at = (part: number): number => times[Math.floor(times.length * part)] ?? Number.NaN;
    const { transactions, statements } = counted.figures();
    return {
      perSecond,
      p50: at(0.5),
      p95: at(0.95),
      p99: at(0.99),
      transactions: transactions / threads,
      statements: statements / threads,
    };
  } finally {
    await server.stop({ graceMs: 0 });
    for (const helper of helpers) await helper.end();
    await store.close();
  }
}

/**
 * Starts a thread; how long it took until it was answered. All that wait are looked for together every 20 ms, so that looking
 * is no part of the load.
 */
function starter(
  store: ThreadStore,
  fetch: (request: Request) => Promise<Response>,
  token: string,
): { readonly start: () => Promise<number>; readonly end: () => void } {
  const waiting = new Map<string, () => void>();
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (isLooking || waiting.size === 0) return;
    isLooking = true;
    const ids = [...waiting.keys()];
    const list = Array.from({ length: atOnce }, (_, index) => `$${String(index + 1)}`).join(", ");
    const rows = await store.read(({ queries }) =>
      queries.rows(
        `SELECT thread_id FROM threads WHERE status = 'user_turn' AND thread_id IN (${list})`,
        ...Array.from({ length: atOnce }, (_, index) => ids[index] ?? ""),
      ),
    );
    for (const row of rows) {
      const id = String(row["thread_id"]);
      waiting.get(id)?.();
      waiting.delete(id);
    }
    isLooking = false;
  };
  const looks = setInterval(() => void look(), 20);
  const body = JSON.stringify({
    messages: [{ role: "user", content: [{ content_type: "text", text: "Hello there." }] }],
  });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return {
    start: async () => {
      const startedAt = performance.now();
      const response = await fetch(
        new Request("http://127.0.0.1/v1/ai/threads", { method: "POST", headers, body }),
      );
      const threadId = threadIdOf(await response.json());
      await new Promise<void>((resolve) => waiting.set(threadId, resolve));
      return performance.now() - startedAt;
    },
    end: () => {
      clearInterval(looks);
    },
  };
}

function threadIdOf(answer: unknown): string {
  const data: unknown = Reflect.get(Object(answer), "data");
  const threadId: unknown = Reflect.get(Object(data), "thread_id");
  if (typeof threadId !== "string") throw new Error(`A thread was not started: ${JSON.stringify(answer)}`);
  return threadId;
}

/** Counts the transactions of a store that write, and what they write. */
function countingStore(store: ThreadStore): {
  readonly store: ThreadStore;
  readonly reset: () => void;
  readonly figures: () => TurnCost;
} {
  let transactions = 0;
  let statements = 0;
  const writes = (sql: string): boolean => /^\s*(?:INSERT|UPDATE|DELETE)/.test(sql);
  return {
    store: {
      ...store,
      write: (work) =>
        store.write((transaction) => {
          transactions += 1;
          const { queries } = transaction;
          return work({
            ...transaction,
            queries: {
              rows: (sql, ...parameters) => {
                if (writes(sql)) statements += 1;
                return queries.rows(sql, ...parameters);
              },
              run: (sql, ...parameters) => {
                if (writes(sql)) statements += 1;
                return queries.run(sql, ...parameters);
              },
            },
          });
        }),
    },
    reset: () => {
      transactions = 0;
      statements = 0;
    },
    figures: () => ({ transactions, statements }),
  };
}
