import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemError } from "../files/system-error.ts";
import { withCall } from "./__fixtures__/faults.ts";
import { runLine, runTokens } from "./__fixtures__/command-run.ts";
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

function inNotes(needs: readonly string[]): readonly string[] {
  return needs.map((need) => need.replace(`${play.path("notes")}/`, ""));
}

describe("writing commands", () => {
  it.each([
    { why: "shed 84: a text to nobody", line: "tee 'hello'", stdout: "hello", needs: [] },
    { why: "a text to a new file", line: "tee 'hello' notes/new", stdout: "hello", needs: ["create new"] },
    {
      why: "a text to a file that exists",
      line: "tee 'hello' notes/a",
      stdout: "hello",
      needs: ["create a", "read a", "delete a"],
    },
    {
      why: "shed 87: a missing file that is not made",
      line: "touch -c notes/none",
      stdout: "",
      needs: ["create none"],
    },
    { why: "times of a directory", line: "touch notes/tree", stdout: "", needs: ["create tree"] },
    {
      why: "times of another file",
      line: "touch -r notes/b notes/a",
      stdout: "",
      needs: ["read b", "create a", "read a", "delete a"],
    },
    {
      why: "shed 89: both folders that a path names",
      line: "mkdir -p notes/p/../q",
      stdout: "",
      needs: ["create p", "create q"],
    },
    { why: "missing parents", line: "mkdir -p notes/p/q", stdout: "", needs: ["create p", "create p/q"] },
    {
      why: "shed 90: folders in order",
      line: "mkdir notes/p notes/p/q",
      stdout: "",
      needs: ["create p", "create p/q"],
    },
    { why: "a copy", line: "cp notes/a notes/new", stdout: "", needs: ["read a", "create new"] },
    {
      why: "PB-09: a copy over a file",
      line: "cp notes/a notes/b",
      stdout: "",
      needs: ["read a", "create b", "read b", "delete b"],
    },
    {
      why: "shed 92: a tree into a folder",
      line: "cp -R notes/tree notes/empty",
      stdout: "",
      needs: [
        "read tree",
        "create empty/tree",
        "read tree/.hidden",
        "create empty/tree/.hidden",
        "read tree/sub",
        "create empty/tree/sub",
        "read tree/sub/y",
        "create empty/tree/sub/y",
        "read tree/x",
        "create empty/tree/x",
      ],
    },
    {
      why: "design 16: a move, which takes content along",
      line: "mv notes/a notes/new",
      stdout: "",
      needs: ["read a", "delete a", "create new"],
    },
    {
      why: "shed 93: a folder over an empty one",
      line: "mv -T notes/tree/sub notes/empty",
      stdout: "",
      needs: [
        "read tree/sub",
        "delete tree/sub",
        "create empty",
        "read empty",
        "delete empty",
        "read tree/sub/y",
        "delete tree/sub/y",
        "create empty/y",
      ],
    },
    {
      why: "PB-12: all of a tree that goes",
      line: "rm -r notes/tree",
      stdout: "",
      needs: ["delete tree", "delete tree/.hidden", "delete tree/sub", "delete tree/sub/y", "delete tree/x"],
    },
    {
      why: "shed 101: a tree that is named twice",
      line: "rm -r notes/tree/sub notes/tree/sub",
      stdout: "",
      needs: ["delete tree/sub", "delete tree/sub/y"],
      status: 1,
    },
    { why: "shed 100: nothing", line: "rm -f", stdout: "", needs: [] },
  ])("need exactly what they do: $why", async ({ line, stdout, needs, status = 0 }) => {
    const result = await play.run(line);
    expect(result.refused).toBeUndefined();
    expect({ status: result.status, stdout: result.stdout }).toEqual({ status, stdout });
    expect(inNotes(result.needs)).toEqual(needs);
  });

  it.each([
    { why: "shed 85, IO-08: one good and one bad destination", line: "tee 'x' notes/good notes/tree" },
    { why: "shed 86: a missing folder", line: "tee 'x' notes/d/f" },
    { why: "a folder that is left again", line: "touch notes/none/../f" },
    { why: "shed 88: a pattern without a match", line: "touch -c notes/*.none" },
    { why: "GL-05: a star in a destination", line: "cp notes/a notes/*x" },
    { why: "GL-05: a star in a folder to be made", line: "mkdir notes/*" },
    { why: "an impossible date", line: "touch -d 'never' notes/a" },
    { why: "shed 91: a folder without -r", line: "cp notes/tree notes/new" },
    { why: "shed 94: a file onto itself", line: "cp notes/a notes/a" },
    { why: "shed 95: two files of one name", line: "cp notes/tree/x notes/tree/x notes/empty" },
    { why: "shed 96: a tree into itself", line: "cp -R notes/tree notes/tree/sub" },
    { why: "shed 93: a folder over one that is not empty", line: "mv -T notes/empty notes/tree" },
    { why: "a file over a folder", line: "cp -T notes/a notes/tree" },
    { why: "a folder over a file", line: "cp -r -T notes/tree notes/a" },
    { why: "a missing target folder", line: "cp -t notes/none notes/a" },
    { why: "shed 100: removing nothing", line: "rm" },
    { why: "GL-03: a pattern without a match", line: "rm -f notes/*.none" },
    { why: "shed 102, FT-26: another word of gio", line: "gio 'info' notes/a" },
    { why: "SP-05: a folder where a file is expected", line: "tee 'x' notes/tree" },
    { why: "FT-11: a reference that is no path", line: "touch -r 'notes/a' notes/b" },
  ])("refuse $why, changing nothing", async ({ line }) => {
    const before = names();
    const { status, refused } = await play.run(line);
    expect(status).toBe(1);
    expect(refused).toBeDefined();
    expect(names()).toEqual(before);
    expect(play.read("notes/a")).toBe("one\n");
  });

  it.each([
    { why: "shed 15: deleting the target", deny: "delete", line: "cp notes/a notes/b" },
    { why: "shed 16, design 16: reading the source of a move", deny: "read", line: "mv notes/b notes/new" },
    { why: "PB-12: one entry deep in a tree", deny: "delete", line: "rm -r notes" },
    { why: "PB-13: one operand of several", deny: "delete", line: "rm notes/a notes/b" },
    { why: "PB-08: reading a source", deny: "read", line: "cp notes/b notes/new" },
  ] as const)("are denied as a whole for $why", async ({ deny, line }) => {
    play.policy = play.policyWith({ deny: [{ pattern: "notes/b", operations: [deny] }] });
    const before = names();
    expect((await play.run(line)).refused).toContain("Denied");
    expect(names()).toEqual(before);
  });

  it("copy content and mode, without the special bits (SP-06)", async () => {
    chmodSync(play.path("notes/a"), 0o6751);
    expect((await play.run("cp notes/a notes/new")).status).toBe(0);
    expect(statSync(play.path("notes/new")).mode & 0o7027).toBe(0o001);
    expect(play.read("notes/new")).toBe("one\n");
  });

  it("copy the modes of folders also when they are given up half way", async () => {
    chmodSync(play.path("notes/tree"), 0o555);
    const stop = () => {
      throw new Error("stop");
    };
    await expect(withCall("writeSync", stop, () => play.run("cp -r notes/tree notes/copy"))).rejects.toThrow(
      "stop",
    );
    expect(statSync(play.path("notes/copy")).mode & 0o777).toBe(0o555);
  });

  it("tell when a folder that they made cannot have its mode", async () => {
    chmodSync(play.path("notes/tree"), 0o555);
    const fail = () => {
      throw systemError("EPERM");
    };
    const copy = () => play.run("cp -r notes/tree notes/copy");
    expect(await withCall("chmodSync", fail, copy)).toMatchObject({
      status: 1,
      stderr: "cp: setting permissions for 'notes/copy': Operation not permitted\n",
    });
  });

  it("adds twice to a file that is named twice, and closes it once", async () => {
    const { status, stdout } = await play.run("tee -a 'x' notes/a notes/a ./notes/a");
    expect([status, stdout, play.read("notes/a")]).toEqual([0, "x", "one\nxxx"]);
  });

  it("keep the bytes of what they copy and pipe (shed 50, CT-08)", async () => {
    const bytes = Buffer.from("efbbbf610d0a0d620000ff", "hex");
    play.write({ "notes/raw": bytes });
    await play.run("cp notes/raw notes/copied");
    await play.run("tee notes/piped", bytes);
    for (const name of ["copied", "piped"])
      expect(Buffer.from(play.read(`notes/${name}`))).toEqual(Buffer.from(bytes.toString()));
  });

  it("add whole lines when two of them add at once (RC-06)", async () => {
    const line = `${"x".repeat(79)}\n`;
    const add = async (): Promise<void> => {
      for (let count = 0; count < 200; count++) await play.run("tee -a notes/log", line);
    };
    await play.run("touch notes/log");
    await Promise.all([add(), add()]);
    expect(play.read("notes/log")).toBe(line.repeat(400));
  });

  it("both make what both want (RC-07)", async () => {
    const results = await Promise.all([play.run("mkdir -p notes/p/q/r"), play.run("mkdir -p notes/p/q/r")]);
    expect(results.map(({ status }) => status)).toEqual([0, 0]);
  });

  it("set the times they are given", async () => {
    utimesSync(play.path("notes/a"), 1000, 2000);
    await play.run("touch -m -d '2001-02-03T04:05:06Z' notes/a");
    const { atimeMs, mtime } = statSync(play.path("notes/a"));
    expect([atimeMs, mtime.toISOString()]).toEqual([1_000_000, "2001-02-03T04:05:06.000Z"]);
  });

  it.each(["-rf", "--help", "odd $(touch x) `;|&", "tab\there", "ü", "line\nbreak"])(
    "take %j for a name and nothing else (FT-14, FN-02, GL-07)",
    async (name) => {
      const path = `notes/${name}`;
      await runTokens(
        "tee",
        [
          { text: "x", tag: "ARG" },
          { text: path, tag: "PTH" },
        ],
        play,
      );
      expect(play.read(path)).toBe("x");
      await runTokens("rm", [{ text: path, tag: "PTH" }], play);
      expect(existsSync(play.path(path))).toBe(false);
      expect(names()).toContain("tree/sub/y");
    },
  );

  it.each(["rm -r .", "rm -r notes/..", "rm -r ..", "gio 'trash' .", "mv . notes/new"])(
    "never take the base away: %s (FN-06, FN-07)",
    async (line) => {
      play.allowAll();
      const before = names();
      expect((await play.run(line)).status).toBe(1);
      expect(names()).toEqual(before);
    },
  );

  it("refuse a folder that ends in dots, as the program does", async () => {
    const { status, stderr } = await play.run("rm -r notes/tree/.");
    expect(status).toBe(1);
    expect(stderr).toContain("refusing to remove '.' or '..'");
    expect(existsSync(play.path("notes/tree/x"))).toBe(true);
  });

  it("void an effect when another object stands there by now (RC-04)", async () => {
    const between = (): void => {
      writeFileSync(play.path("notes/other"), "mine");
      renameSync(play.path("notes/other"), play.path("notes/a"));
    };
    for (const line of [
      "tee 'x' notes/a",
      "rm notes/a",
      "cp notes/a notes/new",
      "mv notes/a notes/new",
      "touch notes/a",
      "cat notes/a",
    ]) {
      const { status, stdout } = await runLine(line, { policy: play.policy, between });
      expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
      expect(play.read("notes/a")).toBe("mine");
    }
  });

  it("do not touch what comes up after they looked (RC-05)", async () => {
    const between = (): void => {
      writeFileSync(play.path("notes/tree/new"), "mine");
    };
    await runLine("rm -r notes/tree", { policy: play.policy, between });
    expect(names().filter((name) => name.startsWith("tree"))).toEqual(["tree", "tree/new"]);
  });
});

describe("gio trash", () => {
  const given = process.env["XDG_DATA_HOME"];
  afterEach(() => {
    if (given === undefined) delete process.env["XDG_DATA_HOME"];
    else process.env["XDG_DATA_HOME"] = given;
  });

  it("moves names to the home trash with a note, and needs to delete all of them", async () => {
    process.env["XDG_DATA_HOME"] = join(play.top, "data");
    const { status, needs } = await play.run("gio 'trash' notes/a notes/tree");
    expect(status).toBe(0);
    expect(inNotes(needs)).toEqual([
      "delete a",
      "delete tree",
      "delete tree/.hidden",
      "delete tree/sub",
      "delete tree/sub/y",
      "delete tree/x",
    ]);
    play.write({ "notes/a": "again\n" });
    await play.run("gio 'trash' notes/a");
    const trash = join(play.top, "data/Trash");
    expect(readdirSync(join(trash, "files")).sort()).toEqual(["a", "a.2", "tree"]);
    expect(readdirSync(join(trash, "info")).sort()).toEqual([
      "a.2.trashinfo",
      "a.trashinfo",
      "tree.trashinfo",
    ]);
    expect(names()).toEqual(["b", "empty"]);
  });

  it("leaves the file where no trash is possible (IO-07)", async () => {
    writeFileSync(join(play.top, "data"), "a file");
    process.env["XDG_DATA_HOME"] = join(play.top, "data");
    expect((await play.run("gio 'trash' notes/a")).status).toBe(1);
    expect(play.read("notes/a")).toBe("one\n");
  });

  it("takes locations for file names (FT-27)", async () => {
    play.allowAll();
    for (const path of ["trash:///x", `file://${play.out}/secret.txt`, "admin:///etc/shadow"]) {
      expect((await play.run(`gio 'trash' ${path}`)).status).toBe(1);
    }
    expect(play.secret()).toBe("OUTSIDE");
  });
});
