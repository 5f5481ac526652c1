import {
  closeSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bestContainment, FileAccess } from "./access.ts";
import { kindOf } from "./entry.ts";
import { FileChangedError, LinkOnPathError } from "./system-error.ts";
import { treeBelow } from "./tree.ts";

const isLinux = process.platform === "linux";
const containments =
  bestContainment() === "anchored" ? (["anchored", "best-effort"] as const) : (["best-effort"] as const);

describe.each(containments)("%s file access", (containment) => {
  let top: string;
  let base: string;
  let access: FileAccess;

  beforeEach(() => {
    top = mkdtempSync(join(tmpdir(), "shed-access-"));
    base = join(top, "app");
    mkdirSync(join(base, "notes/deep"), { recursive: true });
    mkdirSync(join(top, "out"));
    writeFileSync(join(base, "notes/a.txt"), "inside\n");
    writeFileSync(join(top, "out/secret.txt"), "OUTSIDE");
    access = new FileAccess({ base, containment });
  });

  afterEach(() => {
    access.close();
    rmSync(top, { recursive: true, force: true });
  });

  it.each([
    { why: "a plain path", path: "notes/a.txt", location: "notes/a.txt" },
    { why: "PB-02: dots and doubled separators", path: "./notes//./a.txt", location: "notes/a.txt" },
    { why: "a parent segment", path: "notes/deep/../a.txt", location: "notes/a.txt" },
    { why: "the base", path: ".", location: "" },
    { why: "PB-16: percent signs that mean nothing", path: "notes/%2e%2e", location: "notes/%2e%2e" },
  ])("finds $why", ({ path, location }) => {
    expect(access.lookUp(path).location).toBe(join(base, location).replace(/\/$/, ""));
  });

  it("tells what stands at a path and whether something could", () => {
    expect(access.lookUp("notes/a.txt")).toMatchObject({ hasParent: true, asksForDirectory: false });
    expect(access.lookUp("notes/none")).toMatchObject({ stats: undefined, hasParent: true });
    expect(access.lookUp("none/../a")).toMatchObject({
      stats: undefined,
      hasParent: false,
      location: join(base, "a"),
    });
    expect(access.lookUp("notes/deep/.")).toMatchObject({
      asksForDirectory: true,
      location: join(base, "notes/deep"),
    });
  });

  it.each([
    { why: "shed 51: a link that a parent segment takes back", path: "d/../notes/a.txt" },
    { why: "SL-02: a file behind a link", path: "d/secret.txt" },
    { why: "a link that is asked for as a directory", path: "d/" },
    { why: "SL-05: a link that leads to itself", path: "loop/x" },
  ])("refuses $why", ({ path }) => {
    symlinkSync(join(top, "out"), join(base, "d"));
    symlinkSync("loop", join(base, "loop"));
    expect(() => access.lookUp(path)).toThrow(LinkOnPathError);
  });

  it.each([
    { why: "PB-19: a component of 300 characters", path: "x".repeat(300), code: "ENAMETOOLONG" },
    { why: "PB-19: a path of 5,000 characters", path: "x/".repeat(2500), code: "ENAMETOOLONG" },
    { why: "a file used as a directory", path: "notes/a.txt/x", code: "ENOTDIR" },
    { why: "a file that is asked for as a directory", path: "notes/a.txt/", code: "ENOTDIR" },
  ])("gives the system's error for $why", ({ path, code }) => {
    expect(() => access.lookUp(path)).toThrow(expect.objectContaining({ code }));
  });

  it("gives an error for a base that is gone, and does not make it again (PB-18)", () => {
    rmSync(base, { recursive: true });
    expect(() => access.lookUp("notes/a.txt")).toThrow(expect.objectContaining({ code: "ENOENT" }));
    expect(readdirSync(top)).toEqual(["out"]);
  });

  it("refuses a directory that was replaced since it was seen", () => {
    access.at(join(base, "notes"));
    access.close();
    renameSync(join(base, "notes"), join(base, "old"));
    mkdirSync(join(base, "notes"));
    expect(() => access.at(join(base, "notes"))).toThrow(FileChangedError);
    rmSync(join(base, "notes"), { recursive: true });
    symlinkSync(join(top, "out"), join(base, "notes"));
    expect(() => access.at(join(base, "notes"))).toThrow(FileChangedError);
  });

  it("opens the file that was checked and no other", () => {
    const { stats } = access.lookUp("notes/a.txt");
    const notes = access.at(join(base, "notes"));
    const { descriptor } = notes.openFile("a.txt", 0, stats);
    expect(readFileSync(descriptor, "utf8")).toBe("inside\n");
    closeSync(descriptor);
    rmSync(join(base, "notes/a.txt"));
    writeFileSync(join(base, "notes/a.txt"), "another");
    expect(() => notes.openFile("a.txt", 0, stats)).toThrow(FileChangedError);
  });

  it.each([
    {
      why: "SL-01: a link",
      make: () => {
        symlinkSync(join(top, "out/secret.txt"), join(base, "notes/x"));
      },
    },
    {
      why: "SL-10: a file with two names",
      make: () => {
        linkSync(join(top, "out/secret.txt"), join(base, "notes/x"));
      },
    },
    {
      why: "SP-01: a FIFO, without waiting for its other end",
      make: () => {
        execFileSync("mkfifo", [join(base, "notes/x")]);
      },
    },
  ])("does not open $why", ({ make }) => {
    make();
    const notes = access.at(join(base, "notes"));
    expect(() => notes.openFile("x", 0)).toThrow(FileChangedError);
    expect(() => notes.openFile("x", 1)).toThrow(FileChangedError);
  });

  it("walks a tree in byte order without entering links (SL-08)", () => {
    symlinkSync("..", join(base, "notes/deep/up"));
    writeFileSync(join(base, "notes/ä"), "");
    writeFileSync(join(base, "notes/Z"), "");
    const entries = [...treeBelow(access, base)].map(({ location, kind, depth }) => [
      location.slice(base.length),
      kind,
      depth,
    ]);
    expect(entries).toEqual([
      ["/notes", "directory", 1],
      ["/notes/Z", "file", 2],
      ["/notes/a.txt", "file", 2],
      ["/notes/deep", "directory", 2],
      ["/notes/deep/up", "link", 3],
      ["/notes/ä", "file", 2],
    ]);
  });

  it("lists names of any bytes and hands them back unchanged (FN-03)", () => {
    const raw = Buffer.from("6261ff64ed a0 80".replaceAll(" ", ""), "hex");
    writeFileSync(Buffer.concat([Buffer.from(join(base, "notes/")), raw]), "odd");
    const odd = access
      .at(join(base, "notes"))
      .list()
      .find(({ name }) => name.startsWith("ba"));
    expect(odd).toMatchObject({ kind: "file", name: "ba\udcffd\udced\udca0\udc80" });
    access.at(join(base, "notes")).unlink(odd?.name ?? "");
    expect(readdirSync(join(base, "notes"))).toEqual(["a.txt", "deep"]);
  });

  it.runIf(isLinux)("closes every directory it has opened", () => {
    const before = readdirSync("/proc/self/fd").length;
    for (let round = 0; round < 50; round++) {
      for (const path of [
        "notes/deep/x",
        "none/../a",
        "notes/a.txt/x",
        "notes/deep/../../../out/secret.txt",
      ]) {
        try {
          access.lookUp(path);
        } catch {
          // What failed must not leave anything open either.
        }
      }
      access.close();
    }
    expect(readdirSync("/proc/self/fd")).toHaveLength(before);
  });

  it.runIf(isLinux)("holds directories until the event loop turns, or until it is closed", async () => {
    const count = (): number => readdirSync("/proc/self/fd").length;
    const before = count();
    access.at(join(base, "notes"));
    const held = count();
    access.closeSoon();
    expect(count()).toBe(held);
    await setImmediate();
    expect(count()).toBe(before);
    access.at(join(base, "notes"));
    access.closeSoon();
    access.stayOpen();
    await setImmediate();
    expect(count()).toBe(held);
    access.close();
    expect(count()).toBe(before);
    expect(held).toBeGreaterThan(before);
  });
});

describe.runIf(bestContainment() === "anchored")("anchored file access", () => {
  it("stays in the directory it opened when a link takes its place", () => {
    const top = mkdtempSync(join(tmpdir(), "shed-access-"));
    mkdirSync(join(top, "d"));
    mkdirSync(join(top, "out"));
    writeFileSync(join(top, "out/secret.txt"), "OUTSIDE");
    const access = new FileAccess({ base: top });
    const held = access.at(join(top, "d"));
    renameSync(join(top, "d"), join(top, "moved"));
    symlinkSync(join(top, "out"), join(top, "d"));
    expect(held.inspect("secret.txt")).toBeUndefined();
    expect(held.list()).toEqual([]);
    access.close();
    rmSync(top, { recursive: true });
  });

  it.each([
    "/proc/1/environ",
    "/proc/self/environ",
    join("/proc/self/root", "etc/passwd"),
    "/dev/fd/3",
    "/sys/kernel/x",
  ])("does not enter the kernel's own files: %s (SL-09, SP-04)", (path) => {
    const access = new FileAccess({ base: "/" });
    expect(() => access.lookUp(path)).toThrow();
    access.close();
  });

  it("tells a device from a file", () => {
    const access = new FileAccess({ base: "/" });
    const { stats } = access.lookUp("/dev/zero");
    expect(stats === undefined ? undefined : kindOf(stats)).toBe("special");
    access.close();
  });
});
