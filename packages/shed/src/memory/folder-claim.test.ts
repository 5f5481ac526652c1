import { existsSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { makeProject } from "./__fixtures__/project.ts";
import { claimFolder } from "./folder-claim.ts";

describe("a claim of a folder", () => {
  it("is one's own until it is released, and then another's", async () => {
    const { memoryDir } = makeProject().sandbox;
    const first = await claimFolder(memoryDir);
    const second = await claimFolder(memoryDir);
    expect([first.isOurs, second.isOurs]).toEqual([true, false]);
    second.release();
    expect((await claimFolder(memoryDir)).isOurs).toBe(false);
    first.release();
    expect(existsSync(join(memoryDir, ".maintenance"))).toBe(false);
    expect((await claimFolder(memoryDir)).isOurs).toBe(true);
  });

  it.each([
    {
      why: "of a process that is gone",
      text: JSON.stringify({ pid: 2 ** 30, startedAt: "1", boot: "x", nonce: "n" }),
    },
    { why: "that a crash left empty", text: "" },
  ])("$why counts for nothing", async ({ text }) => {
    const { sandbox, put } = makeProject();
    put("memory/.maintenance", text);
    expect((await claimFolder(sandbox.memoryDir)).isOurs).toBe(true);
  });

  it("that nobody can judge is respected", async () => {
    const { sandbox, put } = makeProject();
    put("memory/.maintenance", "something else");
    expect((await claimFolder(sandbox.memoryDir)).isOurs).toBe(false);
  });

  it("follows no link", async () => {
    const { sandbox, put, read } = makeProject();
    const target = put("target", "untouched");
    put("memory/x", "");
    symlinkSync(target, join(sandbox.memoryDir, ".maintenance"));
    expect((await claimFolder(sandbox.memoryDir)).isOurs).toBe(true);
    expect(read("target")).toBe("untouched");
    expect(readFileSync(join(sandbox.memoryDir, ".maintenance"), "utf8")).toContain("nonce");
  });

  it("that cannot be taken away counts for nothing once it is released", async () => {
    const { memoryDir } = makeProject().sandbox;
    const first = await claimFolder(memoryDir);
    const elsewhere = `${memoryDir}-moved`;
    renameSync(memoryDir, elsewhere);
    symlinkSync(memoryDir, memoryDir);
    first.release();
    rmSync(memoryDir);
    renameSync(elsewhere, memoryDir);
    expect((await claimFolder(memoryDir)).isOurs).toBe(true);
  });

  it("fails with what the system says when the folder cannot be made", async () => {
    const { put } = makeProject();
    await expect(claimFolder(join(put("file", ""), "below"))).rejects.toThrow(/ENOTDIR/);
  });
});
