import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, relative } from "node:path";

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { ExecutableDependency } from "./executable.ts";
import { externalDependenciesOf } from "./external-dependency.ts";

let folder = "";
let other = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "executable-"));
  other = await mkdtemp(join(tmpdir(), "executable-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
  await rm(other, { recursive: true });
});

/** Puts a program that cannot run into a folder. */
async function program(path: string, mode = 0o755): Promise<string> {
  await writeFile(path, "");
  await chmod(path, mode);
  return path;
}

/** A dependency on `tool`, looked for in these entries of `PATH`. */
function toolOn(...entries: readonly string[]): ExecutableDependency {
  return new ExecutableDependency("tool", { environment: { PATH: entries.join(delimiter) } });
}

describe("ExecutableDependency", () => {
  it("is known by its name", () => {
    const rg = new ExecutableDependency("rg", { displayName: "ripgrep" });
    expect(rg).toMatchObject({ dependencyId: "executable:rg", kind: "executable" });
    expect(rg.redactedMetadata()).toEqual({ executable: "rg", displayName: "ripgrep" });
    expect(new ExecutableDependency("rg").redactedMetadata().displayName).toBe("rg");
    expect(externalDependenciesOf(rg)).toEqual([rg]);
  });

  it.each(["", " ", "\t", "a\0b"])("refuses the name %j", (name) => {
    expect(() => new ExecutableDependency(name)).toThrow(
      expect.objectContaining({ code: "core/dependency" }),
    );
  });

  it("core 110: is found by the second check when it appears between two", async () => {
    const tool = toolOn(other, folder);
    expect(await tool.check()).toMatchObject({ reasonCode: "not_found" });
    const path = await program(join(folder, "tool"));
    expect(await tool.check()).toBeNull();
    expect(await tool.resolve()).toBe(path);
    expect(await tool.require()).toBe(path);
  });

  it("is looked for on the PATH of the process", async () => {
    const tool = new ExecutableDependency("tool");
    vi.stubEnv("PATH", folder);
    expect(await tool.resolve()).toBeNull();
    await program(join(folder, "tool"));
    expect(await tool.resolve()).toBe(join(folder, "tool"));
    vi.unstubAllEnvs();
  });

  it("says which program is missing", async () => {
    const tool = toolOn(folder);
    const failure = await tool.check();
    expect(failure?.reasonCode).toBe("not_found");
    expect(failure?.message).toContain("`tool`");
    await expect(tool.require()).rejects.toMatchObject({
      code: "core/executable-not-found",
      executable: "tool",
    });
    expect(await new ExecutableDependency("tool", { environment: {} }).resolve()).toBeNull();
  });

  it("is the first on the PATH", async () => {
    await program(join(folder, "tool"));
    const first = await program(join(other, "tool"));
    expect(await toolOn(other, folder).resolve()).toBe(first);
  });

  it.each([
    { why: "a folder of its name", make: (path: string) => mkdir(path) },
    { why: "a file that may not be started", make: (path: string) => program(path, 0o644) },
    { why: "a link to nothing", make: (path: string) => symlink("gone", path) },
    { why: "a link to itself", make: (path: string) => symlink("tool", path) },
    { why: "a link to a folder", make: (path: string) => symlink(tmpdir(), path) },
  ])("passes over $why", async ({ make }) => {
    await make(join(other, "tool"));
    expect(await toolOn(other).resolve()).toBeNull();
    const path = await program(join(folder, "tool"));
    expect(await toolOn(other, folder).resolve()).toBe(path);
  });

  it("passes over two links that lead to one another", async () => {
    await symlink("b", join(other, "tool"));
    await symlink("tool", join(other, "b"));
    expect(await toolOn(other).check()).toMatchObject({ reasonCode: "not_found" });
  });

  it("is found through a link, by the link's own path", async () => {
    await program(join(folder, "real"));
    await symlink(join(folder, "real"), join(other, "tool"));
    expect(await toolOn(other).resolve()).toBe(join(other, "tool"));
  });

  it.each([
    { why: "empty entries", entries: ["", ""] },
    { why: "a dot", entries: ["."] },
    { why: "a relative entry", entries: () => [relative(process.cwd(), folder)] },
    { why: "an entry that is no folder", entries: () => [join(folder, "tool")] },
    { why: "an entry that is not there", entries: () => [join(folder, "gone")] },
  ])("is not found by $why", async ({ entries }) => {
    await program(join(folder, "tool"));
    const cwd = vi.spyOn(process, "cwd").mockReturnValue(folder);
    const given = typeof entries === "function" ? entries() : entries;
    expect(await toolOn(...given).resolve()).toBeNull();
    expect(await toolOn(...given, folder).resolve()).toBe(join(folder, "tool"));
    cwd.mockRestore();
  });

  it("is looked at where it is when its name is a path", async () => {
    const path = await program(join(folder, "tool"));
    expect(await new ExecutableDependency(path, { environment: {} }).resolve()).toBe(path);
    const near = new ExecutableDependency(relative(process.cwd(), path), { environment: { PATH: folder } });
    expect(await near.resolve()).toBe(path);
    expect(await new ExecutableDependency(join(folder, "gone")).resolve()).toBeNull();
  });

  it("stops looking when its signal fires, with the signal's reason", async () => {
    const reason = new Error("enough");
    const controller = new AbortController();
    const waiting = toolOn(folder, other).check({ signal: controller.signal });
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(toolOn(folder).check({ signal: controller.signal })).rejects.toBe(reason);
    await expect(toolOn(folder).resolve({ signal: controller.signal })).rejects.toBe(reason);
  });
});
