import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { systemError } from "../files/system-error.ts";
import { asNobody, mountMemory, unmount, withCall } from "./__fixtures__/faults.ts";
import { Playground } from "./__fixtures__/playground.ts";

let play: Playground;

beforeEach(() => {
  play = new Playground();
  play.write({ "notes/a": "one needle\ntwo\n", "notes/big": "a line of text\n".repeat(50_000) });
});

afterEach(() => {
  play.remove();
});

const tsArguments = ["--conditions=@roboz/source", "--import", "tsx"];
const isLong = process.env["ROBOZ_LONG"] === "1";

/** Whether this machine lets a test mount a file system; only root may, and not in every container. */
const mayMount = ((): boolean => {
  const folder = mkdtempSync(join(tmpdir(), "shed-mount-"));
  try {
    if (!mountMemory(folder, "size=16k")) return false;
    unmount(folder);
    return true;
  } finally {
    rmSync(folder, { recursive: true });
  }
})();

/** Notes what a descriptor stands for, as the system says it. */
const isNotes = (descriptor: unknown): boolean =>
  typeof descriptor === "number" &&
  descriptor > 2 &&
  readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(join(play.base, "notes"));

describe.runIf(process.platform === "linux")("a command that fails in the middle", () => {
  it.runIf(mayMount).each(["cp notes/big notes/small/copy", "tee notes/small/copy"])(
    "tells that the disk is full: %s (IO-01)",
    async (line) => {
      const disk = play.path("notes/small");
      mkdirSync(disk);
      mountMemory(disk, "size=64k");
      try {
        const { status, stderr } = await play.run(line, readFileSync(play.path("notes/big")));
        expect(status).toBe(1);
        expect(stderr).toContain("No space left on device");
        expect(readdirSync(disk)).toEqual([]);
      } finally {
        unmount(disk);
      }
    },
  );

  it.each(["cp notes/big notes/copy", "tee notes/copy", "mv notes/a notes/b"])(
    "does not pass for a success when nothing more can be written: %s (IO-01)",
    async (line) => {
      const full = (original: (...given: readonly unknown[]) => unknown, given: readonly unknown[]) => {
        if (isNotes(given[0])) throw systemError("ENOSPC");
        return original(...given);
      };
      const { status, stderr } = await withCall("writeSync", full, () =>
        play.run(line, readFileSync(play.path("notes/big"))),
      );
      // A move within one file system writes nothing, and needs no room.
      expect(status).toBe(line.startsWith("mv") ? 0 : 1);
      if (line.startsWith("mv")) expect(play.read("notes/b")).toBe("one needle\ntwo\n");
      else expect(stderr).toContain("No space left on device");
    },
  );

  it("leaves no note in the trash that could not be written (IO-01, IO-07)", async () => {
    vi.stubEnv("XDG_DATA_HOME", join(play.top, "data"));
    const full = () => {
      throw systemError("ENOSPC");
    };
    const { status, stderr } = await withCall("writeSync", full, () => play.run("gio 'trash' notes/a"));
    vi.unstubAllEnvs();
    expect(status).toBe(1);
    expect(stderr).toContain("No space left on device");
    expect(readdirSync(join(play.top, "data/Trash/info"))).toEqual([]);
    expect(play.read("notes/a")).toBe("one needle\ntwo\n");
  });

  it.each(["cat notes/big", "cp notes/big notes/copy", "wc notes/big", "head -n '40000' notes/big"])(
    "tells that a file could be read no further: %s (IO-04)",
    async (line) => {
      let reads = 0;
      const failing = (original: (...given: readonly unknown[]) => unknown, given: readonly unknown[]) => {
        if (isNotes(given[0]) && ++reads > 1) throw systemError("EIO");
        return original(...given);
      };
      const { status, stderr } = await withCall("readSync", failing, () => play.run(line));
      expect(status).toBe(1);
      expect(stderr).toContain("Input/output error");
    },
  );

  it.each(["grep -r 'needle' notes/tree", "rg 'needle' notes/tree"])(
    "has the status of a program that could read no further: %s (IO-04)",
    async (line) => {
      play.write({ "notes/tree/bad": "needle\n" });
      play.policy = play.policyWith({ allow: [{ pattern: "/**", operations: ["read"] }] });
      // Memory that is not mapped: a file for all that can be asked of it, which cannot be read.
      const unreadable = (original: (...given: readonly unknown[]) => unknown, given: readonly unknown[]) =>
        String(given[0]).endsWith("/bad") ? original("/proc/self/mem", given[1]) : original(...given);
      const { status, stderr } = await withCall("openSync", unreadable, () => play.run(line));
      expect(status).toBe(2);
      expect(stderr).toMatch(/notes\/tree\/bad: .*Input\/output error/);
    },
  );

  it.each(
    ["grep -r 'needle' notes/tree", "rg 'needle' notes"].flatMap((line) => [
      { line, when: "it is listed", ask: [] },
      { line, when: "it is looked at for a person", ask: [{ pattern: "zz", operations: ["read"] } as const] },
    ]),
  )("names the directory that a search could not list, when $when: $line", async ({ line, ask }) => {
    play.write({
      "notes/tree/a/f": "needle\n",
      "notes/tree/shut/f": "needle\n",
      "notes/tree/z/f": "needle\n",
    });
    const closed = (original: (...given: readonly unknown[]) => unknown, given: readonly unknown[]) => {
      if (String(given[0]).endsWith("/shut")) throw systemError("EACCES");
      return original(...given);
    };
    play.policy = play.policyWith({ allow: [{ pattern: "/**", operations: ["read"] }], ask });
    const { refused } = await withCall("openSync", closed, () => play.run(line));
    expect(refused).toBe(`${line.split(" ")[0] ?? ""}: 'notes/tree/shut': Permission denied`);
    const deny = [{ pattern: "notes/tree/shut", operations: ["read"] } as const];
    play.policy = play.policyWith({ allow: [{ pattern: "/**", operations: ["read"] }], ask, deny });
    const denied = await withCall("openSync", closed, () => play.run(line));
    expect(denied.refused).toMatch(/^Denied read /);
  });

  it.each(["cat notes/big", "tail -n '5' notes/big", "wc notes/big", "cp notes/big notes/copy"])(
    "ends when a file grows or shrinks while it is read: %s (RC-08)",
    async (line) => {
      for (const change of [
        () => {
          truncateSync(play.path("notes/big"), 10);
        },
        () => {
          appendFileSync(play.path("notes/big"), "more\n".repeat(10_000));
        },
      ]) {
        writeFileSync(play.path("notes/big"), "a line of text\n".repeat(50_000));
        rmSync(play.path("notes/copy"), { force: true });
        let reads = 0;
        const changing = (original: (...given: readonly unknown[]) => unknown, given: readonly unknown[]) => {
          const count = original(...given);
          if (isNotes(given[0]) && ++reads <= 20) change();
          return count;
        };
        const { status } = await withCall("readSync", changing, () => play.run(line));
        expect(status).toBe(0);
        expect(reads).toBeGreaterThan(0);
      }
    },
  );

  it("does not move between file systems, and copies nothing (IO-03)", async (context) => {
    const memory = statSync("/dev/shm", { throwIfNoEntry: false });
    if (memory === undefined || memory.dev === statSync(play.base).dev)
      return context.skip("this machine has no second file system to write to");
    const other = mkdtempSync("/dev/shm/shed-move-");
    try {
      play.allowAll();
      const { status, refused } = await play.run(`mv notes/a ${other}/a`);
      expect(status).toBe(1);
      expect(refused).toMatch(/file system/);
      expect(readdirSync(other)).toEqual([]);
      expect(play.read("notes/a")).toBe("one needle\ntwo\n");
    } finally {
      rmSync(other, { recursive: true });
    }
  });

  it.each([
    { why: "a file without the right to write", line: "tee 'x' notes/a", says: "Permission denied" },
    { why: "a folder without the right to enter", line: "cat notes/closed/f", says: "Permission denied" },
    { why: "a folder without the right to write", line: "touch notes/fixed/new", says: "Permission denied" },
    { why: "a copy over such a file", line: "cp notes/big notes/a", says: "Permission denied" },
    { why: "a search of such a folder", line: "grep -r 'x' notes/closed", says: "Permission denied" },
  ])("does nothing by another way: $why (IO-06)", async ({ line, says }) => {
    play.write({ "notes/closed/f": "x\n", "notes/fixed/f": "x\n" });
    for (const folder of [play.top, play.base, play.path("notes")]) chmodSync(folder, 0o777);
    chmodSync(play.path("notes/a"), 0o444);
    chmodSync(play.path("notes/closed"), 0o600);
    chmodSync(play.path("notes/fixed"), 0o555);
    const { status, stderr, refused = "" } = await asNobody(() => play.run(line));
    expect(status).not.toBe(0);
    expect(stderr + refused).toContain(says);
    expect(play.read("notes/a")).toBe("one needle\ntwo\n");
    expect(readdirSync(play.path("notes/fixed"))).toEqual(["f"]);
    chmodSync(play.path("notes/closed"), 0o755);
  });

  it
    .runIf(mayMount)
    .each(["touch notes/disk/new", "tee 'x' notes/disk/f", "rm notes/disk/f", "mkdir notes/disk/d"])(
    "tells that the file system is read-only: %s (IO-06)",
    async (line) => {
      const disk = play.path("notes/disk");
      mkdirSync(disk);
      mountMemory(disk, "size=64k");
      try {
        writeFileSync(join(disk, "f"), "old\n");
        execFileSync("mount", ["-o", "remount,ro", disk]);
        const { status, stderr } = await play.run(line);
        expect(status).toBe(1);
        expect(stderr).toContain("Read-only file system");
        expect(readFileSync(join(disk, "f"), "utf8")).toBe("old\n");
      } finally {
        unmount(disk);
      }
    },
  );

  it(
    `walks ${isLong ? "50,000" : "4,000"} files with at most 64 open ones (IO-05)`,
    { timeout: 120_000 },
    () => {
      const count = isLong ? 50_000 : 4_000;
      for (let index = 0; index < count; index++) {
        const folder = play.path(`notes/tree/${index % 50}/${index % 7}`);
        if (index < 350) mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, `f${index}`), index % 1000 === 0 ? "needle\n" : "straw\n");
      }
      const program = fileURLToPath(new URL("__fixtures__/run-lines.ts", import.meta.url));
      const lines = [
        "grep -r -l needle notes/tree",
        "rg -l needle notes/tree",
        // Every file matches, so that they are handed to the program, few at a time.
        "rg -c straw notes/tree/7",
        "cp -r notes/tree notes/copy",
        "rm -r notes/copy",
      ];
      const { stdout, stderr } = spawnSync(
        process.execPath,
        [...tsArguments, program, "64", play.base, ...lines],
        { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
      );
      expect(stderr).toBe("");
      const outcomes: unknown = JSON.parse(stdout);
      expect(outcomes).toEqual([
        { status: 0, lines: Math.ceil(count / 1000), stderr: "" },
        { status: 0, lines: Math.ceil(count / 1000), stderr: "" },
        { status: 0, lines: count / 50, stderr: "" },
        { status: 0, lines: 0, stderr: "" },
        { status: 0, lines: 0, stderr: "" },
      ]);
      expect(existsSync(play.path("notes/copy"))).toBe(false);
    },
  );
});

describe.runIf(process.platform === "linux")("a file system that takes two spellings for one", () => {
  it.each([
    { why: "case (PB-14)", stored: "Secrets", written: "secrets" },
    { why: "Unicode form (PB-15)", stored: "caf\u00e9", written: "cafe\u0301" },
  ])("does not lead around a rule by another $why", async ({ stored, written }) => {
    play.write({ [`notes/${stored}/k`]: "OUTSIDE of the rules\n", "notes/free": "free\n" });
    play.policy = play.policyWith({ deny: [{ pattern: `notes/${stored}/**`, operations: ["read"] }] });
    // Stands for such a file system: every call meets the stored name by either spelling, and by upper case too.
    const meet = (original: (...given: readonly unknown[]) => unknown, given: readonly unknown[]) => {
      const [path, ...others] = given;
      const names = [written, written.toUpperCase(), stored.toUpperCase(), written.normalize("NFC")];
      const met = String(path)
        .split("/")
        .map((name) => (names.includes(name) ? stored : name));
      return original(typeof path === "string" ? met.join("/") : path, ...others);
    };
    const run = (line: string) =>
      withCall("lstatSync", meet, () => withCall("openSync", meet, () => play.run(line)));
    for (const line of [
      `cat notes/${written}/k`,
      `cat notes/${written}/*`,
      `cp notes/${written}/k notes/copy`,
      `grep -r 'O' notes/${written}`,
    ]) {
      const { stdout, stderr, refused } = await run(line);
      expect(stdout + stderr).not.toContain("OUTSIDE");
      expect(refused).toMatch(/^Denied read|nothing matches/);
    }
    expect(existsSync(play.path("notes/copy"))).toBe(false);
    expect((await run("cat notes/free")).stdout).toBe("free\n");
  });

  it.each(["cp -r -T from notes", "cp -r from/secrets notes", "mv from/secrets notes"])(
    "does not lead around a rule by the name that a source brings: %s (PB-14)",
    async (line) => {
      play.write({ "notes/Secrets/k": "old\n", "from/secrets/k": "new\n" });
      play.policy = play.policyWith({
        allow: [{ pattern: "**", operations: ["read", "create", "delete"] }],
        deny: [{ pattern: "notes/Secrets/**", operations: ["create"] }],
      });
      const meet = (original: (...given: readonly unknown[]) => unknown, given: readonly unknown[]) => {
        const [path, ...others] = given;
        return original(path, ...others) ?? original(String(path).replace(/secrets$/i, "Secrets"), ...others);
      };
      const { refused } = await withCall("lstatSync", meet, () => play.run(line));
      expect(refused).toBe(`Denied create ${play.path("notes/Secrets")}`);
      expect(play.read("notes/Secrets/k")).toBe("old\n");
    },
  );
});
