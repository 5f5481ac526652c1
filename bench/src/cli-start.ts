/**
 * How long `roboz --help` takes beside an empty yargs program, both as processes of their own and in turn, so that both see the
 * same machine. Measures what is built: run `npm run build` first.
 *
 *     npx tsx bench/src/cli-start.ts [rounds]
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const rounds = Number(process.argv[2] ?? "15");
const cli = fileURLToPath(new URL("../../packages/cli/", import.meta.url));
const program = join(cli, "dist", "bin.js");
const emptyProgram = `import yargs from "yargs";\nawait yargs(process.argv.slice(2)).scriptName("empty").help().parse();\n`;

function median(times: readonly number[]): number {
  const sorted = times.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** The milliseconds from starting a program with `--help` to its end. */
function timeHelp(file: string): number {
  const start = performance.now();
  const { status, stdout } = spawnSync(process.execPath, [file, "--help"], { encoding: "utf8" });
  const time = performance.now() - start;
  if (status !== 0 || !stdout.includes("--help")) throw new Error(`${file} printed no help`);
  return time;
}

if (!existsSync(program)) throw new Error("The command is not built; run `npm run build` first");
const folder = await mkdtemp(join(tmpdir(), "roboz-bench-"));
try {
  const empty = join(folder, "empty.mjs");
  await writeFile(empty, emptyProgram);
  await symlink(join(cli, "node_modules"), join(folder, "node_modules"));
  const times: { empty: number[]; roboz: number[] } = { empty: [], roboz: [] };
  timeHelp(empty);
  timeHelp(program);
  for (let round = 0; round < rounds; round++) {
    times.empty.push(timeHelp(empty));
    times.roboz.push(timeHelp(program));
  }
  const medians = { empty: median(times.empty), roboz: median(times.roboz) };
  console.log(`an empty yargs program: ${medians.empty.toFixed(0)} ms (median of ${rounds})`);
  console.log(`roboz --help:           ${medians.roboz.toFixed(0)} ms (median of ${rounds})`);
  console.log(`ratio:                  ${(medians.roboz / medians.empty).toFixed(2)} (goal: at most 1.50)`);
} finally {
  await rm(folder, { recursive: true, force: true });
}
