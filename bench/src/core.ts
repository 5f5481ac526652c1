import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

import { Bench } from "tinybench";
import * as z from "zod";

import { chainedAgent, turningAgent } from "./agents.ts";
import { bareChain, bareTurns } from "./bare.ts";
import { median, report, type Row } from "./report.ts";

const turns = 1000;
const rounds = 30;

/** Times both contenders in turn, so that a slow minute meets both alike. */
async function sideBySide(
  ours: () => Promise<unknown>,
  bare: () => Promise<unknown>,
): Promise<readonly [number, number]> {
  const bench = new Bench({ iterations: rounds, warmupIterations: 10, time: 0, warmupTime: 0 });
  bench.add("ours", ours).add("bare", bare);
  await bench.run();
  const [first, second] = bench.tasks.map(({ result }) =>
    "latency" in result ? result.latency.p50 : Number.NaN,
  );
  return [first ?? Number.NaN, second ?? Number.NaN];
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

function importTime(): Row {
  const times = new Map<string, number[]>();
  for (let round = 0; round < 15; round += 1) {
    for (const program of ["0", 'import "zod"', 'import "@roboz/core"']) {
      const startedAt = performance.now();
      spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
        cwd: fileURLToPath(new URL("..", import.meta.url)),
      });
      times.set(program, [...(times.get(program) ?? []), performance.now() - startedAt]);
    }
  }
  const [empty = 0, zod = 0, core = 0] = [...times.values()].map(median);
  return {
    work: "import, over an empty process",
    unit: "ms",
    ours: core - empty,
    bare: zod - empty,
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
  importTime(),
]);
