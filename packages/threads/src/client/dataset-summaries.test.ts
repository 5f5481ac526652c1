import { describe, expect, it } from "vitest";
import { answer, refuse, withServer, type Step } from "../__fixtures__/scripted-server.ts";
import { all } from "../__fixtures__/thread-data.ts";
import { DatasetSummaries } from "./dataset-summaries.ts";

function summary(status: string, text: string | null): Step {
  return answer({ summary_id: "su_1", status, text, created: "2026-01-01T00:00:00Z" });
}

describe("a summary that is written", () => {
  it("is given as it grows, and again as a whole when it was written anew", async () => {
    const steps = [
      summary("pending", null),
      summary("pending", "One"),
      summary("pending", "One two"),
      summary("pending", "Anew"),
      summary("complete", "Anew."),
    ];
    await withServer(steps, async ({ client, clock }) => {
      const summaries = new DatasetSummaries("ds/1", { client });
      expect(await all(summaries.follow())).toEqual(["One", " two", "Anew", "."]);
      expect(clock.waits).toEqual([2000, 2000, 2000, 2000]);
    });
  });

  it("fails when it failed, also when it had already", async () => {
    await withServer([summary("failed", "half")], async ({ client }) => {
      const following = all(new DatasetSummaries("ds_1", { client }).follow());
      await expect(following).rejects.toMatchObject({
        code: "threads/failed-to-generate",
        status: undefined,
      });
    });
  });

  it("takes no longer than it may", async () => {
    await withServer([summary("pending", ""), summary("pending", "")], async ({ client, clock }) => {
      const following = all(new DatasetSummaries("ds_1", { client }).follow({ tickMs: 7, timeoutMs: 5 }));
      await expect(following).rejects.toMatchObject({ code: "threads/timeout", timeoutMs: 5 });
      expect(clock.waits).toEqual([5]);
    });
  });
});

it("asks for, reads and replaces a summary", async () => {
  const steps = [
    summary("pending", null),
    refuse(404, "RobotoNotFoundException"),
    summary("complete", "mine"),
  ];
  await withServer(steps, async ({ client, server }) => {
    const summaries = new DatasetSummaries("ds/1", { client });
    expect(await summaries.generate()).toMatchObject({ status: "pending", text: null });
    await expect(summaries.get()).rejects.toMatchObject({ code: "threads/not-found" });
    expect(await summaries.set("mine")).toMatchObject({ text: "mine" });
    expect(server.requests).toMatchObject([
      { method: "POST", path: "/v1/datasets/ds%2F1/summary" },
      { method: "GET" },
      { method: "PUT", body: { summary: "mine" } },
    ]);
  });
});
