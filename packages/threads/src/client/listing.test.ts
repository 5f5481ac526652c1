import { expect, it } from "vitest";
import { answer, withServer } from "../__fixtures__/scripted-server.ts";
import { threadData } from "../__fixtures__/thread-data.ts";
import { listThreads, modelProfiles, searchThreads } from "./listing.ts";

it("lists threads a page at a time", async () => {
  const pages = [
    answer({ items: [threadData({ pinned_at: "2026-01-01T00:00:00Z" })], next_token: "p1" }),
    answer({ items: [] }),
  ];
  await withServer(pages, async ({ client, server }) => {
    const first = await listThreads(client);
    expect(first).toMatchObject({ items: [{ thread_id: "ath_1", goals: null }], next_token: "p1" });
    expect(await listThreads(client, { pageToken: "p1" })).toEqual({ items: [], next_token: null });
    expect(server.requests.map(({ query }) => query)).toEqual([{}, { page_token: "p1" }]);
  });
});

it("searches threads, and refuses filters that are none", async () => {
  await withServer([answer({ items: [threadData()], next_token: null })], async ({ client, server }) => {
    const found = await searchThreads(client, { text: "blue", pinned: true });
    expect(found.items).toHaveLength(1);
    expect(server.requests[0]).toMatchObject({
      method: "POST",
      path: "/v1/ai/threads/search",
      body: { text: "blue", pinned: true },
    });
    await expect(searchThreads(client, { page_size: 1000 })).rejects.toMatchObject({
      code: "threads/invalid-request",
    });
  });
});

it("reads model profiles", async () => {
  await withServer(
    [answer([{ id: "standard", label: "Standard", is_default: true }])],
    async ({ client }) => {
      expect(await modelProfiles(client)).toEqual([
        { id: "standard", label: "Standard", description: null, is_default: true },
      ]);
    },
  );
});
