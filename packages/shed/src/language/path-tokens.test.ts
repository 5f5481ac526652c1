import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { CommandRefusal, type PathOptions, type PathTokens } from "../commands/command.ts";
import { FileAccess } from "../files/access.ts";
import { bytesFromName } from "../files/file-name.ts";
import { PermissionPolicy, type PermissionPolicySettings } from "../permissions/policy.ts";
import { pathTokens } from "./path-tokens.ts";
import { LookDenied, Visibility } from "./visibility.ts";

let root = "";
let base = "";
const accesses: FileAccess[] = [];

const files = [
  "notes/.h",
  "notes/a",
  "notes/b",
  "notes/sub/c.py",
  "notes/sub/deep/d.py",
  "notes/top.py",
  "notes/.hidden/e.py",
  "notes/-rf",
  "notes/--help",
  "notes/*",
  "bytes/Z",
  "bytes/a",
  "bytes/ä",
  "bytes/日",
  "bytes/\ue000",
  "bytes/😀",
  "links/real/f",
  "linked/x/f",
  "aaa/" + "a".repeat(200),
  "../out/secret.txt",
  "../out/f",
  "file",
];

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "roboz-paths-")));
  base = join(root, "app");
  for (const file of files) {
    mkdirSync(dirname(join(base, file)), { recursive: true });
    writeFileSync(join(base, file), file);
  }
  writeFileSync(Buffer.concat([Buffer.from(join(base, "bytes/")), bytesFromName("\udcff")]), "");
  symlinkSync(join(root, "out"), join(base, "links/outside"));
  symlinkSync("real", join(base, "links/inside"));
  symlinkSync("nowhere", join(base, "links/dangling"));
  symlinkSync("x", join(base, "linked/l"));
});
afterAll(() => {
  for (const access of accesses) access.close();
  rmSync(root, { recursive: true });
});

const everything: PermissionPolicySettings["allow"] = [
  { pattern: "**", operations: ["read", "create", "delete"] },
];

/** The path tokens of a command in a folder of the tree, or under another policy. */
function paths(folder = "", settings: Partial<PermissionPolicySettings> = { allow: everything }): PathTokens {
  const policy = new PermissionPolicy({ base: join(base, folder), ...settings });
  const access = new FileAccess({ base: join(base, folder) });
  accesses.push(access);
  const { signal } = new AbortController();
  const visibility = new Visibility(policy);
  return pathTokens({ name: "cat", access, visibility, signal, checkBudget: () => undefined });
}

async function matched(pattern: string, folder = "", options?: PathOptions): Promise<string[]> {
  return (await paths(folder).source(pattern, options)).map(({ spelled }) => spelled);
}

describe("a source pattern", () => {
  it.each([
    {
      case: "GL-01, shed 53",
      why: "visible names",
      at: "notes",
      pattern: "*",
      found: ["*", "--help", "-rf", "a", "b", "sub", "top.py"],
    },
    { case: "GL-01", why: "hidden names by a dot", at: "notes", pattern: ".*", found: [".h", ".hidden"] },
    {
      case: "shed 54",
      why: "any depth, also none",
      at: "",
      pattern: "notes/**/*.py",
      found: ["notes/sub/c.py", "notes/sub/deep/d.py", "notes/top.py"],
    },
    {
      case: "shed 54",
      why: "any depth from the base",
      at: "notes",
      pattern: "**/*.py",
      found: ["sub/c.py", "sub/deep/d.py", "top.py"],
    },
    {
      case: "shed 55",
      why: "one level by a final **",
      at: "notes",
      pattern: "sub/**",
      found: ["sub/c.py", "sub/deep"],
    },
    { case: "spec 4.5", why: "folders by a slash at the end", at: "notes", pattern: "*/", found: ["sub/"] },
    { case: "spec 4.5", why: "folders by a dot at the end", at: "notes", pattern: "*/.", found: ["sub/."] },
    {
      case: "spec 4.5",
      why: "a folder and those below",
      at: "",
      pattern: "notes/**/",
      found: ["notes/", "notes/sub/", "notes/sub/deep/"],
    },
    {
      case: "spec 4.5",
      why: "all folders below, without the base",
      at: "notes",
      pattern: "**/",
      found: ["sub/", "sub/deep/"],
    },
    {
      case: "spec 4.5",
      why: "all folders below, with the base named",
      at: "notes",
      pattern: "./**/",
      found: ["./", "./sub/", "./sub/deep/"],
    },
    { case: "spec 4.5", why: "several stars as one", at: "notes", pattern: "***.py", found: ["top.py"] },
    { case: "spec 4.5", why: "stars between", at: "notes", pattern: "t*.*y", found: ["top.py"] },
    {
      case: "spec 4.5",
      why: "nothing twice under two stars",
      at: "aaa",
      pattern: "*aa*aa*",
      found: ["a".repeat(200)],
    },
    {
      case: "spec 4.5",
      why: "a hidden folder named in full",
      at: "notes",
      pattern: ".hidden/*",
      found: [".hidden/e.py"],
    },
    {
      case: "spec 4.5",
      why: "through a parent",
      at: "",
      pattern: "notes/../notes/a*",
      found: ["notes/../notes/a"],
    },
    { case: "spec 4.5", why: "the parent of what matched", at: "notes", pattern: "s*/..", found: ["sub/.."] },
    {
      case: "spec 4.5",
      why: "separators as they are written",
      at: "",
      pattern: ".//notes///s*",
      found: [".//notes///sub"],
    },
    {
      case: "shed 59, GL-10",
      why: "in the order of their bytes",
      at: "",
      pattern: "bytes/*",
      found: ["Z", "a", "ä", "日", "\ue000", "😀", "\udcff"].map((name) => `bytes/${name}`),
    },
    { case: "GL-07", why: "a name like an option", at: "notes", pattern: "-*f", found: ["-rf"] },
  ])("matches $why ($case)", async ({ at, pattern, found }) => {
    expect(await matched(pattern, at)).toEqual(found);
  });

  it("matches absolute paths as they are written", async () => {
    const found = ["notes/sub/c.py", "notes/sub/deep/d.py", "notes/top.py"];
    expect(await matched(`${base}/notes/**/*.py`)).toEqual(found.map((path) => `${base}/${path}`));
  });

  it("gives canonical places and what stands there", async () => {
    const [parent] = await paths("notes").source("s*/..");
    expect(parent).toMatchObject({ location: join(base, "notes"), asksForDirectory: true });
    const [file] = await paths().source("notes/../notes/a*");
    expect(file).toMatchObject({ location: join(base, "notes/a"), hasParent: true, asksForDirectory: false });
    expect(file?.stats?.size).toBe(7n);
  });

  it("takes a match with a star in its name for final (shed 58)", async () => {
    const found = await paths("notes").source("*");
    expect(found[0]).toMatchObject({ spelled: "*", location: join(base, "notes/*") });
  });

  it.each([
    { case: "GL-03", why: "nothing matches", at: "notes", pattern: "*.none" },
    { case: "shed 61", why: "a folder before a parent is missing", at: "notes", pattern: "missing/../*.py" },
    { case: "spec 4.5", why: "a file stands where a folder should", at: "notes", pattern: "a/*" },
    { case: "GL-02, shed 56", why: "it recurses twice", at: "notes", pattern: "**/sub/**/d.py" },
    { case: "GL-02", why: "it has three stars before a slash", at: "notes", pattern: "***/d.py" },
    { case: "shed 57, GL-04", why: "it has a question mark", at: "notes", pattern: "f?.txt" },
    { case: "shed 57, GL-04", why: "it has a bracket", at: "notes", pattern: "[ab]" },
    { case: "GL-04", why: "it has a closing bracket", at: "notes", pattern: "b]*" },
    { case: "SL-11", why: "a match is a link", at: "links", pattern: "*" },
    { case: "shed 60", why: "it goes through a link", at: "links", pattern: "*/f" },
    { case: "shed 51", why: "it goes through a link and back", at: "links", pattern: "inside/../r*" },
    { case: "GL-11", why: "its recursion meets a link", at: "linked", pattern: "**/f" },
    { case: "shed 99", why: "a link is asked to be a folder", at: "links", pattern: "i*/" },
    { case: "GL-09", why: "a long name does not fit", at: "aaa", pattern: "*a*a*a*a*a*a*a*a*b" },
    { case: "PB-19", why: "it is too long for the system", at: "notes", pattern: "*/".repeat(3_000) },
    { case: "spec 4.5", why: "it is empty", at: "notes", pattern: "" },
  ])("is refused when $why ($case)", async ({ at, pattern }) => {
    await expect(matched(pattern, at)).rejects.toBeInstanceOf(CommandRefusal);
  });

  it("may end in links where these themselves are meant (shed 98)", async () => {
    const found = ["links/dangling", "links/inside", "links/outside", "links/real"];
    expect(await matched("links/*", "", { mayEndInLink: true })).toEqual(found);
    await expect(matched("links/*/", "", { mayEndInLink: true })).rejects.toThrow(/not followed/);
    await expect(matched("links/*/.", "", { mayEndInLink: true })).rejects.toThrow(/not followed/);
  });

  it("is refused when it matches more than its limit (GL-08)", async () => {
    const access = new FileAccess({ base });
    accesses.push(access);
    const visibility = new Visibility(new PermissionPolicy({ base, allow: everything }));
    const { signal } = new AbortController();
    const given = { name: "cat", access, visibility, signal, checkBudget: () => undefined, mostMatches: 6 };
    await expect(pathTokens(given).source("notes/*")).rejects.toThrow(/more than 6 matches/);
    await expect(pathTokens({ ...given, mostMatches: 7 }).source("notes/*")).resolves.toHaveLength(7);
    await expect(pathTokens({ ...given, mostMatches: 2 }).source("notes/**/")).rejects.toThrow(/more than 2/);
  });

  it("takes ! and braces for ordinary letters (GL-04)", async () => {
    await expect(matched("{a,b}*", "notes")).rejects.toThrow(/nothing matches/);
    await expect(matched("!(a)*", "notes")).rejects.toThrow(/nothing matches/);
  });

  it("stops when its time is over, or the run is", async () => {
    const access = new FileAccess({ base });
    accesses.push(access);
    const visibility = new Visibility(new PermissionPolicy({ base, allow: everything }));
    const over = (): never => {
      throw new CommandRefusal("Search took more than 60 seconds");
    };
    const { signal } = new AbortController();
    const late = pathTokens({ name: "rg", access, visibility, signal, checkBudget: over });
    await expect(late.source("notes/**/a")).rejects.toThrow("60 seconds");
    const given = { signal: AbortSignal.abort(new Error("cancelled")), checkBudget: () => undefined };
    await expect(pathTokens({ name: "rg", access, visibility, ...given }).source("*")).rejects.toThrow(
      "cancelled",
    );
  });
});

describe("a literal path", () => {
  it.each([
    { why: "a file", text: "notes/a", location: "notes/a" },
    { why: "another spelling (PB-02)", text: "./notes//./a", location: "notes/a" },
    { why: "a parent", text: "notes/../file", location: "file" },
    { why: "a folder with a slash (shed 52)", text: "notes/", location: "notes" },
    { why: "what is not there yet (shed 52)", text: "new/", location: "new" },
    { why: "a name like an option", text: "notes/-rf", location: "notes/-rf" },
    {
      why: "percent signs and backslashes, which mean nothing (PB-16)",
      text: "notes/%2e%2e\\x",
      location: "notes/%2e%2e\\x",
    },
    { why: "words of a shell (FT-02)", text: "$(touch pwned)", location: "$(touch pwned)" },
    { why: "a tilde (FT-02)", text: "~", location: "~" },
    { why: "an address (FT-27)", text: "file:///w/out", location: "file:/w/out" },
  ])("names $why", async ({ text, location }) => {
    expect(await paths().literal(text)).toMatchObject({ spelled: text, location: join(base, location) });
  });

  it.each([
    { case: "shed 51, SL-02", why: "through a link and back", text: "links/inside/../../file" },
    { case: "SL-03", why: "a link to a place inside", text: "links/inside" },
    { case: "SL-01", why: "a link that leads out", text: "links/outside" },
    { case: "SL-02", why: "below a link that leads out", text: "links/outside/f" },
    { case: "SL-04", why: "a link to nothing", text: "links/dangling" },
    { case: "shed 52", why: "a file with a slash", text: "file/" },
    { case: "shed 52", why: "a file and a dot", text: "file/." },
    { case: "GL-05", why: "a pattern", text: "notes/*" },
    { case: "PB-19", why: "a name of 300 letters", text: "n".repeat(300) },
    { case: "PB-19", why: "a path of 5,000 letters", text: "n/".repeat(2_500) },
    { case: "spec 4.5", why: "nothing", text: "" },
  ])("is never $why ($case)", async ({ text }) => {
    await expect(paths().literal(text)).rejects.toBeInstanceOf(CommandRefusal);
  });

  it.each(["n", "n/", "*", "?"])("is not repeated where it is far too long (PB-19): %j", async (part) => {
    const long = part.repeat(900_000);
    for (const read of [paths().literal(long), paths().source(long)]) {
      const error: unknown = await read.catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(CommandRefusal);
      expect(String(error)).toContain("File name too long");
      expect(String(error).length).toBeLessThan(1_000);
    }
  });

  it("may be a link where the link itself is meant, but not with a slash (SL-06)", async () => {
    const given = { mayEndInLink: true };
    expect(await paths().literal("links/outside", given)).toMatchObject({
      location: join(base, "links/outside"),
    });
    await expect(paths().literal("links/outside/", given)).rejects.toThrow(/not followed/);
    await expect(paths().literal("links/outside/..", given)).rejects.toThrow(/not followed/);
  });
});

describe("a place where the policy allows nothing", () => {
  const readNotes = { allow: [{ pattern: "notes/**", operations: ["read" as const] }] };

  it.each([
    { why: "what exists outside", text: "../out/secret.txt" },
    { why: "what does not", text: "../out/missing" },
    { why: "a path below a file outside", text: "../out/f/x" },
    { why: "an absolute path", text: "/etc/shadow" },
    { why: "a folder outside that the path leaves again", text: "../out/../app/notes/a" },
    { why: "a missing folder outside that the path leaves again", text: "../none/../app/notes/a" },
    { why: "what exists inside", text: "bytes/a" },
    { why: "a link inside", text: "links/outside" },
  ])("is denied without a look: $why", async ({ text }) => {
    await expect(paths("", readNotes).literal(text)).rejects.toBeInstanceOf(LookDenied);
  });

  it.each(["../out/*", "../none/*", "../out/f/*", "/etc/*", "bytes/*", "links/*", "links/*/f", "**/f"])(
    "shows nothing through the pattern %s",
    async (pattern) => {
      await expect(paths("", readNotes).source(pattern)).rejects.toThrow(/nothing matches/);
    },
  );

  it("leaves only what may show to a pattern over everything", async () => {
    expect((await paths("", readNotes).source("*")).map(({ spelled }) => spelled)).toEqual(["notes"]);
  });

  it("does not stand in the way to what may show", async () => {
    const policy = {
      allow: [
        { pattern: "notes/*.py", operations: ["read" as const] },
        { pattern: join(root, "out/f"), operations: ["read" as const] },
      ],
    };
    const found = await paths("", policy).source("notes/*");
    expect(found.map(({ spelled }) => spelled)).toEqual(["notes/top.py"]);
    expect(await paths("", policy).literal("../out/f")).toMatchObject({ location: join(root, "out/f") });
    expect(await paths("", policy).source("../o*/*")).toMatchObject([{ location: join(root, "out/f") }]);
  });

  it("shows by name in a folder that may be read, so that a command over all of it is denied (GL-06)", async () => {
    const policy = { ...readNotes, deny: [{ pattern: "notes/b", operations: ["read" as const] }] };
    const found = await paths("", policy).source("notes/*");
    expect(found.map(({ spelled }) => spelled)).toContain("notes/b");
  });

  it("is where a folder cannot be listed, which is told only where it may show", async () => {
    const closed = join(base, "closed");
    mkdirSync(closed);
    chmodSync(closed, 0o000);
    const isRoot = process.getuid?.() === 0;
    const look = paths().source("closed/*");
    await expect(look).rejects.toThrow(isRoot ? /nothing matches/ : /Permission denied/);
    chmodSync(closed, 0o700);
  });
});
