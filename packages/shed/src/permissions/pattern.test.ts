import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { escapePattern, matchesPattern, parsePattern } from "./pattern.ts";

function matches(pattern: string, path: string): boolean {
  return matchesPattern(
    parsePattern(pattern),
    path.split("/").filter((name) => name !== ""),
  );
}

describe("a permission pattern", () => {
  it.each([
    { why: "a name by itself", pattern: "a.txt", yes: ["a.txt"], no: ["b.txt", "a.txt/x", "x/a.txt", ""] },
    {
      why: "any characters of a name",
      pattern: "*.md",
      yes: ["a.md", ".md", "a\nb.md"],
      no: ["x/a.md", "a.mdx"],
    },
    { why: "names with a dot", pattern: "*", yes: [".env", "a"], no: ["", "a/b"] },
    { why: "one character", pattern: "a?", yes: ["ab", "a😀", "a\udcff"], no: ["a", "abc", "a/"] },
    { why: "a class", pattern: "[a-c]x", yes: ["ax", "cx"], no: ["dx", "x", "[a-c]x"] },
    { why: "a negated class", pattern: "[!a-c]", yes: ["d", "😀"], no: ["a", "c", "", "dd"] },
    { why: "a bracket that comes first", pattern: "[]]", yes: ["]"], no: ["["] },
    { why: "a negated bracket that comes first", pattern: "[!]a]", yes: ["b", "["], no: ["]", "a", "b]"] },
    { why: "a dash that comes last", pattern: "[a-]", yes: ["a", "-"], no: ["b"] },
    { why: "a range that is turned round", pattern: "[z-a]", yes: [], no: ["a", "z", "-", "m"] },
    { why: "an open bracket without its end", pattern: "[x", yes: ["[x"], no: ["x", "["] },
    { why: "a class only within a name", pattern: "[a/b]", yes: ["[a/b]"], no: ["a", "/"] },
    { why: "any number of names", pattern: "**", yes: ["", "a", "a/b/.c"], no: [] },
    {
      why: "a folder and what is in it (PB-04)",
      pattern: "dir/**",
      yes: ["dir", "dir/x", "dir/x/y"],
      no: ["dir2", "dir-old/x", "adir"],
    },
    { why: "names between", pattern: "a/**/z", yes: ["a/z", "a/b/z", "a/b/c/z"], no: ["a", "az", "a/b"] },
    {
      why: "several runs of names",
      pattern: "**/b/**/d",
      yes: ["b/d", "a/b/c/d", "b/b/d/d"],
      no: ["a/d", "d/b"],
    },
    { why: "two stars glued to text as one star", pattern: "a**", yes: ["a", "ab"], no: ["a/b"] },
    { why: "the base by a dot", pattern: ".", yes: [""], no: ["a"] },
    { why: "the base by nothing", pattern: "", yes: [""], no: ["a"] },
    { why: "the root by a slash", pattern: "/", yes: [""], no: ["a"] },
    { why: "no parent", pattern: "..", yes: [], no: ["", "a"] },
    { why: "nothing below a parent", pattern: "../**", yes: [], no: ["", "a", "a/b"] },
    { why: "without a leading ./", pattern: "./notes/**", yes: ["notes", "notes/a"], no: ["note"] },
    { why: "without a trailing slash", pattern: "notes/", yes: ["notes"], no: ["notes/a"] },
    { why: "without doubled slashes", pattern: "notes//a", yes: ["notes/a"], no: ["notes"] },
    { why: "spaces and backslashes as they are", pattern: " a\\b", yes: [" a\\b"], no: ["a\\b", " a/b"] },
    { why: "upper case as it is", pattern: "A", yes: ["A"], no: ["a"] },
    {
      why: "names of Object's properties (PB-23)",
      pattern: "__proto__/**",
      yes: ["__proto__/constructor"],
      no: ["toString"],
    },
  ])("matches $why", ({ pattern, yes, no }) => {
    expect(yes.filter((path) => !matches(pattern, path))).toEqual([]);
    expect(no.filter((path) => matches(pattern, path))).toEqual([]);
  });

  it("matches what an independent matcher matches (PB-22)", { timeout: 60_000 }, () => {
    const names = fc.array(fc.constantFrom("a", "b", ".", "-", "]", "é"), { minLength: 1, maxLength: 4 });
    const pieces = fc.array(
      fc.constantFrom(
        "a",
        "b",
        ".",
        "-",
        "*",
        "?",
        "[ab]",
        "[!a]",
        "[x",
        "**",
        "[",
        "]",
        "é",
        "[--b]",
        "[a-]",
      ),
      { minLength: 1, maxLength: 5 },
    );
    const join = (parts: readonly string[][]): string => parts.map((part) => part.join("")).join("/");
    const paths = fc.array(names, { maxLength: 4 }).map(join);
    const fixed = ["", "/", "..", "../**", "./notes/**", "notes/", "**", "a**", "[x"];
    const patterns = fc.oneof(fc.array(pieces, { maxLength: 4 }).map(join), fc.constantFrom(...fixed));
    fc.assert(
      fc.property(patterns, paths, (pattern, path) => {
        expect(matches(pattern, path)).toBe(oracle(pattern, path));
      }),
      { numRuns: 10_000 },
    );
  });

  it("takes bounded work where backtracking would never end (GL-09)", () => {
    expect(matches("*a*a*a*a*a*a*a*a*b", "a".repeat(200))).toBe(false);
    expect(matches(`${"**/a/".repeat(20)}b`, "a/".repeat(200))).toBe(false);
  });

  it("matches an escaped name and nothing else", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), fc.string(), (text, other) => {
        const name = text.replaceAll("/", "*");
        fc.pre(name !== "." && name !== "**.");
        expect(matches(escapePattern(name), name)).toBe(true);
        fc.pre(!other.includes("/") && other !== name && other !== "");
        expect(matches(escapePattern(name), other)).toBe(false);
      }),
    );
  });
});

/** The same rules as regular expressions, which backtrack. */
function oracle(pattern: string, path: string): boolean {
  const parts = pattern.split("/").filter((part) => part !== "" && part !== ".");
  const source = parts.map((part) => (part === "**" ? "(?:/[^/]+)*" : `/${named(part)}`)).join("");
  const given = path
    .split("/")
    .filter((name) => name !== "")
    .map((name) => `/${name}`)
    .join("");
  return new RegExp(`^${source}$`, "su").test(given);
}

function named(part: string): string {
  let source = "";
  for (let rest = part; rest !== "";) {
    const found = /^\[(!?)(\]?[^\]]*)\]/su.exec(rest);
    if (found !== null && found[2] !== "") {
      source += `(?!/)[${found[1] === "!" ? "^" : ""}${members(found[2] ?? "")}]`;
      rest = rest.slice(found[0].length);
      continue;
    }
    const [first = ""] = rest;
    source += first === "*" ? "[^/]*" : first === "?" ? "[^/]" : first.replace(/[\\^$.|+()[\]{}]/u, "\\$&");
    rest = rest.slice(first.length);
  }
  return source;
}

/** The members of a class, without ranges that are turned round. */
function members(text: string): string {
  const escaped = (character: string): string => character.replace(/[\]\\^[-]/u, "\\$&");
  let source = "";
  for (let rest = text; rest !== "";) {
    const [from = ""] = rest;
    const range = /^(.)-(.)/su.exec(rest);
    if (range === null) source += escaped(from);
    else if (from <= (range[2] ?? "")) source += `${escaped(from)}-${escaped(range[2] ?? "")}`;
    rest = rest.slice(range === null ? from.length : range[0].length);
  }
  return source;
}
