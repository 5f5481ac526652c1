import { existsSync, statSync, utimesSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Playground } from "./__fixtures__/playground.ts";
import { parseDate, parseStamp } from "./touch-date.ts";
import { gnuQuoted } from "./targets.ts";

let play: Playground;

beforeEach(() => {
  play = new Playground();
  play.write({ "notes/a": "one\n", "notes/b": "two\n", "notes/tree/x": "x" });
});

afterEach(() => {
  play.remove();
});

describe("touch before 1970", () => {
  it.each([
    { why: "by seconds", line: "touch -d '@-86400' notes/a", ms: -86_400_000 },
    { why: "by part of a second", line: "touch -d '@-1.5' notes/a", ms: -1500 },
    { why: "by a date", line: "touch -d '1969-01-01T00:00:00Z' notes/a", ms: -31_536_000_000 },
    { why: "of a directory", line: "touch -d '@-86400' notes/tree", ms: -86_400_000 },
    { why: "of a new file", line: "touch -d '@-86400' notes/new", ms: -86_400_000 },
  ])("sets a time $why", async ({ line, ms }) => {
    expect(await play.run(line)).toMatchObject({ status: 0 });
    const name = line.split(" ").at(-1) ?? "";
    expect(statSync(play.path(name)).mtimeMs).toBe(ms);
  });

  it("takes such a time from another file, and leaves it where only the other time is set", async () => {
    utimesSync(play.path("notes/a"), new Date(-5000), new Date(-7000));
    await play.run("touch -r notes/a notes/b");
    expect(statSync(play.path("notes/b"))).toMatchObject({ atimeMs: -5000, mtimeMs: -7000 });
    await play.run("touch -a -d '@1' notes/b");
    expect(statSync(play.path("notes/b"))).toMatchObject({ atimeMs: 1000, mtimeMs: -7000 });
  });
});

describe("years below 100", () => {
  it.each([
    { why: "a date with a zone", ms: parseDate("0050-01-01 00:00Z", 0) },
    { why: "a date without", ms: parseDate("0050-01-01", 0) },
    { why: "a stamp", ms: parseStamp("005001010000", 0) },
  ])("are meant as they are written: $why", ({ ms }) => {
    expect(new Date((ms ?? 0) + 43_200_000).getUTCFullYear()).toBe(50);
  });
});

describe("a directory that is to be made", () => {
  it.each([
    "mkdir notes/new/.",
    "mkdir notes/new/.//",
    "cp -r notes/tree notes/new/.",
    "mv notes/tree notes/new/.",
  ])("is not there yet, so that it has no `.`: %s", async (line) => {
    const { status, stderr, refused = stderr } = await play.run(line);
    expect(status).toBe(1);
    expect(refused).toContain("No such file or directory");
    expect(existsSync(play.path("notes/new"))).toBe(false);
  });

  it.each(["mkdir -p notes/new/.", "mkdir notes/new/", "cp -r notes/tree notes/new/"])(
    "is made where that is no question: %s",
    async (line) => {
      expect(await play.run(line)).toMatchObject({ status: 0 });
      expect(existsSync(play.path("notes/new"))).toBe(true);
    },
  );

  it("is named as it was given", async () => {
    const { stdout } = await play.run("mkdir -p -v notes/new/deep//");
    expect(stdout).toBe(
      "mkdir: created directory 'notes/new'\nmkdir: created directory 'notes/new/deep//'\n",
    );
  });
});

describe("a name in what is said", () => {
  it.each([
    { why: "a plain one", name: "a b", said: "'a b'" },
    { why: "a single quote", name: "it's", said: `"it's"` },
    { why: "a single quote and a letter of another script", name: "ü's", said: `"ü's"` },
    { why: "both quotes", name: `it's "so"`, said: `'it'\\''s "so"'` },
    { why: "a single quote and what a shell looks at", name: "a&b's", said: `'a&b'\\''s'` },
    { why: "a line break", name: "a\nb", said: "'a'$'\\n''b'" },
    { why: "a line break before a quote", name: "a\n'", said: "'a'$'\\n'\\'''" },
    { why: "an escape at the start", name: "\u001b[1m", said: "''$'\\033''[1m'" },
    { why: "bytes that are no UTF-8", name: "bad\udcff", said: "'bad'$'\\377'" },
    { why: "what cannot be seen", name: "a\u202eb", said: "'a'$'\\342\\200\\256''b'" },
  ])("is quoted as the programs do: $why", ({ name, said }) => {
    expect(gnuQuoted(name)).toBe(said);
  });
});
