import Database from "libsql";
import pg from "pg";

import type { TurnCost } from "./turns.ts";

const turns = 60;
const text = "x".repeat(150);

/** Turns a second of a program that only inserts as many rows in as many transactions as a turn does, in SQLite. */
export function bareSqlite(path: string, { transactions, statements }: TurnCost): number {
  const database = new Database(path);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  database.exec("CREATE TABLE bare (n INTEGER PRIMARY KEY, data TEXT)");
  const insert = database.prepare("INSERT INTO bare (data) VALUES (?)");
  const each = Math.round(statements / transactions);
  const startedAt = performance.now();
  for (let done = 0; done < turns * Math.round(transactions); done += 1) {
    database.exec("BEGIN IMMEDIATE");
    for (let row = 0; row < each; row += 1) insert.run(text);
    database.exec("COMMIT");
  }
  const perSecond = (turns / (performance.now() - startedAt)) * 1000;
  database.close();
  return perSecond;
}

/** The same in PostgreSQL, over as many connections as the store has. */
export async function barePostgres(url: string, { transactions, statements }: TurnCost): Promise<number> {
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  await pool.query("CREATE TABLE IF NOT EXISTS bare (n BIGSERIAL PRIMARY KEY, data TEXT)");
  const each = Math.round(statements / transactions);
  let left = turns * Math.round(transactions);
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: 10 }, async () => {
      const client = await pool.connect();
      while (left > 0) {
        left -= 1;
        await client.query("BEGIN");
        for (let row = 0; row < each; row += 1)
          await client.query({ name: "bare", text: "INSERT INTO bare (data) VALUES ($1)", values: [text] });
        await client.query("COMMIT");
      }
      client.release();
    }),
  );
  const perSecond = (turns / (performance.now() - startedAt)) * 1000;
  await pool.end();
  return perSecond;
}
