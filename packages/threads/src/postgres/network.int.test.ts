import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { type CuttableProxy, startProxy } from "../../../../tools/cuttable-proxy.ts";
import { type PostgresCluster, startPostgres, withoutPostgres } from "../../../../tools/postgres-cluster.ts";
import { crashAgent } from "../__fixtures__/crash-agent.ts";
import { checkStore, checkThread, talk } from "../__fixtures__/crash-trial.ts";
import { AgentThread } from "../client/agent-thread.ts";
import { ThreadsClient } from "../client/http/threads-client.ts";
import { clientTool } from "../client/tools/client-tool.ts";
import { createThreadServer, type ThreadServer } from "../server/thread-server.ts";
import { createToken } from "../store/tokens.ts";
import { postgresThreadStore, type PostgresThreadStore } from "./postgres-store.ts";

const without = withoutPostgres === undefined ? "" : ` (left out: ${withoutPostgres})`;

describe.skipIf(withoutPostgres !== undefined)(`a network that fails, with PostgreSQL${without}`, () => {
  let cluster: PostgresCluster;
  let proxy: CuttableProxy;
  let folder: string;
  let store: PostgresThreadStore;
  let server: ThreadServer;
  let token: string;

  beforeAll(async () => {
    cluster = await startPostgres();
    proxy = await startProxy(cluster);
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "roboz-network-"));
    const notes = join(folder, "notes");
    await writeFile(notes, "");
    store = await postgresThreadStore(cluster.url.replace(`:${cluster.port}/`, `:${proxy.port}/`));
    server = await createThreadServer({
      store,
      queue: store.turnQueue,
      agents: { standard: crashAgent(notes, 10) },
      lease: { leaseMs: 1500, heartbeatMs: 300, reapMs: 250, attempts: 20 },
      limits: { requests: null },
      onError: () => undefined,
    });
    await server.start();
    ({ token } = await store.write((transaction) =>
      createToken(transaction, { userId: "us_1", orgs: ["og_1"] }),
    ));
  });
  afterEach(async () => {
    proxy.isDown = false;
    await server.stop({ graceMs: 0 });
    await store.close();
    await checkStore(cluster.url);
    await rm(folder, { recursive: true });
  });
  afterAll(async () => {
    await proxy.close();
    await cluster.stop();
  });

  const answer: typeof fetch = (input, init) => server.fetch(new Request(input, init));
  const clientBy = (send: typeof fetch): ThreadsClient =>
    new ThreadsClient({
      baseUrl: "http://127.0.0.1",
      token,
      fetch: send,
      retries: { attempts: 300, baseMs: 10, capMs: 100 },
    });

  it("loses and doubles nothing when connections to the database break", async () => {
    let isOver = false;
    const client = clientBy(answer);
    const talks = Array.from({ length: 4 }, () => talk(client, () => isOver));
    for (let cut = 0; cut < 20; cut += 1) {
      await delay(Math.random() * 150);
      proxy.isDown = cut % 4 === 0;
      proxy.cut();
      if (proxy.isDown) await delay(100);
      proxy.isDown = false;
    }
    isOver = true;
    for (const one of await Promise.all(talks)) await checkThread(client, one);
  });

  it("does once what comes twice, and in another order", async () => {
    const twice: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      if (request.method === "GET") return answer(request);
      const copy = request.clone();
      const late = delay(Math.random() * 20).then(() => answer(copy));
      const [first, second] = await Promise.all([answer(request), late]);
      return Math.random() < 0.5 ? first : second;
    };
    const client = clientBy(twice);
    let rounds = 0;
    const talked = await Promise.all(Array.from({ length: 3 }, () => talk(client, () => (rounds += 1) > 6)));
    for (const one of talked) await checkThread(client, one);
  });

  it("takes the answer of one of two clients that run the same thread (threads 93)", async () => {
    const client = clientBy(answer);
    const look = clientTool({ name: "look", description: "Look.", execute: () => ({ seen: true }) });
    const first = await AgentThread.start("say 0", { client, clientTools: [look] });
    const second = (await AgentThread.fromId(first.threadId, { client })).registerClientTool(look);
    const ends = await Promise.allSettled([first.run(), second.run()]);
    expect(ends.some(({ status }) => status === "fulfilled")).toBe(true);
    const { record } = await AgentThread.fromId(first.threadId, { client });
    const results = record.messages.flatMap(({ content }) =>
      content.flatMap((block) => (block.content_type === "tool_result" ? [block.tool_use_id] : [])),
    );
    expect(record.status).toBe("user_turn");
    expect(new Set(results).size).toBe(results.length);
  });
});
