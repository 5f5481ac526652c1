import {
  chmodSync,
  chownSync,
  linkSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Playground } from "../commands/__fixtures__/playground.ts";
import { CommandRefusal } from "../commands/command.ts";
import { FileAccess } from "../files/access.ts";
import { pathTokens } from "../language/path-tokens.ts";
import { Visibility } from "../language/visibility.ts";
import { preparePatch } from "./patch.ts";
import type { PatchOutcome, PatchRequest, PreparedPatch } from "./patch.ts";

let play: Playground;

beforeEach(() => {
  play = new Playground();
});

afterEach(() => {
  play.remove();
});

async function patch(
  request: Partial<PatchRequest>,
  between: (prepared: PreparedPatch) => void = () => undefined,
  signal: AbortSignal = new AbortController().signal,
): Promise<PatchOutcome & { needs: readonly string[] }> {
  const access = new FileAccess({ base: play.base });
  const visibility = new Visibility(play.policy);
  const { literal } = pathTokens({
    name: "apply_patch",
    access,
    visibility,
    signal,
    checkBudget: () => undefined,
  });
  try {
    const given = { path: "notes/f", oldText: "", newText: "", replacesAll: false, ...request };
    const prepared = await preparePatch(given, { access, literal });
    between(prepared);
    const needs = Array.from(
      prepared.needs,
      ({ operation, location }) => `${operation} ${location.slice(play.base.length + 1)}`,
    );
    return { ...(await prepared.run(signal)), needs };
  } finally {
    access.close();
  }
}

describe("apply_patch", () => {
  const funny = 'log("$& $1 $$ $\' $` ok");';

  it.each([
    {
      why: "PA-01: what means something to a replacing function",
      content: "log();",
      old: "log();",
      text: funny,
      all: false,
      result: funny,
    },
    {
      why: "PA-01: the same everywhere",
      content: "log();log();",
      old: "log();",
      text: funny,
      all: true,
      result: funny + funny,
    },
    {
      why: "PA-03: every occurrence",
      content: "a b a b a",
      old: "a",
      text: "c",
      all: true,
      result: "c b c b c",
      count: 3,
    },
    {
      why: "PA-05: bytes between CRLF line ends",
      content: "a\r\nb\r\n",
      old: "b",
      text: "B",
      all: false,
      result: "a\r\nB\r\n",
    },
    {
      why: "PA-06: between a BOM and no final newline",
      content: "\ufeffa\nb",
      old: "a",
      text: "c",
      all: false,
      result: "\ufeffc\nb",
    },
    {
      why: "PA-07: from left to right without overlaps",
      content: "aaa",
      old: "aa",
      text: "b",
      all: false,
      result: "ba",
    },
    {
      why: "PA-09: what means something to an expression",
      content: "x a.c*[x] y",
      old: "a.c*[x]",
      text: "z",
      all: false,
      result: "x z y",
    },
    { why: "a deletion", content: "ab", old: "b", text: "", all: false, result: "a" },
    {
      why: "characters of several bytes",
      content: "grüße",
      old: "ü",
      text: "uu",
      all: false,
      result: "gruuße",
    },
  ])("replaces $why", async ({ content, old, text, all, result, count = all ? 2 : 1 }) => {
    play.write({ "notes/f": content });
    const outcome = await patch({ oldText: old, newText: text, replacesAll: all });
    expect(outcome).toMatchObject({
      isDone: true,
      needs: ["create notes/f", "read notes/f", "delete notes/f"],
    });
    expect(outcome.text).toContain(`Replaced ${count} occurrence`);
    expect(play.read("notes/f")).toBe(result);
    expect(readdirSync(play.path("notes"))).toEqual(["f"]);
  });

  it.each([
    { why: "PA-02: a text that is missing", content: "abc", old: "x", says: "not found" },
    {
      why: "shed 104: a missing text that should be replaced everywhere",
      content: "abc",
      old: "x",
      all: true,
      says: "not found",
    },
    { why: "PA-03, shed 103: a text that stands three times", content: "a a a", old: "a", says: "3 times" },
    { why: "PA-05: a text that differs in line ends", content: "a\r\nb\r\n", old: "a\nb", says: "line ends" },
    { why: "PA-08: bytes that are no UTF-8", content: Buffer.from([0x61, 0xff]), old: "a", says: "UTF-8" },
  ])("leaves the file alone for $why", async ({ content, old, all = false, says }) => {
    play.write({ "notes/f": content });
    utimesSync(play.path("notes/f"), 1000, 1000);
    const before = statSync(play.path("notes/f"), { bigint: true });
    const outcome = await patch({ oldText: old, newText: "new", replacesAll: all });
    expect(outcome.isDone).toBe(false);
    expect(outcome.text).toContain(says);
    const after = statSync(play.path("notes/f"), { bigint: true });
    expect([after.ino, after.mtimeNs, after.ctimeNs]).toEqual([before.ino, before.mtimeNs, before.ctimeNs]);
  });

  it("creates a file and its folders, needing only to create it (PA-04, shed 105)", async () => {
    const outcome = await patch({ path: "notes/x/y/f", newText: "new\n" });
    expect(outcome).toMatchObject({ isDone: true, needs: ["create notes/x/y/f"] });
    expect(outcome.text).toContain("Full-file rewrite");
    expect(play.read("notes/x/y/f")).toBe("new\n");
  });

  it("rewrites a whole file, needing to read and delete it too (PA-04)", async () => {
    play.write({ "notes/f": "old" });
    const outcome = await patch({ newText: "new", replacesAll: true });
    expect(outcome.needs).toEqual(["create notes/f", "read notes/f", "delete notes/f"]);
    expect(play.read("notes/f")).toBe("new");
  });

  it("creates nothing for a missing file and a text to replace (PA-10)", async () => {
    const outcome = await patch({ path: "notes/x/f", oldText: "a", newText: "b" });
    expect(outcome.isDone).toBe(false);
    expect(readdirSync(play.path("notes"))).toEqual([]);
  });

  it("keeps mode and owner (PA-06)", async () => {
    play.write({ "notes/f": "old" });
    chmodSync(play.path("notes/f"), 0o755);
    if (process.getuid?.() === 0) chownSync(play.path("notes/f"), 1234, 4321);
    const { mode, uid, gid } = statSync(play.path("notes/f"));
    await patch({ oldText: "old", newText: "new" });
    expect(play.read("notes/f")).toBe("new");
    expect(statSync(play.path("notes/f"))).toMatchObject({ mode, uid, gid, nlink: 1 });
  });

  it.each([
    { why: "PA-11, GL-05, shed 106: a pattern", path: "notes/*" },
    { why: "a question mark", path: "notes/?" },
    { why: "shed 106: a trailing slash", path: "notes/new/" },
    { why: "PA-11: a trailing slash below a missing folder", path: "notes/none/new/" },
    { why: "a directory", path: "notes" },
    { why: "the base", path: "." },
    { why: "SP-02: a FIFO", path: "notes/fifo" },
    { why: "a hard link", path: "notes/hard" },
    { why: "SL-01: a link", path: "notes/link" },
    { why: "SL-03: a link to a file inside", path: "notes/inside" },
    { why: "SL-04: a link that leads nowhere", path: "notes/dangling" },
    { why: "SL-02: a link on the way", path: "notes/d/f" },
    { why: "an empty path", path: "" },
    { why: "FT-20: a NUL", path: "notes/a\0b" },
    { why: "a missing folder that is left again", path: "notes/none/../f" },
    { why: "PA-13: half of a surrogate pair", newText: "a\ud800" },
    { why: "PA-12: a text of 100 MB", newText: "x".repeat(100_000_000) },
  ])("refuses $why", async (request) => {
    play.write({ "notes/file": "x", "notes/other": "y" });
    play.fifo("notes/fifo");
    linkSync(play.path("notes/other"), play.path("notes/hard"));
    symlinkSync(join(play.out, "secret.txt"), play.path("notes/link"));
    symlinkSync("file", play.path("notes/inside"));
    symlinkSync(join(play.out, "created"), play.path("notes/dangling"));
    symlinkSync(play.out, play.path("notes/d"));
    const before = readdirSync(play.path("notes"));
    await expect(patch({ newText: "new", ...request })).rejects.toBeInstanceOf(CommandRefusal);
    expect(readdirSync(play.path("notes"))).toEqual(before);
    expect(readdirSync(play.out)).toEqual(["secret.txt"]);
    expect(play.secret()).toBe("OUTSIDE");
  });

  it("does not hold a file of 1 GiB in memory (PA-12)", async () => {
    play.write({ "notes/f": "" });
    truncateSync(play.path("notes/f"), 1024 ** 3);
    const outcome = await patch({ oldText: "a", newText: "b" });
    expect(outcome).toMatchObject({ isDone: false });
    expect(outcome.text).toContain("larger than");
  });

  it.each([
    {
      why: "that nearly stands there everywhere",
      content: "a".repeat(2_000_000),
      old: `ab${"a".repeat(200_000)}`,
      says: "not found",
    },
    {
      why: "that nearly stands there with other line ends",
      content: "a".repeat(2_000_000),
      old: `a\n${"a".repeat(200_000)}`,
      says: "not found",
    },
    {
      why: "whose new text would make terabytes",
      content: "a".repeat(2_000_000),
      old: "a",
      text: "b".repeat(1_000_000),
      says: "would become larger",
    },
  ])("does not stop the process for an old text $why (PA-12)", async ({ content, old, text = "", says }) => {
    play.write({ "notes/f": content });
    const outcome = await patch({ oldText: old, newText: text, replacesAll: true });
    expect(outcome).toMatchObject({ isDone: false });
    expect(outcome.text).toContain(says);
    expect(play.read("notes/f")).toBe(content);
  });

  it("replaces millions of occurrences without a list of them (PA-12)", async () => {
    play.write({ "notes/f": "ab".repeat(1_000_000) });
    const before = process.memoryUsage().heapUsed;
    const outcome = await patch({ oldText: "a", newText: "cd", replacesAll: true });
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(48 * 1024 * 1024);
    expect(outcome.text).toContain("Replaced 1000000 occurrences");
    expect(play.read("notes/f")).toBe("cdb".repeat(1_000_000));
  });

  it("ends with the reason of its signal, and leaves the file alone", async () => {
    play.write({ "notes/f": "a".repeat(30_000_000) });
    const controller = new AbortController();
    const reason = new Error("enough");
    const patched = patch(
      { oldText: "a", newText: "b", replacesAll: true },
      () => {
        setImmediate(() => {
          controller.abort(reason);
        });
      },
      controller.signal,
    );
    await expect(patched).rejects.toBe(reason);
    expect(readdirSync(play.path("notes"))).toEqual(["f"]);
    expect(play.read("notes/f").startsWith("aaa")).toBe(true);
  });

  it.each([
    {
      why: "another file",
      change: (path: string) => {
        writeFileSync(`${path}2`, "mine");
        renameSync(`${path}2`, path);
      },
      left: "mine",
    },
    {
      why: "a link",
      change: (path: string) => {
        renameSync(path, `${path}2`);
        symlinkSync("f2", path);
      },
      left: "old",
    },
  ])("reports a conflict when $why stands there after the check (PA-14, RC-04)", async ({ change, left }) => {
    play.write({ "notes/f": "old" });
    const outcome = await patch({ oldText: "old", newText: "new" }, () => {
      change(play.path("notes/f"));
    });
    expect(outcome.isDone).toBe(false);
    expect(outcome.text).toContain("changed meanwhile");
    expect(play.read("notes/f")).toBe(left);
  });

  it("differs in its fingerprint when another file stands there (RC-04)", async () => {
    play.write({ "notes/f": "old" });
    const seen: string[] = [];
    const note = (prepared: PreparedPatch) => void seen.push(prepared.fingerprint());
    await patch({ oldText: "none", newText: "new" }, note);
    await patch({ oldText: "none", newText: "new" }, note);
    writeFileSync(play.path("notes/g"), "old");
    renameSync(play.path("notes/g"), play.path("notes/f"));
    await patch({ oldText: "none", newText: "new" }, note);
    expect(seen[0]).toBe(seen[1]);
    expect(seen[2]).not.toBe(seen[0]);
  });
});
