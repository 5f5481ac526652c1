import { afterAll, beforeAll, describe } from "vitest";

import { type PostgresCluster, startPostgres, withoutPostgres } from "../../../../tools/postgres-cluster.ts";
import { keepStagesIn } from "./__fixtures__/server-stage.ts";
import { PostgresPlace } from "./__fixtures__/stage-place.ts";

const without = withoutPostgres === undefined ? "" : ` (left out: ${withoutPostgres})`;

// Each of these registers its tests where it is imported; by themselves they run on files.
const suites = {
  starting: () => import("./starting.test.ts"),
  talking: () => import("./talking.test.ts"),
  streaming: () => import("./streaming.test.ts"),
  "client tools": () => import("./client-tools.test.ts"),
  goals: () => import("./goals.test.ts"),
  catalogue: () => import("./catalogue.test.ts"),
  sharing: () => import("./sharing.test.ts"),
  recovery: () => import("./recovery.test.ts"),
  "the client on the server": () => import("../client/on-server.test.ts"),
};

describe.skipIf(withoutPostgres !== undefined)(`a server on PostgreSQL${without}`, () => {
  let cluster: PostgresCluster | undefined;
  let place: PostgresPlace | undefined;
  beforeAll(async () => {
    cluster = await startPostgres({ isDurable: false });
    const made = (place = new PostgresPlace(cluster.url));
    keepStagesIn(() => made);
  });
  afterAll(async () => {
    await place?.close();
    await cluster?.stop();
  });

  for (const [name, register] of Object.entries(suites)) {
    describe(name, async () => {
      await register();
    });
  }
});
