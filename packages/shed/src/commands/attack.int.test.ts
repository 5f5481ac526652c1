import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bestContainment, FileAccess } from "../files/access.ts";
import { isWithin } from "../files/file-name.ts";
import { LinkOnPathError, systemSentence } from "../files/system-error.ts";
import { preparePatch } from "../patch/patch.ts";
import { PermissionPolicy } from "../permissions/policy.ts";
import { runTokens } from "./__fixtures__/command-run.ts";
import { OperationLog } from "./__fixtures__/operation-log.ts";
import { Random } from "./__fixtures__/random.ts";
import { randomCommand } from "./__fixtures__/random-tokens.ts";
import { CommandRefusal } from "./command.ts";

const isLong = process.env["ROBOZ_LONG"] === "1";
const seed = Number(process.env["ROBOZ_SEED"] ?? "4711");
const canaryName = "canary-7c1e09";
const canarySize = 79_191_793;

let top: string;
let base: string;
let notes: string;
let out: string;
let policy: PermissionPolicy;
let swapper: ChildProcess;
let swaps: () => Promise<number>;

beforeEach(async () => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "shed-attack-")));
  base = join(top, "w/app");
  notes = join(base, "notes");
  out = join(top, "w/out");
  mkdirSync(join(notes, "plain/deep"), { recursive: true });
  mkdirSync(join(out, "sub"), { recursive: true });
  writeFileSync(join(out, "secret.txt"), "SECRET-OUTSIDE\n");
  writeFileSync(join(out, "sub/c"), "SECRET-OUTSIDE\n");
  writeFileSync(join(out, canaryName), "SECRET-OUTSIDE\n");
  truncateSync(join(out, canaryName), canarySize);
  utimesSync(join(out, canaryName), 920_000_000, 920_000_000);
  salt();
  policy = new PermissionPolicy({
    base,
    allow: [{ pattern: "notes/**", operations: ["read", "create", "delete"] }],
    // The playground itself must stay.
    deny: [{ pattern: "notes", operations: ["delete"] }],
  });
  swapper = spawn(
    process.execPath,
    [fileURLToPath(new URL("__fixtures__/swapper.mjs", import.meta.url)), notes, out],
    {
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  const said: string[] = [];
  swapper.stdout?.on("data", (chunk: Buffer) => said.push(chunk.toString()));
  swaps = async () => {
    const ended = once(swapper, "close");
    swapper.stdin?.end();
    await ended;
    return Number(said.join("").replace("ready\n", ""));
  };
  await once(swapper, "spawn");
});

afterEach(async () => {
  if (swapper.exitCode === null) await swaps();
  rmSync(top, { recursive: true, force: true });
});

/** Puts back what commands may have removed; only into the folder that nobody swaps. */
function salt(): void {
  const attempt = (make: () => void) => {
    try {
      make();
    } catch {
      // It is still there.
    }
  };
  // A file may have been moved or copied to where the folders were.
  for (const folder of ["plain", "plain/deep"]) {
    attempt(() => {
      unlinkSync(join(notes, folder));
    });
    attempt(() => {
      mkdirSync(join(notes, folder));
    });
  }
  attempt(() => {
    writeFileSync(join(notes, "plain/a"), "inside\n", { flag: "wx" });
  });
  attempt(() => {
    writeFileSync(join(notes, "plain/-rf"), "inside\n", { flag: "wx" });
  });
  attempt(() => {
    writeFileSync(join(notes, "plain/odd name"), "inside\n", { flag: "wx" });
  });
  attempt(() => {
    writeFileSync(Buffer.concat([Buffer.from(join(notes, "plain/")), Buffer.from([0xff, 0xfe])]), "x", {
      flag: "wx",
    });
  });
  attempt(() => {
    symlinkSync(out, join(notes, "plain/link"));
  });
  attempt(() => {
    symlinkSync(join(out, "created"), join(notes, "plain/dangling"));
  });
  attempt(() => {
    symlinkSync("loop", join(notes, "plain/loop"));
  });
  attempt(() => {
    linkSync(join(out, "secret.txt"), join(notes, "plain/hard"));
  });
}

/** Copies of copies would fill the tree. What clears it is under attack itself. */
async function clear(): Promise<void> {
  for (const name of readdirSync(notes)) {
    if (/^(?:d1|d2|f1|f2|\.[df][12]\.(?:link|fifo))$/.test(name)) continue;
    const tokens = [
      { text: "-r", tag: "FLG" },
      { text: "--", tag: "FLG" },
      { text: `notes/${name}`, tag: "PTH" },
    ] as const;
    await runTokens("rm", tokens, { policy });
  }
}

/** Everything outside, as text. */
function outside(): string {
  const lines = [
    readdirSync(join(top, "w")),
    readdirSync(base),
    readdirSync(out),
    readdirSync(join(out, "sub")),
  ].map((names) => names.join(" "));
  for (const name of ["secret.txt", "sub/c", canaryName]) {
    const { size, mode, ino, mtimeMs } = statSync(join(out, name));
    lines.push(`${name} ${size} ${mode} ${ino} ${mtimeMs}`);
  }
  return [
    ...lines,
    readFileSync(join(out, "secret.txt"), "utf8"),
    readFileSync(join(out, "sub/c"), "utf8"),
  ].join("\n");
}

function leaks(text: string): boolean {
  return (
    text.includes("SECRET") ||
    text.includes(canaryName) ||
    text.includes(String(canarySize)) ||
    text.includes(" 1999 ")
  );
}

function openLog(): OperationLog {
  const trash = join(top, "trash");
  const isAllowed = (path: string) => isWithin(path, notes) || isWithin(path, trash);
  const isSystem = (path: string) =>
    /^\/(?:etc\/(?:passwd|group)|proc\/|usr\/|dev\/null|pipe:|socket:|anon_inode:)/.test(path);
  const isReadable = (path: string) => isAllowed(path) || isSystem(path);
  return new OperationLog(isAllowed, isReadable);
}

const anchored = bestContainment() === "anchored";

describe.runIf(anchored)("anchored file commands", () => {
  const sequences = Number(process.env["ROBOZ_SEQUENCES"] ?? (isLong ? 100_000 : 10_000));

  it(
    `let nothing out and nothing in, in ${sequences} random commands while directories are swapped`,
    { timeout: 3_600_000 },
    async () => {
      process.env["XDG_DATA_HOME"] = join(top, "trash");
      const random = new Random(seed);
      const places = [
        "..",
        ".",
        base,
        notes,
        out,
        `${out}/secret.txt`,
        "../out",
        "/",
        "/proc/self/root",
        "/dev/fd",
        "~",
        "/etc",
      ];
      const before = outside();
      const log = openLog();
      const leaked: string[] = [];
      const statuses = new Map<number, number>();
      for (let index = 0; index < sequences; index++) {
        const { name, tokens } = randomCommand(random, places);
        log.start();
        let text: string;
        try {
          const {
            status,
            stdout,
            stderr,
            refused = "",
          } = await runTokens(name, tokens, {
            policy,
            stdin: random.chance(0.2) ? Buffer.from("piped\n") : undefined,
          });
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          text = [stdout, stderr, refused].join("\n");
        } finally {
          log.stop();
        }
        // What the command was told, it may repeat.
        const told = tokens.map((token) => token.text);
        if (leaks(text) && !told.some(leaks))
          leaked.push(`${name} ${JSON.stringify(told)}: ${text.slice(0, 300)}`);
        if (index % 50 === 49) {
          expect(outside()).toBe(before);
          await clear();
        }
        if (index % 10 === 9) salt();
      }
      const swapped = await swaps();
      expect({ leaked: leaked.slice(0, 5), violations: log.violations.slice(0, 5) }).toEqual({
        leaked: [],
        violations: [],
      });
      expect(outside()).toBe(before);
      // Both kinds of ends occur, or the commands would have met nothing.
      expect(statuses.get(0) ?? 0).toBeGreaterThan(sequences / 10);
      expect(statuses.get(1) ?? 0).toBeGreaterThan(sequences / 10);
      expect(log.calls).toBeGreaterThan(sequences / 10);
      expect(swapped).toBeGreaterThan(isLong ? 1_000_000 : 1_000);
      if (isLong) console.log({ swapped, calls: log.calls, statuses: Object.fromEntries(statuses) });
    },
  );

  const rounds = isLong ? 100_000 : 150;

  it.each([
    { why: "RC-01: cat", line: "cat", paths: ["notes/d1/secret.txt"] },
    { why: "RC-01: tee", line: "tee", paths: ["notes/d1/new"], text: "MINE" },
    { why: "RC-01: rm", line: "rm", paths: ["notes/d1/secret.txt"] },
    { why: "RC-01: mkdir", line: "mkdir", flags: ["-p"], paths: ["notes/d1/x/y"] },
    { why: "RC-01: cp", line: "cp", paths: ["notes/d1/secret.txt", "notes/d2/copy"] },
    { why: "RC-01: touch", line: "touch", paths: ["notes/d1/secret.txt"] },
    { why: "RC-02: reading a file that is swapped for a link", line: "cat", paths: ["notes/f1"] },
    {
      why: "RC-02: writing a file that is swapped for a link",
      line: "tee",
      paths: ["notes/f1"],
      text: "MINE",
    },
    { why: "RC-03: rm -r", line: "rm", flags: ["-r"], paths: ["notes/d1"] },
    { why: "RC-09: reading a file that is swapped for a FIFO", line: "cat", paths: ["notes/f2"] },
  ])(
    `keep to their side, ${rounds} times: $why`,
    { timeout: 3_600_000 },
    async ({ line, paths, flags = [], text }) => {
      const before = outside();
      const log = openLog();
      const tokens = [
        ...flags.map((flag) => ({ text: flag, tag: "FLG" as const })),
        ...(text === undefined ? [] : [{ text, tag: "ARG" as const }]),
        ...paths.map((path) => ({ text: path, tag: "PTH" as const })),
      ];
      log.start();
      try {
        for (let round = 0; round < rounds; round++) {
          const { stdout, stderr } = await runTokens(line, tokens, { policy });
          expect(leaks(stdout + stderr)).toBe(false);
        }
      } finally {
        log.stop();
      }
      expect(log.violations).toEqual([]);
      expect(outside()).toBe(before);
    },
  );

  it.each(["grep", "rg"])(
    `keep to their side, ${Math.ceil(rounds / 4)} times: RC-01, RC-02: %s over so many files that their texts are read first`,
    { timeout: 3_600_000 },
    async (name) => {
      // A second name anywhere would refuse the whole search.
      unlinkSync(join(notes, "plain/hard"));
      mkdirSync(join(notes, "plain/many"));
      for (let index = 0; index < 60; index++)
        writeFileSync(join(notes, `plain/many/${index}`), `inside ${index}\n`);
      const before = outside();
      const log = openLog();
      const tokens = [
        { text: name === "grep" ? "-r" : "-uu", tag: "FLG" },
        { text: name === "grep" ? "side\\|SECRET" : "side|SECRET", tag: "ARG" },
        { text: "notes", tag: "PTH" },
      ] as const;
      let found = 0;
      log.start();
      try {
        for (let round = 0; round < rounds / 4; round++) {
          const { stdout, stderr } = await runTokens(name, tokens, { policy });
          expect(leaks(stdout + stderr)).toBe(false);
          if (stdout.includes("many/7:")) found++;
        }
      } finally {
        log.stop();
      }
      expect(log.violations).toEqual([]);
      expect(outside()).toBe(before);
      expect(found).toBeGreaterThan(0);
    },
  );

  it(`keep to their side, ${rounds} times: RC-01: apply_patch`, { timeout: 3_600_000 }, async () => {
    const before = outside();
    const { signal } = new AbortController();
    for (let round = 0; round < rounds; round++) {
      const access = new FileAccess({ base });
      try {
        const request = {
          path: "notes/d1/secret.txt",
          oldText: round % 2 === 0 ? "inside" : "",
          newText: "inside\n",
          replacesAll: false,
        };
        const prepared = await preparePatch(request, {
          access,
          literal: (path) => Promise.resolve(access.lookUp(path)),
        });
        const { text } = await prepared.run(signal);
        expect(leaks(text)).toBe(false);
      } catch (error) {
        const isExpected = error instanceof CommandRefusal || error instanceof LinkOnPathError;
        if (!isExpected && systemSentence(error) === undefined) throw error;
      } finally {
        access.close();
      }
    }
    expect(outside()).toBe(before);
  });
});
