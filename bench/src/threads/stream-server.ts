// A server whose model answers only when a line comes in, for readers that wait. Prints its address, and its memory when asked.
import { createInterface } from "node:readline";

import { createThreadServer, createToken, openStoreAt } from "@roboz/threads/server";

import { quickAgent } from "./quick-agent.ts";

let answerNow = (): void => undefined;
const isLet = new Promise<string>((resolve) => {
  answerNow = () => {
    resolve("Now.");
  };
});
const { store, queue } = await openStoreAt(process.argv[2] ?? "");
const server = await createThreadServer({
  store,
  queue,
  agents: { standard: quickAgent(() => isLet) },
  limits: { streams: 100_000, requests: null },
});
const { url } = await server.listen();
const { token } = await store.write((transaction) =>
  createToken(transaction, { userId: "us_1", orgs: ["og_1"] }),
);
process.stdout.write(`${JSON.stringify({ url, token })}\n`);
let cpu = process.cpuUsage();
createInterface({ input: process.stdin }).on("line", (line) => {
  if (line === "answer") answerNow();
  // The collection is the measurement's own work.
  const { user, system } = process.cpuUsage(cpu);
  globalThis.gc?.();
  cpu = process.cpuUsage();
  process.stdout.write(
    `${JSON.stringify({ bytes: process.memoryUsage().rss, cpuMs: (user + system) / 1000 })}\n`,
  );
});
