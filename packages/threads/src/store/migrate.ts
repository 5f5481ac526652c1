import { randomBytes } from "node:crypto";

import { integer, text, type ThreadDatabase } from "./database.ts";
import { SchemaTooNewError } from "./errors.ts";
import { migrations } from "./schema.ts";

/** What a database knows of itself once it has its tables. */
export interface DatabaseFacts {
  /** What continuation tokens are signed with; made with the first table. */
  readonly secret: string;
}

/**
 * Brings a database's tables to the version that this release knows, one process at a time.
 *
 * @throws {@link SchemaTooNewError} (`threads/schema-too-new`)
 */
export async function migrate(database: ThreadDatabase): Promise<DatabaseFacts> {
  return database.exclusive(async (queries) => {
    await queries.run(
      "CREATE TABLE IF NOT EXISTS threads_schema (one INTEGER PRIMARY KEY, version INTEGER NOT NULL, secret TEXT NOT NULL)",
    );
    await queries.run(
      "INSERT INTO threads_schema (one, version, secret) VALUES (1, 0, $1) ON CONFLICT (one) DO NOTHING",
      randomBytes(32).toString("base64url"),
    );
    const [row] = await queries.rows("SELECT version, secret FROM threads_schema WHERE one = 1");
    if (row === undefined) throw new Error("The table of the version was just filled, and is empty");
    const found = integer(row, "version");
    if (found > migrations.length) throw new SchemaTooNewError({ found, known: migrations.length });
    for (const statements of migrations.slice(found)) {
      for (const statement of statements) await queries.run(statement);
    }
    if (found < migrations.length)
      await queries.run("UPDATE threads_schema SET version = $1 WHERE one = 1", migrations.length);
    return { secret: text(row, "secret") };
  });
}
