import { describe, expect, it } from "vitest";
import { IgnoreFile } from "./ignore-file.ts";

type Row = readonly [rules: string, path: string, decision: "ignored" | "wanted" | undefined];

const files: readonly Row[] = [
  ["a", "a", "ignored"],
  ["a", "x/a", "ignored"],
  ["a", "a/x", undefined],
  ["a", "ab", undefined],
  ["/a", "a", "ignored"],
  ["/a", "x/a", undefined],
  ["a/", "a", undefined],
  ["!a", "a", "wanted"],
  ["*.js\n!b.js", "b.js", "wanted"],
  ["!b.js\n*.js", "b.js", "ignored"],
  ["*.js", ".js", "ignored"],
  ["*", ".x", "ignored"],
  ["**", "x/y", "ignored"],
  ["**/a", "a", "ignored"],
  ["**/a", "x/y/a", "ignored"],
  ["a/**", "a", undefined],
  ["a/**", "a/x/y", "ignored"],
  ["/**", "a", "ignored"],
  ["a/**/b", "a/b", "ignored"],
  ["a/**/b", "a/x/y/b", "ignored"],
  ["a/**/b", "x/a/b", undefined],
  ["a/b", "a/b", "ignored"],
  ["a/b", "x/a/b", undefined],
  ["a/*", "a/b", "ignored"],
  ["a/*", "a/b/c", undefined],
  ["a**/b", "ax/b", "ignored"],
  ["a**/b", "a/x/b", undefined],
  ["[!a-c]x", "dx", "ignored"],
  ["[!a-c]x", "bx", undefined],
  ["a?c", "abc", "ignored"],
  ["a?c", "a/c", undefined],
  ["# a", "# a", undefined],
  ["\\#a", "#a", "ignored"],
  ["\\!a", "!a", "ignored"],
  ["\\*", "*", "ignored"],
  ["\\*", "a", undefined],
  ["a  ", "a", "ignored"],
  ["a\\ ", "a ", "ignored"],
  ["a\r\nb\r\n", "a", "ignored"],
  ["\ufeffa", "a", "ignored"],
  ["A", "a", undefined],
  ["/", "a", undefined],
  ["//", "a", undefined],
  ["!", "a", undefined],
  ["", "a", undefined],
  ["{a,b}", "a", undefined],
  ["constructor", "toString", undefined],
];

describe("an ignore file", () => {
  it.each(files)("%j says of the file %j: %s", (rules, path, decision) => {
    expect(new IgnoreFile(rules).decide(path, false)).toBe(decision);
  });

  it.each<Row>([
    ["a/", "a", "ignored"],
    ["a/", "x/a", "ignored"],
    ["/a/", "x/a", undefined],
    ["a/\n!a/", "a", "wanted"],
    ["!*/", "x/a", "wanted"],
    ["a/**/", "a/x", "ignored"],
    ["a/**/", "a", undefined],
  ])("%j says of the directory %j: %s", (rules, path, decision) => {
    expect(new IgnoreFile(rules).decide(path, true)).toBe(decision);
  });

  it.each([
    { why: "stars in a name", rules: "*a*a*a*a*a*a*a*a*a*a*a*a*b", path: "a".repeat(250) },
    { why: "any number of names", rules: `${"**/a/".repeat(40)}b`, path: `${"a/".repeat(1500)}c` },
    { why: "both", rules: `${"**/*a*/".repeat(40)}b`, path: `${"a/".repeat(1500)}c` },
  ])("cannot be written so that it takes long: $why (FT-23)", ({ rules, path }) => {
    expect(new IgnoreFile(rules).decide(path, false)).toBeUndefined();
  });
});
