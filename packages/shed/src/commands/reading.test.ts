import { truncateSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runLine } from "./__fixtures__/command-run.ts";
import { Playground } from "./__fixtures__/playground.ts";
import { Random } from "./__fixtures__/random.ts";
import { newlines } from "./tail.ts";

let play: Playground;

beforeEach(() => {
  play = new Playground();
  play.write({
    "notes/a": "one\ntwo\nthree\n",
    "notes/b": "b\n",
    "notes/cut": "a\nb",
    "notes/bytes": Buffer.from([0x68, 0xc3, 0xa9, 0xff, 0x0a]),
    "notes/many": Array.from({ length: 20 }, (_, index) => `${index}\n`).join(""),
    "notes/blank": "\n\nx\ty\r\n\n\n",
    "notes/-": "a file called -\n",
  });
});

afterEach(() => {
  play.remove();
});

describe("readers", () => {
  it.each([
    { why: "files one after the other", line: "cat notes/a notes/b", stdout: "one\ntwo\nthree\nb\n" },
    { why: "shed 72: a file that is named twice", line: "cat notes/b notes/b", stdout: "b\nb\n" },
    { why: "numbered lines", line: "cat -n notes/b notes/b", stdout: "     1\tb\n     2\tb\n" },
    { why: "squeezed and visible lines", line: "cat -s -E -T notes/blank", stdout: "$\nx^Iy^M$\n$\n" },
    {
      why: "numbers on lines that are not empty",
      line: "cat -b notes/blank",
      stdout: "\n\n     1\tx\ty\r\n\n\n",
    },
    { why: "a file literally named -", line: "cat notes/-", stdout: "a file called -\n" },
    { why: "the first ten lines", line: "head notes/many", stdout: "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n" },
    { why: "CT-04: a first line", line: "head -n '1' notes/cut", stdout: "a\n" },
    { why: "CT-04: a last line without a newline", line: "tail -n '1' notes/cut", stdout: "b" },
    { why: "CT-04: newlines, not lines", line: "wc -l notes/cut", stdout: "1 notes/cut\n" },
    { why: "CT-03: bytes", line: "wc -c notes/bytes", stdout: "5 notes/bytes\n" },
    { why: "CT-03: characters", line: "wc -m notes/bytes", stdout: "3 notes/bytes\n" },
    { why: "last bytes", line: "tail -c '3' notes/a", stdout: "ee\n" },
    {
      why: "names above each input",
      line: "head -n '1' notes/a notes/b",
      stdout: "==> notes/a <==\none\n\n==> notes/b <==\nb\n",
    },
    { why: "no names", line: "tail -q -n '1' notes/a notes/b", stdout: "three\nb\n" },
    {
      why: "counts with a total",
      line: "wc notes/a notes/b",
      stdout: " 3  3 14 notes/a\n 1  1  2 notes/b\n 4  4 16 total\n",
    },
    {
      why: "what a pattern matches, in byte order",
      line: "head -q -n '1' notes/*a* notes/b",
      stdout: "one\n\n0\nb\n",
    },
  ])("print $why", async ({ line, stdout }) => {
    expect(await play.run(line)).toMatchObject({ status: 0, stdout, refused: undefined });
  });

  it.each([
    { why: "shed 71, SP-07: nothing at all outside a pipe", line: "wc -l", stdout: "0\n" },
    { why: "the step before", line: "wc -l", stdin: "a\nb\n", stdout: "2\n" },
    { why: "the step before between files", line: "cat notes/b '-'", stdin: "x\n", stdout: "b\nx\n" },
    { why: "the last lines of the step before", line: "tail -n '2'", stdin: "a\nb\nc", stdout: "b\nc" },
    { why: "the first bytes of the step before", line: "head -c '2'", stdin: "abc", stdout: "ab" },
  ])("read $why", async ({ line, stdin, stdout }) => {
    play.policy = play.policyWith(line.includes("notes") ? {} : { allow: [] });
    expect(await play.run(line, stdin)).toMatchObject({ status: 0, stdout, refused: undefined });
  });

  it("need to read each distinct file once, in order", async () => {
    const { needs } = await play.run("cat notes/b notes/a notes/b '-'");
    expect(needs).toEqual([`read ${play.path("notes/b")}`, `read ${play.path("notes/a")}`]);
  });

  it.each([
    {
      why: "shed 70, SP-05: a directory among the matches, printing nothing",
      line: "cat notes/*",
      make: "notes/dir/x",
    },
    { why: "FT-13: a path that is no path", line: "cat '/etc/passwd'" },
    { why: "a missing file", line: "cat notes/none" },
    { why: "a file as a directory", line: "cat notes/a/" },
  ])("refuse $why", async ({ line, make }) => {
    if (make !== undefined) play.write({ [make]: "" });
    const { status, stdout, refused } = await play.run(line);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(refused).toBeDefined();
  });

  it("answer within a second about the ends of a file of 10 GiB (CT-02)", async () => {
    writeFileSync(play.path("notes/sparse"), "first\n");
    truncateSync(play.path("notes/sparse"), 10 * 1024 ** 3);
    expect(await play.run("head -n '1' notes/sparse")).toMatchObject({ status: 0, stdout: "first\n" });
    expect((await play.run("tail -c '100' notes/sparse")).stdout).toBe("\0".repeat(100));
    expect(await play.run("wc -c notes/sparse")).toMatchObject({ stdout: "10737418240 notes/sparse\n" });
  });

  it("count lines as a look at each byte does, wherever a text begins", () => {
    const random = new Random(7);
    for (let round = 0; round < 400; round++) {
      const near = [10, 10, 11, 9, 1, 0, 0x8a, 0x0b, 255];
      const bytes = Buffer.from(Array.from({ length: random.below(1_500) }, () => random.pick(near)));
      const text = bytes.subarray(round % 5);
      expect(newlines(text)).toBe(text.filter((byte) => byte === 10).length);
    }
  });

  it("count characters that chunks cut in two", async () => {
    const text = "é".repeat(100_000);
    play.write({ "notes/wide": `x${text}` });
    expect(await play.run("wc -m notes/wide")).toMatchObject({ stdout: "100001 notes/wide\n" });
    expect(await play.run("wc -m", Buffer.from(`x${text}`))).toMatchObject({ stdout: "100001\n" });
  });

  it("end with the reason of the signal when the run is cancelled", async () => {
    truncateSync(play.path("notes/a"), 1024 ** 3);
    const reason = new Error("cancelled");
    const signal = AbortSignal.abort(reason);
    await expect(runLine("wc notes/a", { policy: play.policy, signal })).rejects.toBe(reason);
  });
});

describe("pwd", () => {
  it("prints the base, which it needs to read (shed 5)", async () => {
    expect((await play.run("pwd")).refused).toContain("Denied read");
    play.policy = play.policyWith({ allow: [{ pattern: ".", operations: ["read"] }] });
    expect(await play.run("pwd -P")).toMatchObject({ status: 0, stdout: `${play.base}\n` });
  });
});
