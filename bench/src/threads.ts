import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { startPostgres, withoutPostgres } from "../../tools/postgres-cluster.ts";
import { report, type Row } from "./report.ts";
import { barePostgres, bareSqlite } from "./threads/bare.ts";
import { measureMessage } from "./threads/long-thread.ts";
import { measureReaders, type ReaderFigures } from "./threads/readers.ts";
import { measureTurns, type TurnCost, type TurnFigures } from "./threads/turns.ts";

const readers = 5000;
/** The store to measure, `sqlite` or `postgres`; both when it is left out. */
const [asked] = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), "roboz-bench-"));
const rows: Row[] = [];

function tell(what: string, { perSecond, p50, p95, p99 }: TurnFigures): void {
  const [rate, middle, late, last] = [perSecond, p50, p95, p99].map((figure) => figure.toFixed(0));
  process.stdout.write(
    `${what.padEnd(36)}  ${rate ?? ""} threads and turns/s  p50 ${middle ?? ""} ms  p95 ${late ?? ""} ms  p99 ${last ?? ""} ms\n`,
  );
}

function tellReaders(what: string, { readers: count, kilobytes, idleCore, fanOutMs }: ReaderFigures): void {
  process.stdout.write(
    `${what.padEnd(36)}  ${String(count)} readers  ${kilobytes.toFixed(1)} kB each  ${(idleCore * 100).toFixed(0)} % of a core idle  ` +
      `${fanOutMs.toFixed(0)} ms until all have the answer\n`,
  );
}

/** A turn beside its bare inserts, both in milliseconds a turn. */
function turnRow(store: string, { perSecond }: TurnFigures, bare: number): Row {
  return {
    work: `turn kept in ${store}`,
    unit: "ms",
    ours: 1000 / perSecond,
    bare: 1000 / bare,
    goal: Infinity,
  };
}

async function messageRow(store: string, address: string): Promise<Row> {
  const short = await measureMessage(address, 10);
  const long = await measureMessage(address, 10_000);
  return { work: `message 10,000 over message 10, ${store}`, unit: "ms", ours: long, bare: short, goal: 1.5 };
}

try {
  const file = (name: string): string => `sqlite:${join(folder, `${name}.db`)}`;
  if (asked !== "postgres") {
    const one: TurnFigures & TurnCost = await measureTurns(file("turns"), 0);
    tell("SQLite, server and worker in one", one);
    rows.push(turnRow("SQLite", one, bareSqlite(join(folder, "bare.db"), one)));
    rows.push(await messageRow("SQLite", file("long")));
    tellReaders("SQLite, readers of one thread", await measureReaders(file("readers"), readers));
  }
  if (asked === "sqlite") {
    // Left out as it was asked for.
  } else if (withoutPostgres === undefined) {
    const cluster = await startPostgres();
    try {
      const within: TurnFigures & TurnCost = await measureTurns(cluster.url, 0);
      tell("PostgreSQL, server and worker in one", within);
      rows.push(turnRow("PostgreSQL", within, await barePostgres(cluster.url, within)));
      for (const workers of [1, 2, 4])
        tell(`PostgreSQL, ${String(workers)} workers beside it`, await measureTurns(cluster.url, workers));
      rows.push(await messageRow("PostgreSQL", cluster.url));
      tellReaders("PostgreSQL, readers of one thread", await measureReaders(cluster.url, readers));
    } finally {
      await cluster.stop();
    }
  } else process.stdout.write(`PostgreSQL is left out: ${withoutPostgres}\n`);
  process.stdout.write("\n");
  report(rows);
} finally {
  await rm(folder, { recursive: true, force: true });
}
