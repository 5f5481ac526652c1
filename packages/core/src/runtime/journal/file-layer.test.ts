import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { nodeFileLayer } from "./file-layer.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "roboz-files-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe("the file system of the machine", () => {
  it("puts a whole file where there is none, once, and leaves nothing else", async () => {
    const path = join(folder, "one");
    const made = await Promise.all(
      Array.from({ length: 8 }, () => nodeFileLayer.createExclusive(path, "text")),
    );
    expect(made.filter(Boolean)).toHaveLength(1);
    expect(await readdir(folder)).toEqual(["one"]);
    await expect(nodeFileLayer.createExclusive(join(folder, "gone", "one"), "")).rejects.toMatchObject({
      code: "ENOENT",
    });
  });

  it("finds nothing where there is nothing", async () => {
    const path = join(folder, "gone");
    expect(await nodeFileLayer.exists(path)).toBe(false);
    expect(await nodeFileLayer.read(path)).toBeUndefined();
    expect(await nodeFileLayer.list(path)).toEqual([]);
    await nodeFileLayer.remove(path);
    await expect(nodeFileLayer.remove(folder)).rejects.toBeInstanceOf(Error);
  });

  it("says which folder was the first that it had to make", async () => {
    expect(await nodeFileLayer.makeFolder(join(folder, "a", "b"))).toBe(join(folder, "a"));
    expect(await nodeFileLayer.makeFolder(join(folder, "a", "b"))).toBeUndefined();
  });
});
