import { copyFile, mkdir, mkdtemp, open, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import {
  Agent,
  Empty,
  fileJournalStore,
  Int,
  memoryJournalStore,
  openRun,
  Stop,
  tool,
  userMessage,
  when,
  type JournalStore,
} from "@roboz/core";
import { sqliteJournalStore } from "@roboz/sqlite";
import Database from "libsql";

import { chainedAgent } from "./agents.ts";
import { median, report, type Row } from "./report.ts";

const steps = 500;
const rounds = 9;
const folder = await mkdtemp(join(tmpdir(), "roboz-bench-"));

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** One contender's way to keep records, each durable before the next one is begun. */
interface Contender {
  readonly name: string;
  readonly goal: number;
  readonly store: (round: number) => JournalStore;
  readonly bare: (round: number, records: readonly string[]) => Promise<void>;
}

const contenders: readonly Contender[] = [
  {
    name: "JSONL",
    goal: 1.5,
    store: (round) => fileJournalStore(join(folder, `file-${round}`)),
    bare: async (round, records) => {
      const handle = await open(join(folder, `bare-${round}.jsonl`), "a");
      for (const record of records) {
        await handle.appendFile(`${record}\n`);
        await handle.datasync();
      }
      await handle.close();
    },
  },
  {
    name: "SQLite",
    goal: 1.5,
    store: (round) => sqliteJournalStore(join(folder, `store-${round}.db`)),
    bare: async (round, records) => {
      const database = new Database(join(folder, `bare-${round}.db`));
      database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
      database.exec(
        "CREATE TABLE record (run INTEGER, position INTEGER, text TEXT, PRIMARY KEY (run, position))",
      );
      const insert = database.prepare("INSERT INTO record VALUES (1, ?, ?)");
      for (const [position, record] of records.entries()) {
        insert.run(position, record);
        await Promise.resolve();
      }
      database.close();
    },
  },
];

/** What a journal adds to a step, beside inserting the same texts and nothing else. */
async function stepCost({ name, goal, store, bare }: Contender): Promise<Row> {
  const agent = chainedAgent(steps);
  const added: number[] = [];
  const inserted: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const journal = store(round);
    const alone = await timed(() => agent.complete());
    const journaled = await timed(() => agent.complete(undefined, { journal, runId: "run" }));
    const records = ((await journal.read("run")) ?? []).filter((line) => line !== "");
    inserted.push((await timed(() => bare(round, records))) / steps);
    added.push((journaled - alone) / steps);
  }
  return { work: `step kept as ${name}`, unit: "ms", ours: median(added), bare: median(inserted), goal };
}

async function memoryCost(): Promise<Row> {
  const agent = chainedAgent(steps);
  const journaled: number[] = [];
  const alone: number[] = [];
  for (let round = 0; round < rounds * 3; round += 1) {
    const journal = memoryJournalStore();
    alone.push((await timed(() => agent.complete())) / steps);
    journaled.push((await timed(() => agent.complete(undefined, { journal, runId: "run" }))) / steps);
  }
  const row = { unit: "µs", ours: median(journaled) * 1000, bare: median(alone) * 1000 };
  return { work: "step kept in memory, over one not kept", ...row, goal: Infinity };
}

/** Going on with a run of 10,000 steps, beside parsing its file's lines. */
async function resumeCost(): Promise<Row> {
  const agent = chainedAgent(10_000);
  await agent.complete(undefined, {
    journal: fileJournalStore(folder, { survives: "process" }),
    runId: "long",
  });
  const file = join(folder, "long.jsonl");
  const resumed: number[] = [];
  const parsed: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const place = join(folder, `resumed-${round}`);
    await mkdir(place);
    await copyFile(file, join(place, "long.jsonl"));
    const store = fileJournalStore(place, { survives: "process" });
    resumed.push(await timed(() => openRun(store, "long", agent)));
    const text = await readFile(file, "utf8");
    parsed.push(
      await timed(async () => {
        for (const line of text.split("\n")) if (line !== "") JSON.parse(line);
        return Promise.resolve();
      }),
    );
  }
  return { work: "resuming 10,000 steps", unit: "ms", ours: median(resumed), bare: median(parsed), goal: 3 };
}

/** Megabytes in use after so many steps of one run that keeps a journal, and its history short. */
async function memoryAt(marks: readonly number[]): Promise<readonly number[]> {
  const last = Math.max(...marks);
  const used: number[] = [];
  const start = tool({
    name: "start",
    description: "Start at 0.",
    input: Empty,
    output: Int,
    run: () => Int({ value: 0 }),
  });
  const count = tool({
    name: "count",
    description: "Count one up.",
    input: Int,
    output: Int,
    chainedTo: start,
    run: ({ value }, { messages, replaceMessages }) => {
      if (value % 1000 === 0)
        replaceMessages({ from: 0, to: messages.length }, [userMessage(`At ${value}.`)]);
      if (marks.includes(value)) {
        globalThis.gc?.();
        used.push(process.memoryUsage().heapUsed / 1e6);
      }
      return Int({ value: value + 1 });
    },
  });
  const end = tool({
    name: "end",
    description: "End.",
    input: Int,
    output: Stop,
    chainedTo: when(count, ({ value }) => value > last),
    run: () => Stop(),
  });
  count.chain(when(count, ({ value }) => value <= last));
  const agent = new Agent({
    name: "compacting",
    mode: "deterministic",
    defaultTools: [start],
    tools: [count, end],
    limits: { steps: null },
  });
  await agent.complete(undefined, {
    journal: fileJournalStore(folder, { survives: "process" }),
    runId: "far",
  });
  return used;
}

async function flatMemory(): Promise<Row> {
  const [early = Number.NaN, late = Number.NaN] = await memoryAt([10_000, 100_000]);
  return { work: "memory at step 100,000, over step 10,000", unit: "MB", ours: late, bare: early, goal: 1.1 };
}

const rows: Row[] = [];
for (const contender of contenders) rows.push(await stepCost(contender));
report([...rows, await memoryCost(), await resumeCost(), await flatMemory()]);
await rm(folder, { recursive: true });
