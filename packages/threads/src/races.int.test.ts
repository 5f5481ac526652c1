import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { startPostgres, withoutPostgres } from "../../../tools/postgres-cluster.ts";
import { problemsOf } from "./__fixtures__/log-check.ts";
import { postgresThreadStore } from "./postgres/postgres-store.ts";
import { sqliteThreadStore } from "./sqlite/sqlite-store.ts";
import { text } from "./store/database.ts";
import type { ThreadStore } from "./store/thread-store.ts";
import { cancelTurn, threadFor } from "./store/threads.ts";
import { readMessages } from "./store/transcript.ts";
import { answer, claim, member, start, writing } from "./testing/store-check.ts";

const rounds = 1000;
const timeout = 600_000;
const without = withoutPostgres === undefined ? "" : ` (left out: ${withoutPostgres})`;
const user = member("us_1");

/** Lets a turn be answered and cancelled at once, and says how it ended. */
async function race(store: ThreadStore): Promise<string> {
  const { thread_id: threadId } = await start(store, user);
  const turn = await claim(store);
  const cancel = async (): Promise<void> => {
    // Each look takes about as long as one step of the answer.
    for (let looks = Math.floor(Math.random() * 8); looks > 0; looks -= 1)
      await store.read((view) => threadFor(view, threadId, user, "read"));
    await writing(store, threadId, user, (transaction, thread) => cancelTurn(transaction, thread));
  };
  const [, cancelled] = await Promise.allSettled([
    answer(store, turn, ["One. ", "Two. ", "Three."]),
    cancel(),
  ]);
  expect(cancelled.status).toBe("fulfilled");
  return store.read(async (view) => {
    expect(await problemsOf(view, threadId)).toEqual([]);
    expect((await threadFor(view, threadId, user, "read")).status).toBe("user_turn");
    const [row] = await view.queries.rows("SELECT state FROM turns WHERE turn_id = $1", turn.turnId);
    const end = row === undefined ? "lost" : text(row, "state");
    const [, reply] = await readMessages(view, threadId);
    if (end === "done")
      expect(reply).toMatchObject({ status: "completed", content: [{ text: "One. Two. Three." }] });
    // A turn without a word has no message that could be cancelled.
    else if (reply !== undefined) {
      expect(reply.status).toBe("cancelled");
      expect(reply.content.at(-1)).toMatchObject({ content_type: "error", error_code: "cancelled" });
    }
    return end;
  });
}

async function raceAgainAndAgain(store: ThreadStore): Promise<void> {
  const ends = new Set<string>();
  for (let round = 0; round < rounds; round += 1) ends.add(await race(store));
  expect([...ends].sort()).toEqual(["cancelled", "done"]);
}

describe(`a cancel and the end of a turn, ${rounds} times`, () => {
  it("TH-24: leave one state that fits the thread's history, on SQLite", { timeout }, async () => {
    const folder = await mkdtemp(join(tmpdir(), "roboz-races-"));
    const store = await sqliteThreadStore(join(folder, "threads.db"), { survives: "process" });
    try {
      await raceAgainAndAgain(store);
    } finally {
      await store.close();
      await rm(folder, { recursive: true });
    }
  });

  it.skipIf(withoutPostgres !== undefined)(
    `TH-24: leave one state that fits the thread's history, on PostgreSQL${without}`,
    { timeout },
    async () => {
      const cluster = await startPostgres({ isDurable: false });
      try {
        const store = await postgresThreadStore(cluster.url);
        await raceAgainAndAgain(store).finally(() => store.close());
      } finally {
        await cluster.stop();
      }
    },
  );
});
