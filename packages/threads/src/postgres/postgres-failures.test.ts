import { describe, expect, it } from "vitest";

import { openPostgresDatabase } from "./postgres-database.ts";
import { failureKind } from "./postgres-failures.ts";

const failed = (code: string): Error => Object.assign(new Error("failed"), { code });

describe("a failure of the database", () => {
  it.each([
    { why: "two that write the same", error: failed("40001"), kind: "conflict" },
    { why: "two that wait for each other", error: failed("40P01"), kind: "conflict" },
    { why: "a row that another made meanwhile", error: failed("23505"), kind: "conflict" },
    { why: "a server that shuts down", error: failed("57P01"), kind: "connection" },
    { why: "a class of failures of connections", error: failed("08006"), kind: "connection" },
    { why: "a socket that was reset", error: failed("ECONNRESET"), kind: "connection" },
    {
      why: "each address of a host refused",
      error: new AggregateError([failed("ECONNREFUSED")]),
      kind: "connection",
    },
    { why: "addresses that failed otherwise", error: new AggregateError([failed("22P02")]), kind: "other" },
    {
      why: "a connection that ended",
      error: new Error("Connection terminated unexpectedly"),
      kind: "connection",
    },
    { why: "no answer", error: new Error("Query read timeout"), kind: "connection" },
    { why: "a wrong statement", error: failed("42601"), kind: "other" },
    { why: "a refusal of the store's", error: new Error("There is no thread of this id"), kind: "other" },
    { why: "no error", error: "08006", kind: "other" },
  ])("is told apart: $why", ({ error, kind }) => {
    expect(failureKind(error)).toBe(kind);
  });
});

describe("the address and options of a database", () => {
  it.each([
    { why: "another kind of address", url: "mysql://u:secret@localhost/x", options: {}, option: "url" },
    { why: "a schema that would need quotes", options: { schema: 'a"; DROP' }, option: "schema" },
    { why: "no connection", options: { connections: 0 }, option: "connections" },
    { why: "no time", options: { patienceMs: -1 }, option: "patienceMs" },
  ])(
    "are refused before anything is opened: $why",
    async ({ url = "postgres://localhost/x", options, option }) => {
      const opening = openPostgresDatabase(url, options);
      await expect(opening).rejects.toMatchObject({ code: "threads/postgres-option", option });
      await expect(opening).rejects.not.toThrow("secret");
    },
  );
});
