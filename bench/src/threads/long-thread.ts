import { createThreadServer, createToken, openStoreAt } from "@roboz/threads/server";

import { median } from "../report.ts";
import { quickAgent } from "./quick-agent.ts";

const rounds = 15;

/** What it takes to send a message to a thread that has so many already, in milliseconds, with the answer read by its token. */
export async function measureMessage(address: string, length: number): Promise<number> {
  const { store } = await openStoreAt(address);
  const server = await createThreadServer({
    store,
    queue: null,
    agents: { standard: quickAgent() },
    limits: {
      requests: null,
      seededMessages: 20_000,
      blocks: 20_000,
      bodyValues: 1_000_000,
      bodyBytes: 64 * 1024 * 1024,
    },
  });
  const { token } = await store.write((transaction) =>
    createToken(transaction, { userId: "us_1", orgs: ["og_1"] }),
  );
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const call = async (path: string, body?: unknown): Promise<unknown> => {
    const more = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const response = await server.fetch(
      new Request(`http://127.0.0.1/v1/ai/threads${path}`, { headers, ...more }),
    );
    const answer: unknown = await response.json();
    if (!response.ok) throw new Error(JSON.stringify(answer));
    return Reflect.get(Object(answer), "data");
  };
  const said = (index: number) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: [
      { content_type: "text", text: `Message ${String(index)}, of some length to be worth keeping.` },
    ],
  });
  const messages = Array.from({ length: length % 2 === 0 ? length - 1 : length }, (_, index) => said(index));
  const started = await call("", { messages });
  const path = `/${String(Reflect.get(Object(started), "thread_id"))}`;
  let next = String(Reflect.get(Object(started), "continuation_token"));
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await call(`${path}/cancel`, {});
    const delta = await call(`${path}/delta?next_token=${next}`);
    next = String(Reflect.get(Object(delta), "continuation_token"));
    const startedAt = performance.now();
    await call(`${path}/messages`, { message: said(0) });
    const read = await call(`${path}/delta?next_token=${next}`);
    times.push(performance.now() - startedAt);
    next = String(Reflect.get(Object(read), "continuation_token"));
  }
  await server.stop();
  await store.close();
  return median(times);
}
