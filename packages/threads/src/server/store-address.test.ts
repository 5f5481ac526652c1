import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it } from "vitest";

import { createToken, callerOfToken } from "../store/tokens.ts";
import { openStoreAt } from "./store-address.ts";

it.each([
  { why: "no address", address: "" },
  { why: "a path alone", address: "threads.db" },
  { why: "another database", address: "mysql://root:secret@localhost/x" },
  { why: "no path", address: "sqlite:" },
])("refuses $why without repeating it", async ({ address }) => {
  await expect(openStoreAt(address)).rejects.toMatchObject({ code: "threads/store-address" });
  await expect(openStoreAt(address)).rejects.not.toThrow("secret");
});

it("opens a file, which keeps what was written", async () => {
  const folder = await mkdtemp(join(tmpdir(), "roboz-threads-"));
  const address = `sqlite:${join(folder, "threads.db")}`;
  const first = await openStoreAt(address);
  const { token } = await first.store.write((transaction) =>
    createToken(transaction, { userId: "us_1", orgs: ["og_1"] }),
  );
  await first.store.close();
  const { store, queue } = await openStoreAt(address);
  expect(queue).toBeUndefined();
  expect(await store.read((view) => callerOfToken(view, token))).toMatchObject({ principal: "user:us_1" });
  await store.close();
  await rm(folder, { recursive: true });
});
