import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

import * as z from "zod";

import { chainedAgent, turningAgent } from "./agents.ts";
import { bareChain, bareTurns } from "./bare.ts";
import { median, report, type Row } from "./report.ts";

const turns = 1000;
const rounds = 30;
/** Rounds that come before and are not counted. */
const warmUps = 10;

/** Milliseconds of CPU, the collector's threads included: the time of the clock also counts what other programs take. */
async function cpuMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Measures both contenders in turn, so that a slow minute meets both alike; the medians. */
async function sideBySide(
  ours: () => Promise<unknown>,
  bare: () => Promise<unknown>,
): Promise<readonly [number, number]> {
  const costs: (readonly [number, number])[] = [];
  for (let round = 0; round < warmUps + rounds; round += 1)
    costs.push([await cpuMs(ours), await cpuMs(bare)]);
  const measured = costs.slice(warmUps);
  return [median(measured.map(([one]) => one)), median(measured.map(([, other]) => other))];
}

/** How much slower a run's turns become: the last hundred over the hundred that ends at `turn`. */
async function slowing(length: number, turn: number): Promise<number> {
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const marks = new Float64Array(length + 1);
    await turningAgent(length, (at) => {
      marks[at] = performance.now();
    }).complete();
    const span = (to: number): number => (marks[to] ?? 0) - (marks[to - 99] ?? 0);
    ratios.push(span(length - 1) / span(turn));
  }
  return median(ratios);
}

const cost = z.object({ cpuMs: z.number(), peakMb: z.number() });
type Cost = z.output<typeof cost>;

function inProcess(script: string, argument: string): Cost {
  const file = fileURLToPath(new URL(script, import.meta.url));
  const { stdout } = spawnSync(process.execPath, ["--import", "tsx", file, argument], { encoding: "utf8" });
  return cost.parse(JSON.parse(stdout));
}

function manyAtOnce(): Row[] {
  const ours: Cost[] = [];
  const bare: Cost[] = [];
  for (let round = 0; round < 5; round += 1) {
    ours.push(inProcess("./many.ts", "ours"));
    bare.push(inProcess("./many.ts", "bare"));
  }
  const of = (costs: readonly Cost[], key: keyof Cost): number => median(costs.map((one) => one[key]));
  return [
    {
      work: "1,000 agents at once, CPU",
      unit: "ms",
      ours: of(ours, "cpuMs"),
      bare: of(bare, "cpuMs"),
      goal: 2,
    },
    {
      work: "1,000 agents at once, peak memory",
      unit: "MB",
      ours: of(ours, "peakMb"),
      bare: of(bare, "peakMb"),
      goal: 1.5,
    },
  ];
}

/** What a process costs that runs a program, its own start included. */
function processCpuMs(program: string): number {
  const { stdout } = spawnSync(
    process.execPath,
    ["--input-type=module", "--eval", `${program};${printCpu}`],
    {
      cwd: fileURLToPath(new URL("..", import.meta.url)),
      encoding: "utf8",
    },
  );
  return z.number().parse(JSON.parse(stdout));
}

const printCpu =
  "const { user, system } = process.cpuUsage(); process.stdout.write(JSON.stringify((user + system) / 1000))";

function importCost(): Row {
  const programs = ["0", 'import "zod"', 'import "@roboz/core"'];
  const costs: number[][] = [];
  for (let round = 0; round < 15; round += 1) costs.push(programs.map(processCpuMs));
  const of = (at: number): number => median(costs.map((one) => one[at] ?? Number.NaN));
  return {
    work: "import, CPU over an empty process",
    unit: "ms",
    ours: of(2) - of(0),
    bare: of(1) - of(0),
    goal: 1.2,
  };
}

// A run has 1,000 turns or steps, so its milliseconds are the microseconds of one.
const [turn, bareTurn] = await sideBySide(
  () => turningAgent(turns).complete(),
  () => bareTurns(turns),
);
const [step, bareStep] = await sideBySide(
  () => chainedAgent(turns).complete(),
  () => bareChain(turns),
);
report([
  { work: "agent turn, 1,000 turns in a run", unit: "µs", ours: turn, bare: bareTurn, goal: 7.6 },
  {
    work: "last 100 of 1,000 turns, over the first 100",
    unit: "×",
    ours: await slowing(turns, 100),
    bare: 1,
    goal: 1.2,
  },
  {
    work: "turn 3,000 over turn 100, in one run",
    unit: "×",
    ours: await slowing(3000, 100),
    bare: 1,
    goal: 1.2,
  },
  { work: "conditional chain step, 1,000 steps", unit: "µs", ours: step, bare: bareStep, goal: 3.3 },
  ...manyAtOnce(),
  importCost(),
]);
