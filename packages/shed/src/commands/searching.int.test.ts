import { linkSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runLine } from "./__fixtures__/command-run.ts";
import { Playground } from "./__fixtures__/playground.ts";

let play: Playground;

beforeEach(() => {
  play = new Playground();
  play.write({
    "notes/a": "one needle\ntwo\n",
    "notes/b": "--include=*\n-dash\n",
    "notes/src/deep/c": "needle\n",
    "notes/src/.hidden": "hidden needle\n",
    "notes/src/x.log": "log needle\n",
    "notes/binary": Buffer.from("needle\n\0needle\n"),
  });
});

afterEach(() => {
  play.remove();
});

describe("searches", () => {
  it.each([
    { why: "lines of one file", line: "grep 'needle' notes/a", stdout: "one needle\n" },
    {
      why: "FT-29, shed 73: a pattern that begins with a dash",
      line: "grep '--include=*' notes/b",
      stdout: "--include=*\n",
    },
    { why: "an empty pattern", line: "grep -c '' notes/a notes/b", stdout: "notes/a:2\nnotes/b:2\n" },
    {
      why: "a tree, hidden files too",
      line: "grep -r 'needle' notes/src",
      stdout: "notes/src/.hidden:hidden needle\nnotes/src/deep/c:needle\nnotes/src/x.log:log needle\n",
    },
    {
      why: "a tree, as rg sees it",
      line: "rg 'needle' notes/src",
      stdout: "notes/src/deep/c:needle\nnotes/src/x.log:log needle\n",
    },
    {
      why: "shed 76: everything",
      line: "rg -uu -l 'needle' notes/src",
      stdout: "notes/src/.hidden\nnotes/src/deep/c\nnotes/src/x.log\n",
    },
    { why: "context with numbers", line: "grep -n -A '1' 'needle' notes/a", stdout: "1:one needle\n2-two\n" },
    { why: "SQ-12: nothing", line: "grep 'absent' notes/a", stdout: "", status: 1 },
  ])("find $why", async ({ line, stdout, status = 0 }) => {
    expect(await play.run(line)).toMatchObject({ status, stdout, refused: undefined });
  });

  it("read the step before where no file is named (SP-07)", async () => {
    expect(await play.run("grep 'x'", "ax\nb\n")).toMatchObject({ status: 0, stdout: "ax\n" });
    expect(await play.run("rg 'x'", "ax\nb\n")).toMatchObject({ status: 0, stdout: "ax\n" });
    expect(await play.run("grep 'x'")).toMatchObject({ status: 1, stdout: "" });
  });

  it("say that a binary file matches, and show none of it (CT-05)", async () => {
    const { stdout, stderr } = await play.run("grep 'needle' notes/binary");
    expect(stdout).toBe("needle\n".slice(0, stdout.length));
    expect(stderr).toBe("grep: notes/binary: binary file matches\n");
  });

  it("report what the program says about a pattern", async () => {
    const { status, stderr } = await play.run("grep -E '(' notes/a");
    expect(status).toBe(2);
    expect(stderr).toContain("Unmatched (");
    expect((await play.run("rg '(' notes/src")).status).toBe(2);
  });

  it.each([
    { why: "PB-10, shed 74: one file that may not be read", line: "rg 'needle' notes/src" },
    { why: "PB-10: the same for grep", line: "grep -r 'needle' notes" },
  ])("are denied before anything is read: $why", async ({ line }) => {
    play.policy = play.policyWith({ deny: [{ pattern: "notes/src/.hidden", operations: ["read"] }] });
    const { stdout, refused } = await play.run(line);
    expect(stdout).toBe("");
    expect(refused).toContain("Denied read");
  });

  it("need the ignore files above a tree, unless these are not read (shed 75)", async () => {
    play.write({ ".gitignore": "*.log\n" });
    expect((await play.run("rg 'needle' notes/src")).refused).toContain("Denied read");
    expect((await play.run("rg --no-ignore 'needle' notes/src")).status).toBe(0);
    mkdirSync(play.path(".git"));
    play.policy = play.policyWith({ allow: [{ pattern: "**", operations: ["read"] }] });
    expect((await play.run("rg 'needle' notes/src")).stdout).toBe("notes/src/deep/c:needle\n");
  });

  it.each([
    {
      why: "shed 77, SL-10: a second name anywhere",
      make: () => {
        linkSync(play.path("notes/a"), play.path("notes/src/hard"));
      },
      lines: ["rg 'needle' notes/src", "grep -r 'needle' notes/src"],
    },
    {
      why: "FT-28, shed 78: a link, followed",
      make: () => {
        symlinkSync(join(play.out, "secret.txt"), play.path("notes/src/l"));
      },
      lines: ["grep -R 'OUT' notes/src"],
    },
    {
      why: "FT-28: a FIFO, followed",
      make: () => {
        play.fifo("notes/src/p");
      },
      lines: ["grep -R 'OUT' notes/src"],
    },
    {
      why: "SL-01: a link that is named",
      make: () => {
        symlinkSync(join(play.out, "secret.txt"), play.path("notes/l"));
      },
      lines: ["grep 'OUT' notes/l", "rg 'OUT' notes/l"],
    },
    {
      why: "SP-01: a FIFO that is named",
      make: () => {
        play.fifo("notes/p");
      },
      lines: ["grep 'x' notes/p", "rg 'x' notes/p"],
    },
    { why: "a directory without -r", make: () => undefined, lines: ["grep 'x' notes/src"] },
  ])("refuse $why", async ({ make, lines }) => {
    make();
    for (const line of lines) {
      const { status, stdout, refused } = await play.run(line);
      expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
      expect(refused).toBeDefined();
    }
  });

  it.each(["grep -r", "rg"])(
    "pass over links and special files below their root: %s (shed 78, SP-03)",
    async (command) => {
      symlinkSync(play.out, play.path("notes/src/d"));
      symlinkSync("..", play.path("notes/src/deep/up"));
      play.fifo("notes/src/p");
      const { status, stdout } = await play.run(
        `${command} 'needle\\|OUT' notes/src`.replace("rg 'needle\\|OUT'", "rg 'needle|OUT'"),
      );
      expect(status).toBe(0);
      expect(stdout).not.toContain("OUTSIDE");
      expect(stdout).toContain("notes/src/deep/c:needle\n");
    },
  );

  it.each(["--pre", "--hostname-bin", "-z", "--search-zip", "--ignore-file", "-f", "--no-ign", "-nE", "-A3"])(
    "refuse rg %s (FT-06, FT-08, FT-09, FT-10)",
    async (flag) => {
      expect((await play.run(`rg ${flag} 'x' notes/src`)).refused).toBeDefined();
    },
  );

  it("are not changed by the host's environment (shed 79, FT-07, FT-24, FT-25)", async () => {
    const before = await play.run("rg 'needle' notes/src");
    const set = {
      RIPGREP_CONFIG_PATH: play.path("notes/config"),
      GREP_OPTIONS: "-v",
      GREP_COLORS: "mt=1",
      PATH: play.path("notes"),
    };
    play.write({ "notes/config": "--invert-match\n" });
    const old = Object.keys(set).map((name) => [name, process.env[name]] as const);
    Object.assign(process.env, set);
    try {
      expect((await play.run("rg 'needle' notes/src")).stdout).toBe(before.stdout);
      expect((await play.run("grep 'needle' notes/a")).stdout).toBe("one needle\n");
    } finally {
      for (const [name, value] of old) {
        if (value === undefined) Reflect.deleteProperty(process.env, name);
        else process.env[name] = value;
      }
    }
  });

  it("do not let the content of a file pass for a name or a number", async () => {
    play.write({ "notes/f": "needle\n/proc/self/fd/3\u00011:needle fake\n--\nnotes/other:needle\n" });
    expect((await play.run("grep -H -n 'needle' notes/f")).stdout).toBe(
      "notes/f:1:needle\nnotes/f:2:/proc/self/fd/3\u00011:needle fake\nnotes/f:4:notes/other:needle\n",
    );
  });

  it("stop when the run is cancelled, with nothing left behind (SQ-11, FT-23)", async () => {
    play.write({ "notes/long": `${"a".repeat(4000)}b\n`.repeat(200) });
    const reason = new Error("enough");
    const abort = new AbortController();
    const searching = runLine("grep -E '(a*)*\\1c' notes/long", {
      policy: play.policy,
      signal: abort.signal,
      between: () => {
        setImmediate(() => {
          abort.abort(reason);
        });
      },
    });
    await expect(searching).rejects.toBe(reason);
  });

  it.runIf(process.platform === "linux")("leave no descriptor open", async () => {
    const before = readdirSync("/proc/self/fd").length;
    for (let round = 0; round < 5; round++) {
      await play.run("grep -r 'needle' notes");
      await play.run("rg -uu 'needle' notes");
    }
    expect(readdirSync("/proc/self/fd").length).toBeLessThanOrEqual(before + 2);
  });
});
