import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { type CuttableProxy, startProxy } from "../../../../tools/cuttable-proxy.ts";
import { type PostgresCluster, startPostgres, withoutPostgres } from "../../../../tools/postgres-cluster.ts";
import { scripted, say } from "../server/__fixtures__/server-stage.ts";
import {
  deltaOf,
  eventsOf,
  gatedModel,
  joinedText,
  type GatedModel,
} from "../server/__fixtures__/streams.ts";
import { createThreadServer, type ThreadServer } from "../server/thread-server.ts";
import { createToken } from "../store/tokens.ts";
import { parseJson } from "../wire/json.ts";
import type { AgentThreadDelta } from "../wire/thread.ts";
import { postgresThreadStore, type PostgresThreadStore } from "./postgres-store.ts";

const without = withoutPostgres === undefined ? "" : ` (left out: ${withoutPostgres})`;
const pieces = 24;
const text = "Once upon a time. ".repeat(40);

describe.skipIf(withoutPostgres !== undefined)(`readers on another server than the worker${without}`, () => {
  let cluster: PostgresCluster;
  let proxy: CuttableProxy;
  let stores: PostgresThreadStore[];
  let servers: ThreadServer[];
  let model: GatedModel;
  let token: string;
  let path: string;

  beforeAll(async () => {
    cluster = await startPostgres({ isDurable: false });
    proxy = await startProxy(cluster);
  });
  beforeEach(async () => {
    model = gatedModel(JSON.stringify(say(text)), pieces);
    const through = cluster.url.replace(`:${cluster.port}/`, `:${proxy.port}/`);
    stores = [await postgresThreadStore(cluster.url), await postgresThreadStore(through)];
    servers = [];
    for (const [index, store] of stores.entries()) {
      servers.push(
        await createThreadServer({
          store,
          queue: index === 0 ? stores[0]?.turnQueue : null,
          agents: { standard: scripted(model.endpoint) },
          flush: { everyMs: 0, chars: 1 },
          limits: { requests: null },
          onError: () => undefined,
        }),
      );
    }
    ({ token } = await here().store.write((transaction) =>
      createToken(transaction, { userId: "us_1", orgs: ["og_1"] }),
    ));
    await here().server.start();
    const response = await here().server.fetch(
      new Request("http://localhost/v1/ai/threads", {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ messages: [{ role: "user", content: [{ text: "Tell me." }] }] }),
      }),
    );
    const data: unknown = Reflect.get(Object(parseJson(await response.text())), "data");
    const [id, place] = ["thread_id", "continuation_token"].map((name) =>
      String(Reflect.get(Object(data), name)),
    );
    path = `/v1/ai/threads/${id ?? ""}/stream?next_token=${place ?? ""}`;
  });
  afterEach(async () => {
    for (const server of servers) await server.stop({ graceMs: 0 });
    for (const store of stores) {
      await store.turnQueue.stop();
      await store.close();
    }
  });
  afterAll(async () => {
    await proxy.close();
    await cluster.stop();
  });

  /** The process that works. */
  const here = () => placeAt(0);
  const placeAt = (index: number): { readonly store: PostgresThreadStore; readonly server: ThreadServer } => {
    const [store, server] = [stores[index], servers[index]];
    if (store === undefined || server === undefined) throw new Error("There are two processes");
    return { store, server };
  };
  /** Reads to the end, and takes the stream up again when it breaks or after as many events. */
  const readAll = async (
    cutAfter: number,
    onEvent: () => void = () => undefined,
  ): Promise<AgentThreadDelta[]> => {
    const deltas: AgentThreadDelta[] = [];
    let lastId: string | undefined;
    for (;;) {
      let left = cutAfter;
      let isAnswered = false;
      for await (const { event, id, data } of eventsOf(placeAt(1).server.fetch, path, { token, lastId })) {
        isAnswered = true;
        if (event === "done") return deltas;
        if (event === "error") break;
        deltas.push(deltaOf({ event, id, data }));
        lastId = id;
        onEvent();
        left -= 1;
        if (left === 0) break;
      }
      if (!isAnswered) return deltas;
    }
  };

  it("TH-15: have every event once and in order, also those whose connection breaks in the middle of a burst", async () => {
    const readers = [Infinity, 1, 2, 3].map((cutAfter) => readAll(cutAfter));
    for (let piece = 0; piece < pieces; piece += 1) model.pass();
    for (const deltas of await Promise.all(readers)) expect(joinedText(deltas)).toBe(text);
  });

  it("TH-15: have them also when the process loses its connections to the database, and what it would have been told", async () => {
    let events = 0;
    const reader = readAll(Infinity, () => {
      events += 1;
      if (events === 3 || events === 6) proxy.cut();
      model.pass();
    });
    model.pass();
    expect(joinedText(await reader)).toBe(text);
    expect(events).toBeGreaterThan(6);
  }, 60_000);
});
