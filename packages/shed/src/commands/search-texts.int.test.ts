import { spawnSync } from "node:child_process";
import { linkSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Playground } from "./__fixtures__/playground.ts";

let play: Playground;

beforeEach(() => {
  play = new Playground();
});

afterEach(() => {
  play.remove();
});

/** Contents that a search must not take for lines of one long text. */
const odd: Readonly<Record<string, string | Buffer>> = {
  "empty.txt": "",
  "cut.txt": "first\nneedle without an end",
  "next.txt": "follows\n",
  "crlf.txt": "needle\r\nx\r\n",
  "return.txt": "a\rneedle\rb\n",
  "mark.txt": Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from("needle behind a mark\n")]),
  "wide.txt": Buffer.from("\ufeffneedle in sixteen bits\n", "utf16le"),
  "binary.bin": Buffer.from("needle\n\0needle\n"),
  "late.bin": Buffer.concat([Buffer.from("x\n".repeat(2_000)), Buffer.from([0]), Buffer.from("\nneedle\n")]),
  "latin.txt": Buffer.from("na\xefve needle\nplain\n", "latin1"),
  "half.txt": Buffer.from([0x6e, 0xc3]),
  "rest.txt": Buffer.from([0xa9, 0x0a]),
  "blank.txt": "\n\n\n",
  "large.txt": `${"filler line\n".repeat(20_000)}needle at the end\n`,
  "words.txt": "needles\nneedle\nNEEDLE\na needle.\n",
  "-dash": "needle of a dash\n",
  ".hidden/deep.txt": "hidden needle\n",
};

function makeTree(): void {
  for (let index = 0; index < 60; index++) {
    const text = `line ${index}\n${index % 9 === 0 ? "one needle\n" : "straw\n"}`;
    play.write({ [`notes/tree/part-${index % 7}/file-${index}.txt`]: text });
  }
  for (const [name, content] of Object.entries(odd)) play.write({ [`notes/tree/odd/${name}`]: content });
}

const searches: readonly (readonly [why: string, pattern: string, ...flags: string[]])[] = [
  ["a word", "needle"],
  ["nothing", "no such thing"],
  ["nothing, inverted", "needle", "-v"],
  ["every line", ""],
  ["no empty line", ".", "-v"],
  ["the start of a line", "^needle"],
  ["the end of a line", "needle$"],
  ["whole lines", "needle", "-x"],
  ["whole words", "needle", "-w"],
  ["any case", "needle", "-i"],
  ["a fixed text", "needle.", "-F"],
  ["only what matches", "ne*d", "-o"],
  ["names", "needle", "-l"],
  ["counts", "needle", "-c"],
  ["whether there is any", "needle", "-q"],
  ["numbers", "needle", "-n"],
  ["a character of two bytes", "é"],
  ["what begins a text", "\\Aneedle"],
];

describe("a search of many files", () => {
  beforeEach(makeTree);

  it.each(
    searches.flatMap(([why, pattern, ...flags]) => [
      { name: "grep", why, pattern, flags: ["-r", ...flags] },
      { name: "rg", why, pattern, flags: ["-uu", ...flags] },
    ]),
  )("finds $why, as $name does when it walks by itself", async ({ name, pattern, flags }) => {
    const ours = await play.run(`${name} ${flags.join(" ")} '${pattern}' notes/tree`);
    const native = spawnSync(name, [...flags, "-e", pattern, "notes/tree"], {
      cwd: play.base,
      env: { PATH: "/usr/bin:/bin", LC_ALL: "C.UTF-8" },
      encoding: "latin1",
    });
    const lines = (text: string) => text.split("\n").sort();
    expect(ours.refused).toBeUndefined();
    expect(lines(ours.stdout)).toEqual(lines(native.stdout));
    expect(ours.status).toBe(native.status);
  });

  it.each(["grep -r", "rg"])(
    "is refused by %s when one of them has a second name, and nothing is shown (SL-10, shed 77)",
    async (command) => {
      linkSync(join(play.out, "secret.txt"), play.path("notes/tree/part-6/zz-hard"));
      const { refused, stdout } = await play.run(`${command} 'needle' notes/tree`);
      expect(refused).toContain("Has more than one hard link");
      expect(stdout).toBe("");
    },
  );

  it.each(["grep -r 'needle\\('", "rg 'needle('"])(
    "is refused by %s for a second name even when the program does not take the pattern (shed 77)",
    async (command) => {
      linkSync(join(play.out, "secret.txt"), play.path("notes/tree/part-6/zz-hard"));
      expect((await play.run(`${command} notes/tree`)).refused).toContain("Has more than one hard link");
    },
  );

  it("is refused when even a file that rg passes over has a second name (shed 77)", async () => {
    linkSync(join(play.out, "secret.txt"), play.path("notes/tree/.hidden-link"));
    expect((await play.run("rg 'needle' notes/tree")).refused).toContain("Has more than one hard link");
  });

  it.each(["grep -r", "rg"])(
    "does not follow %s to what takes the place of a file or folder after the decision (RC-01, RC-02)",
    async (command) => {
      symlinkSync(join(play.out, "secret.txt"), play.path("notes/link"));
      const { stdout, stderr } = await play.runBetween(`${command} 'OUT|needle' notes/tree`, () => {
        renameSync(play.path("notes/link"), play.path("notes/tree/part-1/file-1.txt"));
        linkSync(join(play.out, "secret.txt"), play.path("notes/second"));
        renameSync(play.path("notes/tree/part-2"), play.path("notes/part-2"));
        symlinkSync(play.out, play.path("notes/tree/part-2"));
      });
      expect(stdout).not.toContain("OUTSIDE");
      expect(stderr).toContain("notes/tree/part-1/file-1.txt: Changed since it was checked");
    },
  );
});

it.each(["grep -r", "rg"])(
  "looks for long words with %s in files that are made to make that slow",
  { timeout: 60_000 },
  async (command) => {
    mkdirSync(play.path("notes/tree"));
    for (let index = 0; index < 60; index++)
      writeFileSync(play.path(`notes/tree/${index}`), "a".repeat(128_000));
    const words = `${"a".repeat(20_000)}b${"a".repeat(20_000)}`;
    const { status, stdout } = await play.run(`${command} -F '${words}' notes/tree`);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  },
);

it.each([
  ["rg 'x' notes/few", "few/a/second"],
  ["grep -r 'x' notes/few", "few/a/second"],
  ["rg 'x' notes/hidden", "hidden/.a/second"],
  ["rg 'x' notes/few/a notes/few", "few/a/second"],
])("names the first second name that a walk meets: %s", async (line, first) => {
  for (const name of [first, "few/b", "hidden/.b"]) play.write({ [`notes/${name}`]: "x\n" });
  for (const name of [first, "few/b", "hidden/.b"])
    linkSync(play.path(`notes/${name}`), play.path(`${basename(name)}.2`));
  expect((await play.run(line)).refused).toContain(`'notes/${first}': Has more than one hard link`);
});

it("reads on where the files are more than are read ahead of the program", async () => {
  mkdirSync(play.path("notes/tree"));
  const filler = "a line of straw\n".repeat(7_000);
  for (let index = 0; index < 330; index++)
    writeFileSync(play.path(`notes/tree/${index}`), index % 100 === 29 ? `${filler}needle\n` : filler);
  const { stdout, status } = await play.run("grep -r -l 'needle' notes/tree");
  expect({ lines: stdout.split("\n"), status }).toEqual({
    lines: ["notes/tree/129", "notes/tree/229", "notes/tree/29", "notes/tree/329", ""],
    status: 0,
  });
});
