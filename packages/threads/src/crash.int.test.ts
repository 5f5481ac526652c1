import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { startPostgres, withoutPostgres } from "../../../tools/postgres-cluster.ts";
import { survivesKills } from "./__fixtures__/crash-trial.ts";

const kills = process.env["ROBOZ_LONG"] === "1" ? 200 : 30;
const timeout = 60_000 + kills * 8000;
const without = withoutPostgres === undefined ? "" : ` (left out: ${withoutPostgres})`;
const cases = "threads 138 to 142, TH-20";

describe(`a server that is killed ${kills} times`, () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "roboz-crash-"));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  it(`loses and doubles nothing on SQLite (${cases})`, { timeout }, async () => {
    const address = `sqlite:${join(folder, "threads.db")}`;
    expect(await survivesKills({ address, folder, roles: ["all"], kills, threads: 4 })).toBeGreaterThan(4);
  });

  it.skipIf(withoutPostgres !== undefined)(
    `loses and doubles nothing on PostgreSQL, with two workers beside it (${cases})${without}`,
    { timeout },
    async () => {
      const cluster = await startPostgres();
      try {
        const roles = ["api", "worker", "worker"] as const;
        const address = cluster.url;
        expect(await survivesKills({ address, folder, roles, kills, threads: 4 })).toBeGreaterThan(4);
      } finally {
        await cluster.stop();
      }
    },
  );
});
