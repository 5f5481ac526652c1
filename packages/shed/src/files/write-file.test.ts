import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  closeSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FileAccess } from "./access.ts";
import type { OpenDirectory } from "./open-directory.ts";
import { chunksOf } from "./reading.ts";
import { FileChangedError, systemSentence } from "./system-error.ts";
import { replaceFile } from "./write-file.ts";

let base: string;
let access: FileAccess;
let directory: OpenDirectory;
const content = Buffer.from("new");

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "shed-write-"));
  access = new FileAccess({ base });
  directory = access.at(base);
  writeFileSync(join(base, "f"), "old");
});

afterEach(() => {
  access.close();
  rmSync(base, { recursive: true });
});

describe("replaceFile", () => {
  it("makes a new file with the mode any new file has", () => {
    replaceFile(access, join(base, "n"), content, { expected: undefined });
    expect(readFileSync(join(base, "n"), "utf8")).toBe("new");
    expect(statSync(join(base, "n"))).toMatchObject({ mode: statSync(join(base, "f")).mode, nlink: 1 });
    expect(readdirSync(base)).toEqual(["f", "n"]);
  });

  it("keeps mode and owner", () => {
    chmodSync(join(base, "f"), 0o640);
    if (process.getuid?.() === 0) chownSync(join(base, "f"), 1234, 4321);
    const before = statSync(join(base, "f"));
    replaceFile(access, join(base, "f"), content, { expected: directory.inspect("f") });
    expect(readFileSync(join(base, "f"), "utf8")).toBe("new");
    const { mode, uid, gid } = before;
    expect(statSync(join(base, "f"))).toMatchObject({ mode, uid, gid });
  });

  it.each([
    {
      why: "other content",
      change: (path: string) => {
        writeFileSync(path, "mine");
      },
    },
    {
      why: "another file",
      change: (path: string) => {
        writeFileSync(`${path}2`, "mine");
        renameSync(`${path}2`, path);
      },
    },
    {
      why: "a link",
      change: (path: string) => {
        renameSync(path, `${path}2`);
        symlinkSync("f2", path);
      },
    },
    {
      why: "a second name",
      change: (path: string) => {
        linkSync(path, `${path}2`);
      },
    },
    {
      why: "a FIFO",
      change: (path: string) => {
        rmSync(path);
        execFileSync("mkfifo", [path]);
      },
    },
    {
      why: "nothing",
      change: (path: string) => {
        rmSync(path);
      },
    },
  ])("leaves alone what has become $why since it was read", ({ change }) => {
    const expected = directory.inspect("f");
    change(join(base, "f"));
    const before = readdirSync(base);
    expect(() => {
      replaceFile(access, join(base, "f"), content, { expected });
    }).toThrow();
    expect(readdirSync(base)).toEqual(before);
  });

  it("does not replace what somebody made where nothing was", () => {
    expect(() => {
      replaceFile(access, join(base, "f"), content, { expected: undefined });
    }).toThrow(FileChangedError);
    symlinkSync("elsewhere", join(base, "l"));
    expect(() => {
      replaceFile(access, join(base, "l"), content, { expected: undefined });
    }).toThrow(FileChangedError);
    expect(readdirSync(base)).toEqual(["f", "l"]);
  });
});

it("reads from a position, each chunk in the place of the one before", () => {
  const { descriptor } = directory.openFile("f", 0);
  expect(Buffer.concat([...chunksOf(descriptor)]).toString()).toBe("old");
  expect(Buffer.concat([...chunksOf(descriptor, 1)]).toString()).toBe("ld");
  closeSync(descriptor);
  const bytes = randomBytes(700_000);
  writeFileSync(join(base, "large"), bytes);
  const large = directory.openFile("large", 0).descriptor;
  const copies: Buffer[] = [];
  for (const chunk of chunksOf(large)) copies.push(Buffer.from(chunk));
  closeSync(large);
  expect(Buffer.concat(copies).equals(bytes)).toBe(true);
});

it.each([
  {
    why: "an error of the system",
    error: () => directory.openFile("none", 0),
    sentence: "No such file or directory",
  },
  {
    why: "a change",
    error: () => {
      replaceFile(access, join(base, "f"), content, { expected: undefined });
    },
    sentence: "Changed since it was checked",
  },
])("has a sentence for $why", ({ error, sentence }) => {
  let said: string | undefined;
  try {
    error();
  } catch (thrown) {
    said = systemSentence(thrown);
  }
  expect(said).toBe(sentence);
  expect(systemSentence(new Error("x"))).toBeUndefined();
});
