/**
 * The file commands beside the programs of the same names, in turn, so that both see the same machine. Ours is a whole
 * call of the tool by an agent with a scripted model: looking, judging, running and reporting. Measures what is built:
 * run `npm run build` first.
 *
 *     npm --prefix bench run files
 */
import { spawnSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { runCommands, startPrograms, type Tokens } from "./filing.ts";
import { median, report, type Row } from "./report.ts";

const rounds = Number(process.argv[2] ?? "9");
/** Rounds that are not counted. */
const warmUps = 2;
const words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"];
const base = realpathSync(mkdtempSync(join(tmpdir(), "roboz-bench-")));

/** Starts a program, as a tool without a shell would, and waits for its end. */
function native(program: string, programArguments: readonly string[]): void {
  const { status } = spawnSync(program, programArguments, { cwd: base, maxBuffer: 64 * 1024 * 1024 });
  if (status !== 0) throw new Error(`${program} ended with ${status}`);
}

/** The milliseconds each of two works takes, in turn. */
async function inTurn(
  ours: (round: number) => unknown,
  bare: (round: number) => unknown,
): Promise<{ ours: number; bare: number }> {
  const times: { ours: number[]; bare: number[] } = { ours: [], bare: [] };
  for (let round = -warmUps; round < rounds; round++) {
    const start = performance.now();
    await ours(round);
    const between = performance.now();
    await bare(round);
    const end = performance.now();
    if (round < 0) continue;
    times.ours.push(between - start);
    times.bare.push(end - between);
  }
  return { ours: median(times.ours), bare: median(times.bare) };
}

/** Lines of words; every file of the tree has other ones. */
function textOf(seed: number, lines: number): string {
  return Array.from(
    { length: lines },
    (_, line) =>
      `${words[(seed + line * 3) % 10] ?? ""} ${words[(seed * 7 + line) % 10] ?? ""} line ${line}\n`,
  ).join("");
}

const callsInARow = 50;
const calls = Array.from({ length: callsInARow }, (_, call) => call);

/** What a call is given; each round has calls of its own. */
type Given = (call: number) => readonly string[];

/** Many calls on small files, each a turn of one run, beside as many turns that start the program. */
function smallFiles(name: string, given: Given): Promise<Row> {
  return besidePrograms(`${name}, small files`, 0.2, [name, given], (first) =>
    runCommands(
      base,
      calls.map((call): Tokens => [
        [name, "CMD"],
        ...given(first + call).map((path) => [path, "PTH"] as const),
      ]),
    ),
  );
}

/** How long the file system may take to come to rest, in seconds. */
const restSeconds = 400;

/**
 * Waits until making a file is as quick as it is on a file system at rest: an ext4 without a journal passes over every
 * inode that was freed in the last minutes, such as those of a run before, at a millisecond a file for both sides.
 */
async function comeToRest(folder: string): Promise<void> {
  const linked = join(folder, "linked");
  writeFileSync(linked, "");
  let made = 0;
  const timeOf = (make: (path: string) => void): number =>
    median(
      Array.from({ length: 500 }, () => {
        const start = performance.now();
        make(join(folder, `made-${made++}`));
        return performance.now() - start;
      }),
    );
  const isAtRest = (): boolean =>
    timeOf(makeFile) <
    8 *
      timeOf((path) => {
        linkSync(linked, path);
      });
  for (let waited = 0; waited < restSeconds && !isAtRest(); waited += 20) {
    if (waited === 0) process.stderr.write("Waiting until the file system has forgotten what was removed…\n");
    await sleep(20_000);
  }
}

function makeFile(path: string): void {
  closeSync(openSync(path, "wx"));
}

/** What of `cp` is the making of a file by the system, which both sides wait for. */
function madeFiles(given: Given): Promise<Row> {
  return besidePrograms("making an empty file, beside cp", Infinity, ["cp", given], (first) => {
    for (const call of calls) makeFile(join(base, `copies/empty-${first + call}`));
  });
}

async function besidePrograms(
  work: string,
  goal: number,
  [name, given]: readonly [name: string, given: Given],
  ours: (first: number) => unknown,
): Promise<Row> {
  const firstOf = (round: number) => (round + warmUps) * callsInARow;
  const programsFirst = firstOf(rounds);
  const times = await inTurn(
    (round) => ours(firstOf(round)),
    (round) =>
      startPrograms(
        base,
        calls.map((call) => [name, ...given(programsFirst + firstOf(round) + call)]),
      ),
  );
  return {
    work,
    unit: "ms",
    ours: times.ours / callsInARow,
    bare: times.bare / callsInARow,
    goal,
  };
}

const fileCount = 20_000;

/** The searched tree, made when the first row needs it. */
function makeTree(): void {
  if (existsSync(join(base, "tree"))) return;
  for (let index = 0; index < fileCount; index++) {
    const folder = join(base, "tree", `part-${index % 20}`, `folder-${Math.trunc(index / 100)}`);
    if (index % 100 < 20) mkdirSync(folder, { recursive: true });
    const rare = index % 400 === 0 ? "a needle in it\n" : "";
    writeFileSync(join(folder, `file-${index}.txt`), textOf(index, 20) + rare);
  }
}

function searchTokens(name: "rg" | "grep", flags: readonly string[], pattern: string): Tokens {
  return [[name, "CMD"], ...flags.map((flag) => [flag, "FLG"] as const), [pattern, "ARG"], ["tree", "PTH"]];
}

async function search(name: "rg" | "grep", flags: readonly string[], pattern: string): Promise<Row> {
  makeTree();
  const tokens = searchTokens(name, flags, pattern);
  const times = await inTurn(
    () => runCommands(base, [tokens]),
    () => {
      native(name, [...flags, pattern, "tree"]);
    },
  );
  return {
    work: `${[name, ...flags, pattern].join(" ")}, ${fileCount} files`,
    unit: "ms",
    ...times,
    goal: 2,
  };
}

const bigMebibytes = 256;

/** The piped file, made when the first row needs it. */
function makeBigFile(): void {
  if (existsSync(join(base, "big.txt"))) return;
  const block = Buffer.from(textOf(1, 40_000));
  const copies = Array.from({ length: Math.ceil((bigMebibytes << 20) / block.length) }, () => block);
  writeFileSync(join(base, "big.txt"), Buffer.concat(copies).subarray(0, bigMebibytes << 20));
}

function pipeTokens(flags: readonly string[]): Tokens {
  return [
    ["cat", "CMD"],
    ["big.txt", "PTH"],
    ["|", "CTL"],
    ["wc", "CMD"],
    ...flags.map((flag) => [flag, "FLG"] as const),
  ];
}

async function pipe(flags: readonly string[]): Promise<Row> {
  makeBigFile();
  const tokens = pipeTokens(flags);
  const line = ["cat big.txt | wc", ...flags].join(" ");
  const times = await inTurn(
    () => runCommands(base, [tokens]),
    () => {
      native("/bin/sh", ["-c", line]);
    },
  );
  return { work: `${line}, ${bigMebibytes} MiB`, unit: "ms", ...times, goal: 2 };
}

/** What one command takes in a process of its own, which does nothing else. */
function memory(work: string, tokens: Tokens): Row {
  makeTree();
  makeBigFile();
  const program = fileURLToPath(new URL("file-memory.ts", import.meta.url));
  const { stdout, status } = spawnSync(
    process.execPath,
    [...process.execArgv, program, base, JSON.stringify(tokens)],
    { encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`The process that measures ${work} failed`);
  return { work: `peak memory of ${work}`, unit: "MiB", ours: Number(stdout), bare: 200, goal: 1 };
}

try {
  mkdirSync(join(base, "copies"));
  for (let index = 0; index < 20; index++) writeFileSync(join(base, `small-${index}.txt`), textOf(index, 40));
  const small = (call: number) => `small-${call % 20}.txt`;
  const only = process.argv[3];
  const works: Readonly<Record<string, () => Promise<Row> | Row>> = {
    cat: () => smallFiles("cat", (call) => [small(call)]),
    cp: async () => {
      await comeToRest(join(base, "copies"));
      return smallFiles("cp", (call) => [small(call), `copies/${call}.txt`]);
    },
    "cp-making": () => madeFiles((call) => [small(call), `copies/beside-${call}.txt`]),
    ls: () => smallFiles("ls", () => ["."]),
    wc: () => smallFiles("wc", (call) => [small(call)]),
    pipe: () => pipe([]),
    "pipe-lines": () => pipe(["-l"]),
    rg: () => search("rg", [], "needle"),
    grep: () => search("grep", ["-r"], "needle"),
    "memory-pipe": () => memory("the pipe", pipeTokens([])),
    "memory-rg": () => memory("rg", searchTokens("rg", [], "needle")),
    "memory-grep": () => memory("grep", searchTokens("grep", ["-r"], "needle")),
  };
  const rows: Row[] = [];
  for (const [name, measure] of Object.entries(works))
    if (only === undefined || name.startsWith(only)) rows.push(await measure());
  report(rows);
} finally {
  rmSync(base, { recursive: true });
}
