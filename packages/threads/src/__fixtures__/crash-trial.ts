import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { build } from "vite";
import { expect } from "vitest";
import { z } from "zod";

import { freePort } from "../../../../tools/free-port.ts";
import { AgentThread } from "../client/agent-thread.ts";
import { ThreadsClient } from "../client/http/threads-client.ts";
import { clientTool, type ClientTool } from "../client/tools/client-tool.ts";
import { openStoreAt } from "../server/store-address.ts";
import { text } from "../store/database.ts";
import { createToken } from "../store/tokens.ts";
import { problemsOf } from "./log-check.ts";

/** What is killed, and how often. */
export interface CrashTrial {
  /** Address of the store. */
  readonly address: string;
  /** A folder for the trial's own files. */
  readonly folder: string;
  /** What each process does; the one that answers requests first. */
  readonly roles: readonly ("all" | "api" | "worker")[];
  readonly kills: number;
  /** Threads that are talked to at the same time. */
  readonly threads: number;
}

/** What one client said and answered, and was told that it arrived. */
export interface Acknowledged {
  readonly thread: AgentThread;
  readonly said: string[];
  readonly answers: Map<string, unknown>;
}

/**
 * Kills processes of a server at random moments while clients talk to it, and then holds every thread against what the clients were
 * told: nothing that was acknowledged is lost, nothing is there twice, and no thread is stuck.
 *
 * @returns How many messages were acknowledged.
 */
export async function survivesKills({ address, folder, roles, kills, threads }: CrashTrial): Promise<number> {
  const notes = join(folder, "notes");
  await writeFile(notes, "");
  const port = await freePort();
  const token = await newToken(address);
  const program = await bundledServer();
  const begin = (role: string): Promise<ChildProcess> =>
    startServer(program, [address, role, String(port), notes]);
  const servers = await Promise.all(roles.map(begin));
  const baseUrl = `http://127.0.0.1:${port}`;
  const client = new ThreadsClient({
    baseUrl,
    token,
    retries: { attempts: 500, baseMs: 20, capMs: 200 },
    timeoutMs: 5000,
  });
  let isOver = false;
  const talks = Array.from({ length: threads }, () => talk(client, () => isOver));
  // Told of at the end; the others lose their server then, which is no failure of its own.
  for (const one of talks) one.catch(() => undefined);
  try {
    for (let kill = 0; kill < kills; kill += 1) {
      await delay(Math.random() * 400);
      const victim = Math.floor(Math.random() * servers.length);
      await end(servers[victim]);
      servers[victim] = await begin(roles[victim] ?? "all");
    }
    isOver = true;
    const talked = await Promise.all(talks);
    for (const one of talked) await checkThread(client, one);
    const effects = (await readFile(notes, "utf8")).trim().split("\n");
    expect(new Set(effects).size, "no effect was had twice").toBe(effects.length);
    await Promise.all(servers.map(end));
    await checkStore(address);
    return talked.reduce((sum, { said }) => sum + said.length, 0);
  } finally {
    isOver = true;
    await Promise.all(servers.map(end));
  }
}

/** Talks in a thread of its own until it is told to end, and keeps what was acknowledged. */
export async function talk(client: ThreadsClient, isOver: () => boolean): Promise<Acknowledged> {
  const given = new Map<string, unknown>();
  const answers = new Map<string, unknown>();
  const look: ClientTool = clientTool({
    name: "look",
    description: "Look at the client.",
    input: z.object({}),
    execute: (_args, { toolUseId }) => {
      const answer = { seen: toolUseId };
      given.set(toolUseId, answer);
      return answer;
    },
  });
  const thread = await AgentThread.start("say 0", { client, clientTools: [look] });
  const said = ["say 0"];
  for (;;) {
    given.clear();
    await thread.run({ timeoutMs: 60_000 });
    for (const [toolUseId, answer] of given) answers.set(toolUseId, answer);
    if (isOver()) return { thread, said, answers };
    const text = `say ${said.length}`;
    await thread.sendText(text);
    said.push(text);
  }
}

/** Holds a thread against what its client was told. */
export async function checkThread(
  client: ThreadsClient,
  { thread, said, answers }: Acknowledged,
): Promise<void> {
  await thread.refresh();
  const { record } = await AgentThread.fromId(thread.threadId, { client });
  expect(record.status).toBe("user_turn");
  expect(thread.messages, "what was read bit by bit is what is there").toEqual(record.messages);
  const texts = record.messages.flatMap(({ role, content }) =>
    role === "user" ? content.map((block) => (block.content_type === "text" ? block.text : "")) : [],
  );
  expect(texts, "each message once, in order").toEqual(said);
  const uses: string[] = [];
  const results = new Map<string, unknown>();
  for (const { content, status } of record.messages) {
    expect(["completed", "failed"]).toContain(status);
    for (const block of content) {
      if (block.content_type === "tool_use") uses.push(block.tool_use_id);
      if (block.content_type !== "tool_result") continue;
      expect(results.has(block.tool_use_id), "one result for each call").toBe(false);
      results.set(block.tool_use_id, block.raw_response);
    }
  }
  expect(new Set(uses).size).toBe(uses.length);
  expect([...results.keys()].sort(), "a result for each call").toEqual(uses.sort());
  for (const [toolUseId, answer] of answers) expect(results.get(toolUseId)).toEqual(answer);
  const heard = record.messages.flatMap(({ status, content: [block] }) => {
    if (status !== "completed" || block?.content_type !== "text") return [];
    return /^heard (say \d+) /.exec(block.text)?.[1] ?? [];
  });
  expect(heard, "each message is answered once, in order").toEqual(said);
}

/** Every thread of a store fits its own log, and none waits for a turn that nobody will work on. */
export async function checkStore(address: string): Promise<void> {
  const { store } = await openStoreAt(address);
  try {
    await store.read(async (view) => {
      for (const row of await view.queries.rows("SELECT thread_id FROM threads")) {
        const threadId = text(row, "thread_id");
        expect({ threadId, problems: await problemsOf(view, threadId) }).toEqual({ threadId, problems: [] });
      }
    });
  } finally {
    await store.close();
  }
}

async function newToken(address: string): Promise<string> {
  const { store } = await openStoreAt(address);
  const { token } = await store.write((transaction) =>
    createToken(transaction, { userId: "us_1", orgs: ["og_1"] }),
  );
  await store.close();
  return token;
}

/** The server in one file, which starts far faster than its many; made once. */
async function bundledServer(): Promise<string> {
  const outDir = fileURLToPath(new URL("../../node_modules/.cache/crash-server", import.meta.url));
  await build({
    configFile: false,
    logLevel: "error",
    ssr: {
      noExternal: /^@roboz\//,
      external: ["libsql", "pg", "pg-boss"],
      resolve: { conditions: ["@roboz/source", "node", "import", "default"] },
    },
    build: { ssr: fileURLToPath(new URL("./crash-server.ts", import.meta.url)), outDir, target: "node20" },
  });
  return join(outDir, "crash-server.js");
}

/** Starts a server, and waits until it is at work. */
async function startServer(program: string, args: readonly string[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  await Promise.race([
    once(child.stdout, "data"),
    once(child, "exit").then(([code]) => {
      throw new Error(`The server ended with ${String(code)} before it was ready`);
    }),
  ]);
  return child;
}

async function end(child: ChildProcess | undefined): Promise<void> {
  if (child?.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}
