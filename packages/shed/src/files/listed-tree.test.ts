import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FileAccess } from "./access.ts";
import { compareLocations } from "./file-name.ts";
import { directoriesOf, listTree, namesBelow, TreeOfEntries } from "./listed-tree.ts";
import { countFiles, hasDotName, identityAt, packEntries, packIdentities } from "./packed-entries.ts";
import { treeBelow } from "./tree.ts";

let base: string;
let access: FileAccess;

const files = [
  "a/x",
  "a/b/y",
  "a-b",
  "a.c/z",
  "ab",
  "é/ü",
  "é/\u{1f642}",
  "é/\uffee",
  "Z",
  "0/1/2/3/4",
  ".d/e",
];

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "roboz-listed-")));
  access = new FileAccess({ base });
  for (const file of files) {
    mkdirSync(join(base, file, ".."), { recursive: true });
    writeFileSync(join(base, file), "");
  }
  mkdirSync(join(base, "empty"));
  symlinkSync("a", join(base, "link"));
  writeFileSync(Buffer.concat([Buffer.from(`${base}/a/`), Buffer.from([0xff, 0x62])]), "");
});

afterEach(() => {
  access.close();
  rmSync(base, { recursive: true });
});

describe("a listed tree", () => {
  it("has the names of a walk, in its order, listed or looked at", async () => {
    const walked = [...treeBelow(access, base)];
    const names = walked.map(({ location, directory, name, kind }) => ({ location, directory, name, kind }));
    expect(names.length).toBeGreaterThan(files.length);
    const listed = await listTree(access, base, () => undefined);
    expect([...namesBelow(listed)]).toEqual(names.map((name) => ({ ...name, stats: undefined })));
    const looked = new TreeOfEntries(base);
    for (const entry of walked) looked.add(entry);
    expect([...namesBelow(looked.top)]).toEqual(
      walked.map(({ stats }, index) => ({ ...names[index], stats })),
    );
    const directories = names.filter(({ kind }) => kind === "directory").map(({ location }) => location);
    expect([...directoriesOf(listed)].map(({ location }) => location).sort()).toEqual(
      [base, ...directories].sort(),
    );
  });

  it("fails when the turn of a directory has come that could not be listed", async () => {
    const listed = await listTree(access, base, () => {
      rmSync(join(base, "a"), { recursive: true, force: true });
      rmSync(join(base, "é"), { recursive: true, force: true });
    });
    const seen: string[] = [];
    const walk = () => {
      for (const { name } of namesBelow(listed)) seen.push(name);
    };
    expect(walk).toThrow(expect.objectContaining({ code: "ENOENT" }));
    expect(seen.at(-1)).toBe("a");
  });

  it("is ordered as locations are", async () => {
    const locations = Array.from(
      namesBelow(await listTree(access, base, () => undefined)),
      (name) => name.location,
    );
    for (const [index, location] of locations.entries()) {
      for (const [other, another] of locations.entries())
        expect(Math.sign(compareLocations(location, another))).toBe(Math.sign(index - other));
    }
  });
});

describe("packed entries", () => {
  it("tell what is among them", () => {
    const packed = packEntries([
      { name: "a.b", kind: "file" },
      { name: "c", kind: "link" },
    ]);
    expect([countFiles(packed), hasDotName(packed)]).toEqual([1, false]);
    expect(hasDotName(packEntries([{ name: ".b", kind: "file" }]))).toBe(true);
    const second = packEntries([
      { name: "a", kind: "directory" },
      { name: ".b", kind: "file" },
    ]);
    expect([countFiles(second), hasDotName(second)]).toEqual([1, true]);
  });

  it("keep which directories they were, to the last digit", () => {
    const identity = { dev: -1n, ino: 2n ** 63n - 1n, birthtimeNs: 1_796_083_200_123_456_789n };
    const packed = packIdentities([identity, undefined, identity]);
    expect([0, 1, 2, 3].map((index) => identityAt(packed, index))).toEqual([
      identity,
      undefined,
      identity,
      undefined,
    ]);
  });
});
