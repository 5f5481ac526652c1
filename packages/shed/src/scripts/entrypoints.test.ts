import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { scriptFolder, type ScriptFolder } from "./__fixtures__/script-folder.ts";
import { listScripts, locateScript } from "./entrypoints.ts";

let folder: ScriptFolder;
beforeEach(() => {
  folder = scriptFolder();
});
afterEach(() => {
  folder[Symbol.dispose]();
});

const names = async (): Promise<readonly string[]> => {
  const listed = await listScripts(folder.scriptsDir);
  return listed.status === "listed" ? listed.scripts.map(({ script }) => script) : [listed.status];
};

describe("the list of scripts", () => {
  it("has regular files that end with .sh, at any depth, in the order of their bytes", async () => {
    for (const name of ["b.sh", "a/z.sh", "B.sh", "é.sh", "a b.sh", ".hidden.sh", ".x/y.sh", "ab.sh"])
      folder.write(name);
    for (const name of ["notes.txt", "run", "x.bash", "y.sh.bak"]) folder.write(name);
    mkdirSync(join(folder.scriptsDir, "folder.sh"));
    expect(await names()).toEqual([
      ".hidden.sh",
      ".x/y.sh",
      "B.sh",
      "a b.sh",
      "a/z.sh",
      "ab.sh",
      "b.sh",
      "é.sh",
    ]);
  });

  it("has no links, no pipes, and nothing below a linked folder", async () => {
    folder.write("real/a.sh");
    symlinkSync("real/a.sh", join(folder.scriptsDir, "link.sh"));
    symlinkSync("real", join(folder.scriptsDir, "linked"));
    execFileSync("mkfifo", [join(folder.scriptsDir, "pipe.sh")]);
    expect(await names()).toEqual(["real/a.sh"]);
  });

  it("has no file that could not be asked for by its name", async () => {
    folder.write("C:x.sh");
    folder.write("\\x.sh");
    folder.write("ok.sh");
    writeFileSync(
      Buffer.concat([Buffer.from(`${folder.scriptsDir}/`), Buffer.from([0xff]), Buffer.from(".sh")]),
      "",
    );
    expect(await names()).toEqual(["ok.sh"]);
  });

  it("is empty, with a hint, while there is no directory", async () => {
    rmSync(folder.scriptsDir, { recursive: true });
    const { diagnostic, ...listed } = await listScripts(folder.scriptsDir);
    expect(listed).toEqual({ status: "listed", scripts: [] });
    expect(diagnostic).toContain("Make it");
  });

  it.each([
    {
      why: "a link",
      make: () => {
        renameSync(folder.scriptsDir, join(folder.root, "real"));
        symlinkSync("real", folder.scriptsDir);
      },
    },
    {
      why: "a file",
      make: () => {
        rmSync(folder.scriptsDir, { recursive: true });
        writeFileSync(folder.scriptsDir, "");
      },
    },
  ])("is refused when the directory is $why, and so is every script", async ({ make }) => {
    folder.write("a.sh");
    make();
    expect(await listScripts(folder.scriptsDir)).toMatchObject({ status: "refused" });
    expect(await locateScript(folder.scriptsDir, "a.sh")).toHaveProperty("refusal");
  });

  it.skipIf(process.getuid?.() === 0)(
    "leaves out folders that cannot be read, and fails for itself",
    async () => {
      folder.write("a/x.sh");
      folder.write("b.sh");
      chmodSync(join(folder.scriptsDir, "a"), 0);
      expect(await names()).toEqual(["b.sh"]);
      chmodSync(folder.scriptsDir, 0);
      expect(await listScripts(folder.scriptsDir)).toMatchObject({ status: "failed" });
      chmodSync(folder.scriptsDir, 0o700);
      chmodSync(join(folder.scriptsDir, "a"), 0o700);
    },
  );

  it("fails for a directory below a file", async () => {
    folder.write("a.sh");
    expect(await listScripts(join(folder.scriptsDir, "a.sh/x"))).toMatchObject({ status: "failed" });
  });
});

describe("a script's description", () => {
  it.each([
    { why: "stands behind the first line", lines: ["#!/bin/bash", "# Says hello."], is: "Says hello." },
    { why: "stands without such a line", lines: ["#Says hello.", "# And more."], is: "Says hello." },
    { why: "stands behind empty comments and lines", lines: ["#!/bin/sh", "", "#", "  ##  Hi  "], is: "Hi" },
    { why: "is none behind code", lines: ["echo", "# Says hello."], is: "" },
    { why: "is none in the first line", lines: ["#!/bin/bash -e"], is: "" },
    { why: "is none in an empty file", lines: [], is: "" },
    { why: "ends its lines as Windows does", lines: ["#!/bin/bash\r", "# Hi\r"], is: "Hi" },
    { why: "has 512 characters at most", lines: [`# ${"😀".repeat(600)}`], is: "😀".repeat(512) },
    { why: "begins with a byte order mark", lines: ["\uFEFF#!/bin/bash", "# Hi"], is: "Hi" },
    { why: "has bytes that are no text", lines: ["# a\u0000b"], is: "a\u0000b" },
  ])("$why", async ({ lines, is }) => {
    folder.write("x.sh", ...lines);
    expect(await listScripts(folder.scriptsDir)).toMatchObject({
      scripts: [{ script: "x.sh", description: is }],
    });
  });

  it("is looked for at the beginning of a long script only", async () => {
    folder.write("x.sh", "\n".repeat(100_000), "# Too late.");
    expect(await listScripts(folder.scriptsDir)).toMatchObject({ scripts: [{ description: "" }] });
  });
});

describe("a script's name", () => {
  it.each(["a.sh", "b/c.sh", "b/d e.sh", "--help.sh", "b/x*.sh"])("may be %j", async (name) => {
    folder.write(name);
    expect(await locateScript(folder.scriptsDir, name)).toEqual({ path: join(folder.scriptsDir, name) });
  });

  it.each([
    { why: "empty", name: "" },
    { why: "shed 130: above the directory", name: "../x.sh" },
    { why: "above it further down", name: "b/../../x.sh" },
    { why: "above it with a backslash", name: "b\\..\\x.sh" },
    { why: "absolute", name: "/etc/x.sh" },
    { why: "absolute on Windows", name: "C:\\x.sh" },
    { why: "absolute on Windows with a slash", name: "c:/x.sh" },
    { why: "on another machine", name: "\\\\host\\x.sh" },
    { why: "of no script", name: "notes.txt" },
    { why: "with arguments", name: "a.sh --force" },
    { why: "with a NUL", name: "a\0.sh" },
    { why: "with a dot as a folder", name: "./a.sh" },
    { why: "with an empty folder", name: "b//c.sh" },
    { why: "of a folder", name: "folder.sh" },
    { why: "below a script", name: "a.sh/b.sh" },
    { why: "of nothing", name: "none.sh" },
    { why: "far too long", name: `${"x".repeat(5000)}.sh` },
    { why: "shed 130: of a link", name: "link.sh" },
    { why: "shed 130: below a link", name: "linked/c.sh" },
    { why: "of another kind of file", name: "pipe.sh" },
  ])("is refused when it is $why", async ({ name }) => {
    folder.write("a.sh");
    folder.write("b/c.sh");
    folder.write("notes.txt");
    writeFileSync(join(folder.root, "x.sh"), "");
    mkdirSync(join(folder.scriptsDir, "folder.sh"));
    symlinkSync("a.sh", join(folder.scriptsDir, "link.sh"));
    symlinkSync("b", join(folder.scriptsDir, "linked"));
    execFileSync("mkfifo", [join(folder.scriptsDir, "pipe.sh")]);
    const located = await locateScript(folder.scriptsDir, name);
    expect("refusal" in located && located.refusal).toMatch(/^[A-Z].*\.$/);
  });

  it("is refused while there is no directory", async () => {
    expect(await locateScript(join(folder.root, "none"), "a.sh")).toEqual({
      refusal: "There is no scripts directory.",
    });
  });
});
