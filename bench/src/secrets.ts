/**
 * How long encrypted environments take to open: a file of 100 secrets against a file of one, at the default cost and
 * in turn, so that both see the same machine. Also what format v1 takes for 100 secrets, which derives a key for each.
 * Measures what is built: run `npm run build` first.
 *
 *     npm --prefix bench run secrets
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { encryptEnv, loadSecrets, type SecretFormat } from "@roboz/endpoints/env";

import { peakMebibytes } from "./peak-memory.ts";

const password = "correct horse battery staple";
const rounds = Number(process.argv[2] ?? "9");

function median(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function namesOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `BENCH_SECRET_${index}`);
}

async function writeEnv(folder: string, count: number, format: SecretFormat): Promise<string> {
  const path = join(folder, `${format}-${count}.env`);
  const secretNames = namesOf(count);
  await writeFile(path, secretNames.map((name, index) => `${name}=sk-${index}-${"x".repeat(40)}\n`).join(""));
  return encryptEnv({ path, secretNames, password, format });
}

/** The milliseconds that one load takes, with nothing loaded before. */
async function timeLoad(path: string, count: number): Promise<number> {
  const start = performance.now();
  const loaded = await loadSecrets({ path, password });
  const time = performance.now() - start;
  if (loaded.length !== count) throw new Error(`${loaded.length} of ${count} secrets were loaded`);
  for (const name of loaded) {
    Reflect.deleteProperty(process.env, name);
    Reflect.deleteProperty(process.env, `${name}_ENCRYPTED`);
  }
  return time;
}

const folder = await mkdtemp(join(tmpdir(), "roboz-bench-"));
try {
  const one = await writeEnv(folder, 1, "v2");
  const hundred = await writeEnv(folder, 100, "v2");
  const times: { one: number[]; hundred: number[] } = { one: [], hundred: [] };
  await timeLoad(one, 1);
  await timeLoad(hundred, 100);
  for (let round = 0; round < rounds; round++) {
    times.one.push(await timeLoad(one, 1));
    times.hundred.push(await timeLoad(hundred, 100));
  }
  const medians = { one: median(times.one), hundred: median(times.hundred) };
  const ratio = medians.hundred / medians.one;
  console.log(`v2, 1 secret:     ${medians.one.toFixed(0)} ms (median of ${rounds})`);
  console.log(`v2, 100 secrets:  ${medians.hundred.toFixed(0)} ms (median of ${rounds})`);
  console.log(`ratio 100 to 1:   ${ratio.toFixed(2)} (goal: at most 1.50)`);

  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const start = performance.now();
  const v1 = await writeEnv(folder, 100, "v1");
  const encrypted = performance.now() - start;
  const opened = await timeLoad(v1, 100);
  delay.disable();
  const peakMiB = peakMebibytes();
  console.log(
    `v1, 100 secrets:  ${(encrypted / 1000).toFixed(1)} s to encrypt, ${(opened / 1000).toFixed(1)} s to open`,
  );
  console.log(`longest stall of the event loop meanwhile: ${(delay.max / 1e6).toFixed(0)} ms (limit: 200)`);
  console.log(`peak memory of the process: ${peakMiB.toFixed(0)} MiB (limit: 512)`);
} finally {
  await rm(folder, { recursive: true });
}
