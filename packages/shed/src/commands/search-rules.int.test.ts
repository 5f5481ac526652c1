import { spawnSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runLine, runTokens } from "./__fixtures__/command-run.ts";
import { Playground } from "./__fixtures__/playground.ts";

let play: Playground;

beforeEach(() => {
  play = new Playground();
  play.allowAll();
});

afterEach(() => {
  play.remove();
});

interface Shown {
  readonly status: number | null;
  readonly lines: readonly string[];
}

const linesOf = (text: string) => text.split("\n").sort();

function native(name: string, words: readonly string[]): Shown {
  const own = name === "rg" ? ["--no-config", "--no-ignore-global", "--no-ignore-exclude"] : [];
  const { status, stdout } = spawnSync(name, [...own, ...words], {
    cwd: play.base,
    env: { PATH: "/usr/bin:/bin", LC_ALL: "C.UTF-8" },
    input: "",
    encoding: "latin1",
  });
  return { status, lines: linesOf(stdout) };
}

/** Words before the pattern are options and their values, words after it are paths. */
async function ours(name: string, words: readonly string[], pattern = "needle"): Promise<Shown> {
  const at = words.indexOf(pattern);
  const tokens = words.map((text, index) => {
    if (index > at) return { text, tag: "PTH" } as const;
    return { text, tag: index < at && text.startsWith("-") ? "FLG" : "ARG" } as const;
  });
  const { status, stdout, refused } = await runTokens(name, tokens, { policy: play.policy });
  expect(refused).toBeUndefined();
  return { status, lines: linesOf(stdout) };
}

describe("what ignore files say", () => {
  const text = "needle\n";
  const modules = { "node_modules/a/x.js": text, "node_modules/a/lib/y.js": text, "src/z.js": text };

  it.each([
    {
      why: "a directory that is named though it is ignored",
      rules: { ".gitignore": "node_modules/\n" },
      paths: ["node_modules"],
    },
    {
      why: "a directory below one that is ignored",
      rules: { ".gitignore": "node_modules\n" },
      paths: ["node_modules/a"],
    },
    {
      why: "an ignored directory beside the whole tree",
      rules: { ".gitignore": "node_modules/\n" },
      paths: [".", "node_modules/a/lib"],
    },
    {
      why: "rules for what is in a named directory",
      rules: { ".gitignore": "node_modules/\nlib/\n" },
      paths: ["node_modules"],
    },
    {
      why: "rules of the directory above the named one",
      rules: { ".gitignore": "/node_modules/\n", "node_modules/.ignore": "y.js\n" },
      paths: ["node_modules/a"],
    },
    {
      why: "a directory that a stronger file wants, and a weaker one ignores",
      rules: { ".gitignore": "node_modules/\n", ".ignore": "!node_modules/\n" },
      paths: ["."],
    },
    {
      why: "such a directory below such a directory",
      rules: { ".ignore": "node_modules\nlib\na\n", ".rgignore": "!node_modules\n!lib\n!a\n" },
      paths: ["."],
    },
    {
      why: "the files of a directory that is wanted",
      rules: { ".gitignore": "node_modules/\n*.js\n", ".ignore": "!node_modules/\n!x.js\n" },
      paths: ["."],
    },
    { why: "ignored directories", rules: { ".gitignore": "node_modules/\n" }, paths: ["."] },
  ])("counts as for rg: $why", async ({ rules, paths }) => {
    mkdirSync(play.path(".git"));
    play.write({ ...modules, ...rules });
    expect(await ours("rg", ["needle", ...paths])).toEqual(native("rg", ["needle", ...paths]));
  });

  it.each(["a*", "a?", "[a]", "a\\b", "#a", "!a", " a ", "a\nb", "a\\", "\ue000", "a/b*/c"])(
    "holds for what is in a directory with an odd name: %j",
    async (name) => {
      mkdirSync(play.path(".git"));
      play.write({
        [`odd/${name}/x.js`]: text,
        [`odd/${name}/y.ts`]: text,
        ".gitignore": "odd/*\n*.ts\n",
        ".ignore": "!odd/*\n!odd/a/*\n",
      });
      const expected = Buffer.from(`./odd/${name}/x.js:needle\n`).toString("latin1");
      expect(await ours("rg", ["needle", "."])).toEqual({ status: 0, lines: linesOf(expected) });
    },
  );

  it.each([
    {
      why: "a directory",
      make: (path: string) => {
        mkdirSync(path);
      },
    },
    {
      why: "a file, as of a work tree",
      make: (path: string) => {
        writeFileSync(path, "gitdir: x\n");
      },
    },
    {
      why: "a link",
      make: (path: string) => {
        symlinkSync(play.path("src"), path);
      },
    },
    {
      why: "a FIFO",
      make: () => {
        play.fifo("src/.git");
      },
    },
    { why: "nothing", make: () => undefined },
  ])("holds in a repository, whose .git is $why", async ({ make }) => {
    play.write({ ...modules, "src/.gitignore": "z.js\n", "src/a": text });
    make(play.path("src/.git"));
    for (const path of [".", "src"])
      expect(await ours("rg", ["needle", path])).toEqual(native("rg", ["needle", path]));
  });

  it("refuses one that is larger than anybody writes by hand, and says what helps", async () => {
    play.write({ ...modules, "src/.ignore": Buffer.alloc(1024 * 1024 + 1, "x\n") });
    const { status, stdout, refused } = await play.run("rg 'needle' src");
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(refused).toContain("--no-ignore");
    expect((await play.run("rg --no-ignore 'needle' src")).stdout).toBe("src/z.js:needle\n");
    play.write({ "src/.ignore": Buffer.alloc(1024 * 1024, "x\n") });
    expect((await play.run("rg 'needle' src")).stdout).toBe("src/z.js:needle\n");
  });

  it("lets a search be cancelled while many rules are asked about many names", async () => {
    play.write({ "notes/.ignore": "*a?b\n".repeat(200_000) });
    for (let index = 0; index < 500; index++) play.write({ [`notes/${"a".repeat(200)}${index}`]: "" });
    const reason = new Error("enough");
    const abort = new AbortController();
    const searching = runLine("rg 'needle' notes", {
      policy: play.policy,
      signal: abort.signal,
      between: () => {
        setTimeout(() => {
          abort.abort(reason);
        }, 1);
      },
    });
    await expect(searching).rejects.toBe(reason);
  });

  it.each([".", "dots"])("hides as rg does what begins with a dot, from %s on", async (path) => {
    for (const name of [".dot", "...", ".dot.", "..x", "dot."])
      play.write({ [`dots/${name}/f`]: text, [`dots/f${name}`]: text, [`dots/d/${name}`]: text });
    expect(await ours("rg", ["needle", path])).toEqual(native("rg", ["needle", path]));
  });
});

describe("options of searches that change each other", () => {
  beforeEach(() => {
    const around = Array.from({ length: 9 }, (_, index) => `line ${index}`).join("\n");
    play.write({ one: `${around}\na needle b\n${around}\n`, "tree/two": `${around}\nneedle\n${around}\n` });
  });

  it.each(
    [
      ["-x", "-w"],
      ["-w", "-x"],
      ["-C", "2", "-A", "1"],
      ["-A", "1", "-C", "2"],
      ["-C", "2", "-B", "0"],
      ["-B", "1", "-C", "0", "-A", "2"],
      ["-A", "0"],
      ["-C", "00"],
      ["-A", "1", "-C", "0"],
      ["-c", "-l"],
      ["-o", "-c"],
      ["-o", "-v"],
    ].flatMap((options) => [
      { name: "rg", options },
      { name: "grep", options },
    ]),
  )("$name $options", async ({ name, options }) => {
    const words = [...options, ...(name === "grep" ? ["-r"] : []), "needle", "one", "tree"];
    expect(await ours(name, words)).toEqual(native(name, words));
  });

  it.each(
    [[], ["tree"], Array.from({ length: 12 }, () => "one")].flatMap((more) => [
      { options: ["-v", "-l"], pattern: ".$", more },
      { options: [], pattern: "needle", more },
      { options: ["-c"], pattern: "x", more },
    ]),
  )("tells binary files as rg does: $options $pattern beside $more", async ({ options, pattern, more }) => {
    play.write({ early: "x \nx\n\0needle\n", late: `needle\n${"x\n".repeat(9_000)}\n\0x\n` });
    const words = [...options, pattern, "early", "late", ...more];
    expect(await ours("rg", words, pattern)).toEqual(native("rg", words));
  });

  it("finds the lines of many files in the order of the options, too", async () => {
    for (let index = 0; index < 60; index++) play.write({ [`many/${index}`]: "a needle b\n" });
    for (const options of [
      ["-x", "-w"],
      ["-w", "-x"],
    ]) {
      const words = [...options, "-l", "ne+dle", "many"];
      expect(await ours("rg", words, "ne+dle")).toEqual(native("rg", words));
    }
  });
});

describe("a search during which directories go away", () => {
  beforeEach(() => {
    play.write({
      "notes/src/a": "needle\n",
      "notes/src/.cache/b": "needle\n",
      "notes/src/out/c": "needle\n",
      "notes/src/.ignore": "out\n",
    });
    // So many that no directory is still held open when the search begins.
    for (let index = 0; index < 20; index++) play.write({ [`notes/src/z${index}/f`]: "straw\n" });
  });

  it.each([
    { why: "a hidden one is removed", gone: "notes/src/.cache" },
    { why: "an ignored one is removed", gone: "notes/src/out" },
    { why: "a hidden one is replaced by a link", gone: "notes/src/.cache", put: "link" },
    { why: "an ignored one is replaced by another", gone: "notes/src/out", put: "directory" },
  ])("goes on for rg where it would not look: $why", async ({ gone, put }) => {
    const { status, stdout, stderr } = await play.runBetween("rg 'needle' notes/src", () => {
      renameSync(play.path(gone), play.path("notes/away"));
      rmSync(play.path("notes/away"), { recursive: true });
      if (put === "link") symlinkSync(play.out, play.path(gone));
      if (put === "directory") mkdirSync(play.path(gone));
    });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "notes/src/a:needle\n", stderr: "" });
  });
});
