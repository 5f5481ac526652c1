import { lstatSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";

import { OpenDirectory } from "../files/open-directory.ts";
import { systemError } from "../files/system-error.ts";
import { makeProject, stampAt } from "./__fixtures__/project.ts";
import { addStamped, foldersIn, readText, stampsIn } from "./stamped-files.ts";

describe("a file that is added", () => {
  it("takes the next stamp that is free, and replaces nothing", () => {
    const { sandbox, read } = makeProject();
    const stamps = ["a", "b", "c"].map((text) => addStamped(sandbox.memoryDir, [], stampAt(0), text));
    expect(stamps).toEqual([stampAt(0), stampAt(1), stampAt(2)]);
    expect(stamps.map((stamp) => read(`memory/${stamp}.md`))).toEqual(["a", "b", "c"]);
  });

  it("stands in folders that are for their owner alone", () => {
    const { sandbox } = makeProject();
    addStamped(sandbox.snapshotsDir, ["c1"], stampAt(0), "x");
    for (const folder of [sandbox.snapshotsDir, join(sandbox.snapshotsDir, "c1")])
      expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it("goes through no link below the root", () => {
    const { sandbox, put } = makeProject();
    put("snapshots/x", "");
    put("elsewhere/x", "");
    symlinkSync(join(sandbox.projectDir, "elsewhere"), join(sandbox.snapshotsDir, "c1"));
    expect(() => addStamped(sandbox.snapshotsDir, ["c1"], stampAt(0), "x")).toThrow();
    expect(lstatSync(join(sandbox.projectDir, "elsewhere")).nlink).toBe(2);
  });

  it("is added in spite of a folder that is pruned meanwhile, and fails with what the system says when that goes on", async () => {
    const { sandbox, list } = makeProject();
    const makeDirectory = vi.spyOn(OpenDirectory.prototype, "makeDirectory");
    makeDirectory.mockImplementationOnce(() => undefined);
    addStamped(sandbox.snapshotsDir, ["c1"], stampAt(0), "x");
    expect(await list("snapshots")).toEqual([`c1/${stampAt(0)}.md`]);
    makeDirectory.mockImplementation(() => {
      rmSync(join(sandbox.snapshotsDir, "c2"), { recursive: true, force: true });
    });
    expect(() => addStamped(sandbox.snapshotsDir, ["c2"], stampAt(0), "x")).toThrow(/ENOENT/);
    makeDirectory.mockImplementation(() => {
      throw systemError("EACCES");
    });
    expect(() => addStamped(sandbox.snapshotsDir, ["c3"], stampAt(0), "x")).toThrow("Permission denied");
    makeDirectory.mockRestore();
  });
});

describe("what is read", () => {
  it("is nothing where there is no file, no ordinary one, or no text", async () => {
    const { sandbox, put } = makeProject();
    const at = (name: string): string => join(sandbox.memoryDir, name);
    put("memory/text.md", "text");
    put("memory/bytes.md", new Uint8Array([0xff]));
    symlinkSync(at("text.md"), at("link.md"));
    expect(await readText(at("text.md"))).toBe("text");
    for (const name of ["none.md", "text.md/x", "bytes.md", "link.md", "."])
      expect(await readText(at(name))).toBeUndefined();
  });

  it("are the stamps of ordinary files, the oldest first, and the folders", async () => {
    const { sandbox, put } = makeProject();
    for (const name of [stampAt(2), stampAt(10), stampAt(1)]) put(`memory/${name}.md`, "");
    put("memory/notes.md", "");
    put(`memory/${stampAt(5)}.md/x`, "");
    expect(await stampsIn(sandbox.memoryDir)).toEqual([stampAt(1), stampAt(2), stampAt(10)]);
    expect(await foldersIn(sandbox.memoryDir)).toEqual([`${stampAt(5)}.md`]);
    expect(await stampsIn(join(sandbox.memoryDir, "none"))).toEqual([]);
    await expect(stampsIn("\0")).rejects.toThrow();
  });
});
