import { linkSync, lstatSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Playground } from "./__fixtures__/playground.ts";

let play: Playground;

beforeEach(() => {
  play = new Playground();
  play.write({
    "notes/a": "one\n",
    "notes/b": "two\n",
    "notes/tree/x": "x",
    "notes/tree/.hidden": "h",
    "notes/tree/sub/y": "y",
  });
  mkdirSync(play.path("notes/empty"));
});

afterEach(() => {
  play.remove();
});

/** All names below the notes, to see that nothing has changed. */
function names(): readonly string[] {
  return readdirSync(play.path("notes"), { recursive: true, encoding: "utf8" }).sort();
}

describe("links", () => {
  beforeEach(() => {
    symlinkSync(join(play.out, "secret.txt"), play.path("notes/l"));
    symlinkSync(play.out, play.path("notes/d"));
    symlinkSync("a", play.path("notes/inside"));
    symlinkSync(join(play.out, "created"), play.path("notes/dangling"));
    symlinkSync("loop", play.path("notes/loop"));
    linkSync(play.path("notes/b"), play.path("hard"));
  });

  it.each([
    ...[
      "cat",
      "head",
      "tail",
      "wc",
      "ls",
      "find",
      "cp -T notes/a",
      "mv notes/a",
      "tee 'x'",
      "touch",
      "mkdir",
    ].flatMap((line) =>
      ["notes/l", "notes/d/secret.txt", "notes/inside", "notes/loop", "notes/dangling"].map((path) => ({
        line: `${line} ${path}`,
      })),
    ),
    { line: "diff notes/l notes/a" },
    { line: "cp notes/l notes/new" },
    { line: "cp notes/a notes/d" },
    { line: "cat notes/d/../a" },
    { line: "cat notes/*" },
    { line: "rm -r notes/d/" },
    { line: "rm notes/d/*" },
    { line: "rm notes/d/secret.txt" },
    { line: "cat notes/b" },
    { line: "cp notes/b notes/new" },
    { line: "tee 'x' notes/b" },
    { line: "cp -r notes notes2" },
  ])("are not followed: $line (SL-01 to SL-05, SL-07, SL-10, SL-11, shed 98, 99)", async ({ line }) => {
    play.allowAll();
    const before = names();
    const { status, stdout, stderr, refused } = await play.run(line);
    expect(status).not.toBe(0);
    expect([stdout, stderr, refused].join("")).not.toContain("OUTSIDE");
    expect(names()).toEqual(before);
    expect(readdirSync(play.out)).toEqual(["secret.txt"]);
    expect(play.read("notes/a")).toBe("one\n");
  });

  it("are removed as themselves (SL-06, shed 98)", async () => {
    for (const name of ["d", "l", "dangling", "loop", "b"]) {
      expect((await play.run(`rm notes/${name}`)).status).toBe(0);
      expect(() => lstatSync(play.path(`notes/${name}`))).toThrow();
    }
    expect(play.secret()).toBe("OUTSIDE");
    expect(play.read("hard")).toBe("two\n");
  });

  it("are listed and not entered (SL-08)", async () => {
    symlinkSync("..", play.path("notes/tree/up"));
    expect((await play.run("find notes/tree")).stdout.split("\n").sort()).toEqual([
      "",
      "notes/tree",
      "notes/tree/.hidden",
      "notes/tree/sub",
      "notes/tree/sub/y",
      "notes/tree/up",
      "notes/tree/x",
    ]);
    expect((await play.run("ls -R notes/tree")).stdout).toBe(
      "notes/tree:\nsub\nup\nx\n\nnotes/tree/sub:\ny\n",
    );
  });

  it("in a destination matter only where something would be written (shed 97)", async () => {
    play.write({ "notes/into/a/other": "x" });
    symlinkSync("nowhere", play.path("notes/into/a/unrelated"));
    play.write({ "notes/from/a/new": "y" });
    expect((await play.run("cp -r notes/from/a notes/into")).status).toBe(0);
    expect(play.read("notes/into/a/new")).toBe("y");
  });
});

describe("special files", () => {
  let close: () => void;
  beforeEach(async () => {
    play.fifo("notes/p");
    close = await play.socket("notes/s");
  });
  afterEach(() => {
    close();
  });

  it.each(["cat", "head", "tail", "wc", "cp -T notes/a", "diff notes/a", "tee 'x'", "touch"])(
    "are refused by %s at once (SP-01, SP-02)",
    async (line) => {
      for (const name of ["p", "s"]) {
        const { status, refused } = await play.run(`${line} notes/${name}`);
        expect(status).toBe(1);
        expect(refused).toBeDefined();
      }
    },
  );

  it("are listed, not copied, and removed by name (SP-03)", async () => {
    play.write({ "notes/odd/x": "" });
    renameSync(play.path("notes/p"), play.path("notes/odd/p"));
    expect((await play.run("ls -F notes/odd")).stdout).toBe("p|\nx\n");
    expect((await play.run("cp -r notes/odd notes/new")).refused).toBeDefined();
    expect((await play.run("rm -r notes/odd")).status).toBe(0);
    expect(names()).not.toContain("odd");
  });

  it.each(["/dev/zero", "/dev/tty", "/dev/stdin", "/proc/self/environ", "/proc/self/mem", "/proc/1/environ"])(
    "of the system are refused: %s (SP-04, SL-09)",
    async (path) => {
      play.allowAll();
      expect(await play.run(`cat ${path}`)).toMatchObject({ status: 1, stdout: "" });
    },
  );
});

describe("listings", () => {
  it("leave out what may not be read, and say how much (design 18)", async () => {
    play.policy = play.policyWith({ deny: [{ pattern: "notes/tree/**", operations: ["read"] }] });
    expect(await play.run("ls notes")).toMatchObject({ stdout: "a\nb\nempty\n", leftOut: 1 });
    expect((await play.run("find notes")).stdout).toBe("notes\nnotes/a\nnotes/b\nnotes/empty\n");
  });

  it.each(["-exec", "-execdir", "-ok", "-delete", "-fprint", "-newer", "-L", "-follow", "-regex"])(
    "refuse find %s (FT-05, shed 81)",
    async (flag) => {
      const { status, refused } = await play.run(`find notes ${flag} 'x'`);
      expect(status).toBe(1);
      expect(refused).toBeDefined();
      expect(names()).toContain("a");
    },
  );

  it("keep the value of a find test an argument (shed 82)", async () => {
    expect((await play.run("find notes -name *.py")).refused).toBeDefined();
    expect((await play.run("find notes -name '*x'")).stdout).toBe("notes/tree/x\n");
  });

  it.each(["ls -lL notes", "ls -Q notes", "find -L notes"])(
    "do not follow links on request: %s (shed 69, FT-09)",
    async (line) => {
      expect((await play.run(line)).refused).toBeDefined();
    },
  );

  it("take two files of a pattern, and neither one nor three (shed 83)", async () => {
    play.write({ "notes/t/1.txt": "x\n", "notes/t/2.txt": "y\n" });
    expect(await play.run("diff notes/t/*.txt")).toMatchObject({ status: 1, stdout: "1c1\n< x\n---\n> y\n" });
    play.write({ "notes/t/3.txt": "z\n" });
    expect((await play.run("diff notes/t/*.txt")).refused).toBeDefined();
  });

  it("show a name that is no UTF-8 as its bytes, and find it again (FN-03)", async () => {
    writeFileSync(
      Buffer.concat([Buffer.from(play.path("notes/empty/")), Buffer.from([0x61, 0xff])]),
      "odd\n",
    );
    expect((await play.run("ls notes/empty")).stdout).toBe("a\xff\n");
    expect(await play.run("cat notes/empty/a*")).toMatchObject({ status: 0, stdout: "odd\n" });
    expect((await play.run("rm notes/empty/*")).status).toBe(0);
    expect(readdirSync(play.path("notes/empty"))).toEqual([]);
  });
});
