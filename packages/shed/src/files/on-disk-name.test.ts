import { linkSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FileAccess } from "./access.ts";
import { onDiskName } from "./on-disk-name.ts";
import type { OpenDirectory } from "./open-directory.ts";

let base: string;
let access: FileAccess;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "shed-name-"));
  access = new FileAccess({ base });
});

afterEach(() => {
  access.close();
  rmSync(base, { recursive: true });
});

/** A directory that does not care for case and Unicode form, and knows an old short name for its only entry. */
function careless(directory: OpenDirectory, alias = ""): Pick<OpenDirectory, "inspect" | "listUnsorted"> {
  const form = (name: string) => name.normalize("NFC").toLowerCase();
  return {
    listUnsorted: () => directory.listUnsorted(),
    inspect: (name) => {
      const [first] = directory.listUnsorted();
      const found = directory.listUnsorted().find((entry) => form(entry.name) === form(name));
      const isAlias = alias !== "" && form(name) === form(alias);
      return directory.inspect((isAlias ? first : found)?.name ?? name);
    },
  };
}

function nameOf(directory: Pick<OpenDirectory, "inspect" | "listUnsorted">, name: string): string {
  const stats = directory.inspect(name);
  if (stats === undefined) throw new Error("nothing has this name");
  return onDiskName(directory, name, stats);
}

describe("the name on disk", () => {
  it.each([
    { why: "another case (PB-14)", stored: "Secrets", written: "sEcrets" },
    { why: "the same case", stored: "Secrets", written: "Secrets" },
    { why: "another Unicode form (PB-15)", stored: "caf\u00e9", written: "cafe\u0301" },
    { why: "both (PB-14, PB-15)", stored: "CAFE\u0301", written: "caf\u00e9" },
  ])("is found for $why where the file system does not care", ({ stored, written }) => {
    writeFileSync(join(base, stored), "");
    writeFileSync(join(base, "another"), "");
    expect(nameOf(careless(access.at(base)), written)).toBe(stored);
  });

  it("is none for an alias that no listing shows", () => {
    writeFileSync(join(base, "Secrets of the house"), "");
    expect(() => nameOf(careless(access.at(base), "SECRET~1"), "SECRET~1")).toThrow(
      "No such file or directory",
    );
  });

  it("is the written one where the file system tells them apart, also for two names of one file", () => {
    writeFileSync(join(base, "abc"), "");
    linkSync(join(base, "abc"), join(base, "ABC"));
    expect(["abc", "ABC"].map((name) => nameOf(access.at(base), name))).toEqual(["abc", "ABC"]);
  });
});
