import { createHash } from "node:crypto";

import type { PoolClient } from "pg";

import { storable, type Queries, type SqlParameter, type SqlRow } from "../store/database.ts";

const clients = new WeakMap<Queries, PoolClient>();

/** Statements that are kept prepared; those beyond are made from lists of any length. */
const names = new Map<string, string>();
const namesAtMost = 300;

/** The statements of a transaction on a connection. */
export function queriesOn(client: PoolClient): Queries {
  const query = (sql: string, parameters: readonly SqlParameter[]) =>
    client.query<SqlRow>({ ...named(sql), text: sql, values: parameters.map(storable) });
  const queries: Queries = {
    rows: async (sql, ...parameters) => (await query(sql, parameters)).rows,
    run: async (sql, ...parameters) => (await query(sql, parameters)).rowCount ?? 0,
  };
  clients.set(queries, client);
  return queries;
}

/** The connection under the statements of a transaction, for what else is to be part of it. */
export function connectionOf(queries: Queries): PoolClient {
  const client = clients.get(queries);
  if (client === undefined) throw new Error("The statements are those of another database");
  return client;
}

function named(sql: string): { readonly name?: string } {
  const known = names.get(sql);
  if (known !== undefined) return { name: known };
  // Statements that make tables are run once.
  if (names.size >= namesAtMost || !/^\s*(?:SELECT|INSERT|UPDATE|DELETE)/.test(sql)) return {};
  const name = createHash("sha256").update(sql).digest("base64url").slice(0, 32);
  names.set(sql, name);
  return { name };
}
