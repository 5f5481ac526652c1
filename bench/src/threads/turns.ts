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
    const start = starter(store, server.fetch, token);
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

/** Starts a thread; how long it took until it was answered. */
function starter(
  store: ThreadStore,
  fetch: (request: Request) => Promise<Response>,
  token: string,
): () => Promise<number> {
  const waiting = new Map<string, () => void>();
  store.onThread((threadId) => waiting.get(threadId)?.());
  const body = JSON.stringify({
    messages: [{ role: "user", content: [{ content_type: "text", text: "Hello there." }] }],
  });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const isAnswered = async (threadId: string): Promise<boolean> => {
    const [row] = await store.read(({ queries }) =>
      queries.rows("SELECT status FROM threads WHERE thread_id = $1", threadId),
    );
    return row?.["status"] === "user_turn";
  };
  return async () => {
    const startedAt = performance.now();
    const response = await fetch(
      new Request("http://127.0.0.1/v1/ai/threads", { method: "POST", headers, body }),
    );
    const threadId = threadIdOf(await response.json());
    while (!(await isAnswered(threadId))) {
      await new Promise<void>((resolve) => {
        // Words may be lost.
        const beat = setTimeout(resolve, 250);
        waiting.set(threadId, () => {
          clearTimeout(beat);
          resolve();
        });
      });
    }
    waiting.delete(threadId);
    return performance.now() - startedAt;
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
