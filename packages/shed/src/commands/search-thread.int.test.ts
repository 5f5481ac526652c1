import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { linkSync, mkdirSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { bestContainment } from "../files/access.ts";
import { FileWork } from "../files/file-jobs.ts";
import type { FileJob, FileReply } from "../files/file-jobs.ts";
import { FileThread } from "../files/file-thread.ts";
import { isWithin } from "../files/file-name.ts";
import { OperationLog } from "./__fixtures__/operation-log.ts";
import { Playground } from "./__fixtures__/playground.ts";

/** So many that the second thread has jobs of both kinds. */
const folders = 264;
let play: Playground;
let thread: FileThread;
/** What the thread was asked for. */
let kinds: Set<FileJob["kind"]>;

function makeTree(): void {
  play = new Playground();
  for (let index = 0; index < folders; index++) {
    const name = (file: number) => `notes/tree/part-${index % 16}/folder-${index}/file-${file}`;
    const text = index % 40 === 7 ? "a needle\n" : "straw\n";
    play.write({ [name(0)]: text, [name(1)]: `straw\n${text}\0`, [name(2)]: "needles of straw\nx" });
  }
}

async function startThread(): Promise<void> {
  thread = FileThread.shared();
  await vi.waitFor(
    () => {
      expect(thread.isReady).toBe(true);
    },
    { timeout: 60_000 },
  );
  kinds = new Set();
  const original = thread.do.bind(thread);
  vi.spyOn(thread, "do").mockImplementation((job) => {
    kinds.add(job.kind);
    return original(job);
  });
}

/** Does the thread's work here, so that it can be watched. */
function workHere(changed: (reply: FileReply) => FileReply = (reply) => reply): { jobs: number } {
  const work = new FileWork();
  const count = { jobs: 0 };
  vi.spyOn(FileThread, "shared").mockReturnValue(thread);
  vi.spyOn(thread, "isReady", "get").mockReturnValue(true);
  vi.spyOn(thread, "do").mockImplementation((job) => {
    count.jobs++;
    return Promise.resolve(changed(work.do(job)));
  });
  return count;
}

beforeEach(startThread, 60_000);

afterEach(() => {
  vi.restoreAllMocks();
});

/** The lines in any order: programs walk a tree as it comes. */
function lines(text: string): readonly string[] {
  return text.split("\n").sort();
}

const searches = [
  { name: "grep", flags: ["-r"], pattern: "needle" },
  { name: "grep", flags: ["-r", "-l"], pattern: "needle$" },
  { name: "grep", flags: ["-r", "-w", "-F"], pattern: "needle" },
  { name: "grep", flags: ["-r", "-i"], pattern: "NEEDLE" },
  { name: "grep", flags: ["-r"], pattern: "no such words" },
  { name: "rg", flags: ["-uu"], pattern: "needle" },
  { name: "rg", flags: ["-uu", "-n"], pattern: "ne+dle$" },
  { name: "rg", flags: ["-uu", "-c", "-v"], pattern: "straw" },
  { name: "rg", flags: ["-uu"], pattern: "no such words" },
];

describe("a search that a second thread helps with", () => {
  beforeAll(makeTree);

  afterAll(() => {
    play.remove();
  });

  it.each(searches)("finds what $name $flags $pattern finds by itself", async ({ name, flags, pattern }) => {
    const ours = await play.run(`${name} ${flags.join(" ")} '${pattern}' notes/tree`);
    const native = spawnSync(name, [...flags, "-e", pattern, "notes/tree"], {
      cwd: play.base,
      env: { PATH: "/usr/bin:/bin", LC_ALL: "C.UTF-8" },
      encoding: "latin1",
    });
    expect(ours.refused).toBeUndefined();
    expect(lines(ours.stdout)).toEqual(lines(native.stdout));
    expect(ours.status).toBe(native.status);
    expect(kinds).toEqual(new Set(["list", "join"]));
  });

  it("finds the same when the thread fails", async () => {
    const first = await play.run("grep -r 'needle' notes/tree");
    vi.spyOn(thread, "do").mockResolvedValue(undefined);
    expect(await play.run("grep -r 'needle' notes/tree")).toEqual(first);
    expect(lines(first.stdout).length).toBeGreaterThan(folders);
  });

  it("lists here what the thread could not list", async () => {
    const first = await play.run("grep -r 'needle' notes/tree");
    const count = workHere((reply) =>
      reply.kind === "list" ? { ...reply, identities: new BigInt64Array(reply.identities.length) } : reply,
    );
    expect(await play.run("grep -r 'needle' notes/tree")).toEqual(first);
    expect(count.jobs).toBeGreaterThan(0);
  });
});

describe("a tree that is no longer as it was, which a second thread helps to search", () => {
  beforeEach(makeTree);

  afterEach(() => {
    play.remove();
  });

  it.each(["grep -r 'needle'", "grep -r 'ne*dle'", "rg 'needle'", "rg 'ne+dle'"])(
    "is refused by %s for the first of several files with a second name, and nothing is shown (SL-10, shed 77)",
    async (command) => {
      // The parts are in the order of their bytes: 0, 1, 10, 11, …
      for (const folder of ["part-9/folder-9", "part-2/folder-2", "part-15/folder-15"])
        linkSync(join(play.out, "secret.txt"), play.path(`notes/tree/${folder}/file-1-hard`));
      const { refused, stdout } = await play.run(`${command} notes/tree`);
      expect(refused).toContain(`'notes/tree/part-15/folder-15/file-1-hard': Has more than one hard link`);
      expect(stdout).toBe("");
    },
  );

  it.each(["grep -r", "rg"])(
    "does not follow %s to what takes the place of files and folders after the decision (RC-01, RC-02)",
    async (command) => {
      const { stdout, stderr } = await play.runBetween(`${command} 'OUT|straw' notes/tree`, () => {
        for (let part = 0; part < 16; part++) {
          const folder = play.path(`notes/tree/part-${part}/folder-${part}`);
          unlinkSync(join(folder, "file-0"));
          symlinkSync(join(play.out, "secret.txt"), join(folder, "file-0"));
          renameSync(
            play.path(`notes/tree/part-${part}/folder-${part + 16}`),
            play.path(`notes/away-${part}`),
          );
          symlinkSync(play.out, play.path(`notes/tree/part-${part}/folder-${part + 16}`));
          renameSync(
            play.path(`notes/tree/part-${part}/folder-${part + 32}`),
            play.path(`notes/old-${part}`),
          );
          mkdirSync(play.path(`notes/tree/part-${part}/folder-${part + 32}`));
          writeFileSync(
            play.path(`notes/tree/part-${part}/folder-${part + 32}/file-1`),
            "OUTSIDE of the decision",
          );
        }
      });
      expect(stdout).not.toContain("OUTSIDE");
      expect(kinds).toContain("join");
      for (let part = 0; part < 16; part++) {
        expect(stderr).toContain(`part-${part}/folder-${part}/file-0: Changed since it was checked`);
        expect(stderr).toContain(`part-${part}/folder-${part + 32}/file-1: Changed since it was checked`);
      }
    },
  );
});

const isLong = process.env["ROBOZ_LONG"] === "1";
const rounds = isLong ? 5_000 : 20;

describe.runIf(bestContainment() === "anchored")("the work of the second thread", () => {
  beforeEach(makeTree);

  afterEach(() => {
    play.remove();
  });

  it.each(["grep -r", "rg -uu"])(
    `keeps to its side, ${rounds} times: RC-01, RC-02: %s while directories are swapped`,
    { timeout: 3_600_000 },
    async (command) => {
      const notes = play.path("notes");
      const swapper = spawn(
        process.execPath,
        [fileURLToPath(new URL("__fixtures__/swapper.mjs", import.meta.url)), notes, play.out],
        { stdio: ["pipe", "ignore", "inherit"] },
      );
      const count = workHere();
      const isSystem = (path: string) => /^\/(?:proc\/|usr\/|dev\/null|pipe:|socket:)/.test(path);
      const log = new OperationLog(
        (path) => isWithin(path, notes),
        (path) => isWithin(path, notes) || isSystem(path),
      );
      const ended = once(swapper, "close");
      let found = 0;
      log.start();
      try {
        for (let round = 0; round < rounds; round++) {
          const pattern = round % 2 === 0 ? "s" : "OUTSIDE|straw";
          const { stdout, stderr } = await play.run(`${command} '${pattern}' notes`);
          expect(stdout + stderr).not.toContain("OUTSIDE");
          if (stdout.includes("straw")) found++;
        }
      } finally {
        log.stop();
        swapper.stdin.end();
        await ended;
      }
      expect(log.violations).toEqual([]);
      expect(count.jobs).toBeGreaterThan(rounds);
      expect(log.calls).toBeGreaterThan(rounds);
      expect(found).toBeGreaterThan(0);
    },
  );
});
