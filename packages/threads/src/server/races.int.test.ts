import { setTimeout as delay } from "node:timers/promises";

import { MockLLMEndpoint } from "@roboz/core";
import { afterEach, describe, expect, it } from "vitest";

import { problemsOf } from "../__fixtures__/log-check.ts";
import { text } from "../store/database.ts";
import { say, scripted, ServerStage } from "./__fixtures__/server-stage.ts";

let stage: ServerStage;
afterEach(() => stage.close());

/** Starts a turn, cancels it a moment later, and says how it ended. */
async function race(): Promise<string> {
  const { thread_id: id } = await stage.start();
  await delay(Math.random() * 10);
  expect((await stage.post(`/v1/ai/threads/${id}/cancel`)).status).toBe(200);
  const thread = await stage.settled(id);
  expect(thread.status).toBe("user_turn");
  const [, answer] = thread.messages;
  const [turn] = await stage.store.read(({ queries }) =>
    queries.rows("SELECT state FROM turns WHERE thread_id = $1", id),
  );
  const end = turn === undefined ? "lost" : text(turn, "state");
  if (end === "done") expect(answer).toMatchObject({ status: "completed", content: [{ text: "Done." }] });
  // Before its first word, a turn has no message that could be cancelled.
  else if (answer !== undefined) {
    expect(answer.status).toBe("cancelled");
    expect(answer.content.at(-1)).toMatchObject({ content_type: "error", error_code: "cancelled" });
  }
  expect(await stage.store.read((view) => problemsOf(view, id))).toEqual([]);
  return end;
}

describe("a cancel and the end of a turn", () => {
  it("TH-24: leave one of two states, which fits the thread's history, over 1,000 races", async () => {
    stage = await ServerStage.open({ standard: scripted(new MockLLMEndpoint(() => say("Done."))) });
    const ends = new Set<string>();
    for (let round = 0; round < 100; round += 1)
      for (const end of await Promise.all(Array.from({ length: 10 }, race))) ends.add(end);
    expect(ends).toEqual(new Set(["done", "cancelled"]));
  });
});
