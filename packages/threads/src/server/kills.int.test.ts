import { spawn, type ChildProcessByStdio } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import type { Readable, Writable } from "node:stream";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { afterEach, beforeEach, expect, it } from "vitest";

import { sqliteThreadStore } from "../sqlite/sqlite-store.ts";
import { parseJson } from "../wire/json.ts";
import { envelopeOf } from "../wire/envelope.ts";
import { threadRecordSchema, type AgentThreadRecord } from "../wire/thread.ts";
import { problemsOf } from "./__fixtures__/log-check.ts";

const kills = Number(process.env["ROBOZ_LONG"] ?? 30);
const program = fileURLToPath(new URL("__fixtures__/serve-threads.ts", import.meta.url));
const clientTool = {
  name: "remember",
  description: "Remember.",
  input_schema: { type: "object", properties: { key: { type: "string" } } },
};

let folder: string;
let path: string;
type ServerProcess = ChildProcessByStdio<Writable, Readable, null>;

let child: ServerProcess | undefined;
let spare: ServerProcess | undefined;
let url = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "roboz-kills-"));
  path = join(folder, "threads.db");
});
afterEach(async () => {
  child?.kill("SIGKILL");
  spare?.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

/** A process that has loaded the server, and waits. */
function standBy(): ServerProcess {
  return spawn(
    process.execPath,
    ["--conditions=@roboz/source", "--import", import.meta.resolve("tsx"), program, path],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
}

/** Starts the server in a process of its own; gives its address once it answers. */
async function serve(): Promise<void> {
  const started = spare ?? standBy();
  child = started;
  const isListening = new Promise<string>((resolve, reject) => {
    started.stdout.once("data", (data: Buffer) => {
      resolve(data.toString().trim());
    });
    started.once("exit", (code) => {
      reject(new Error(`The server ended with ${code ?? "a signal"}`));
    });
  });
  started.stdin.write("go\n");
  spare = standBy();
  url = await isListening;
}

async function kill(): Promise<void> {
  const killed = child;
  if (killed === undefined) return;
  const gone = new Promise<void>((resolve) => {
    killed.once("exit", () => {
      resolve();
    });
  });
  killed.kill("SIGKILL");
  await gone;
}

/** Sends a request until it is answered, with the same key each time. */
async function ask(
  method: string,
  at: string,
  body: object | undefined,
  key: string,
): Promise<{ status: number; body: unknown }> {
  for (;;) {
    try {
      const response = await fetch(`${url}${at}`, {
        method,
        headers: {
          authorization: "Bearer secret",
          "content-type": "application/json",
          "idempotency-key": key.replace(" ", "-"),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (response.status !== 409) return { status: response.status, body: parseJson(text) };
    } catch {
      // The server is away.
    }
    await wait(20);
  }
}

const recordOf = (body: unknown): AgentThreadRecord => envelopeOf(threadRecordSchema).parse(body).data;

/** One client: talks to a thread for as long as it is told to, and then until the thread pauses for its user. */
class Talker {
  readonly name: string;
  threadId = "";
  /** What the server said that it has. */
  readonly acknowledged: string[] = [];
  readonly answered: string[] = [];

  constructor(name: string) {
    this.name = name;
  }

  async talk(isOver: () => boolean): Promise<void> {
    const first = `${this.name} 0`;
    const started = await ask(
      "POST",
      "/v1/ai/threads",
      { messages: [this.#message(first)], client_tools: [clientTool] },
      first,
    );
    this.threadId = recordOf(started.body).thread_id;
    this.acknowledged.push(first);
    for (let number = 1; ;) {
      const thread = recordOf(
        (await ask("GET", `/v1/ai/threads/${this.threadId}?load_messages=false`, undefined, "read")).body,
      );
      if (thread.status === "client_tool_turn") await this.#answer(thread);
      else if (thread.status === "roboto_turn") await wait(25);
      else if (isOver()) return;
      else {
        const text = `${this.name} ${number}`;
        number += 1;
        const sent = await ask(
          "POST",
          `/v1/ai/threads/${this.threadId}/messages`,
          { message: this.#message(text) },
          text,
        );
        expect(sent.status).toBe(200);
        this.acknowledged.push(text);
      }
    }
  }

  async #answer({ pending_client_tools: pending }: AgentThreadRecord): Promise<void> {
    for (const { tool_use_id, tool_name } of pending ?? []) {
      const result = {
        tool_use_id,
        tool_name,
        runtime_ms: 1,
        status: "success",
        output: { for: tool_use_id },
      };
      const at = `/v1/ai/threads/${this.threadId}/tool-results`;
      const sent = await ask("POST", at, { tool_results: [result] }, tool_use_id);
      expect(sent.status).toBe(200);
      this.answered.push(tool_use_id);
    }
  }

  #message(text: string): object {
    return { role: "user", content: [{ text }] };
  }
}

it(
  `TH-20, TH-21: loses and doubles nothing that was acknowledged, and leaves no thread stuck, over ${kills} kills`,
  { timeout: 60_000 + kills * 8000 },
  async () => {
    let isOver = false;
    await serve();
    const talkers = ["a", "b", "c"].map((name) => new Talker(name));
    const talks = Promise.all(talkers.map((talker) => talker.talk(() => isOver)));
    for (let count = 0; count < kills; count += 1) {
      await wait(Math.random() * 300);
      await kill();
      await serve();
    }
    isOver = true;
    await talks;
    await kill();
    const store = await sqliteThreadStore(path);
    for (const { threadId, acknowledged, answered } of talkers) {
      expect(await store.read((view) => problemsOf(view, threadId))).toEqual([]);
      const rows = await store.read(({ queries }) =>
        queries.rows(
          `SELECT b.data FROM messages m JOIN blocks b ON b.thread_id = m.thread_id AND b.seq = m.seq
            WHERE m.thread_id = $1 AND m.role = 'user' ORDER BY m.seq`,
          threadId,
        ),
      );
      expect(rows.map(({ data }) => data)).toEqual(acknowledged);
      const results = await store.read(({ queries }) =>
        queries.rows(
          "SELECT tool_use_id, data FROM blocks WHERE thread_id = $1 AND type = 'tool_result'",
          threadId,
        ),
      );
      for (const id of answered) {
        const kept = results.filter(({ tool_use_id }) => tool_use_id === id);
        expect(kept.map(({ data }) => String(data).includes(`"for":"${id}"`))).toEqual([true]);
      }
      const done = await store.read(({ queries }) =>
        queries.rows(
          "SELECT seq FROM messages WHERE thread_id = $1 AND role = 'assistant' AND status = 'completed' AND seq IN (SELECT seq FROM blocks WHERE thread_id = $1 AND type = 'text' AND data LIKE 'Answer %')",
          threadId,
        ),
      );
      expect(done).toHaveLength(acknowledged.length);
    }
    await store.close();
  },
);
