import { afterAll, beforeAll, describe, it } from "vitest";

import { type PostgresCluster, startPostgres, withoutPostgres } from "../../../../tools/postgres-cluster.ts";
import { testThreadStore } from "../testing/thread-store-suite.ts";
import { postgresThreadStore } from "./postgres-store.ts";

const without = withoutPostgres === undefined ? "" : ` (left out: ${withoutPostgres})`;

describe.skipIf(withoutPostgres !== undefined)(`threads in PostgreSQL${without}`, () => {
  let cluster: PostgresCluster | undefined;
  let places = 0;
  const url = (): string => {
    if (cluster === undefined) throw new Error("The server was not started");
    return cluster.url;
  };

  beforeAll(async () => {
    cluster = await startPostgres({ isDurable: false });
  });
  afterAll(async () => {
    await cluster?.stop();
  });

  const newSchema = (): string => `threads_${(places += 1)}`;
  testThreadStore(
    {
      makePlace: newSchema,
      open: (schema, options) => postgresThreadStore(url(), { schema, connections: 5, ...options }),
    },
    { describe, it },
  );
});
