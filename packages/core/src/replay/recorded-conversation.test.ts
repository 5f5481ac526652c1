import { fileURLToPath } from "node:url";

import { expect, it } from "vitest";

import { fileJournalStore } from "../runtime/journal/file-store.ts";
import { agent } from "./__fixtures__/order-agent.ts";
import { replayRun } from "./replay-run.ts";

// As the README tells users to write theirs.
const store = fileJournalStore(fileURLToPath(new URL("__fixtures__/recorded", import.meta.url)));

it("still orders chairs as it did in a conversation that was recorded", async () => {
  const { result } = await replayRun(store, "chairs", agent);
  expect(result).toMatchObject({ status: "completed", output: { value: "Ordered, number 4711." } });
});

it("notices that the order is asked for in other words", async () => {
  const today = agent.copy({ systemPrompt: "Order what the user needs." });
  await expect(replayRun(store, "chairs", today)).rejects.toMatchObject({
    code: "core/replay-diverged",
    step: 1,
    difference: {
      kind: "request",
      recorded: "[system] Order what the user wants.",
      today: "[system] Order what the user needs.",
    },
  });
});
