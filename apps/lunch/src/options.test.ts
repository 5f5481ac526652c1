import { describe, expect, it } from "vitest";

import { readOptions, usage } from "./options.ts";

describe("readOptions", () => {
  it.each([
    { args: [], options: {} },
    { args: ["--bob", "no"], options: { bob: "no" } },
    { args: ["--bob=yes", "--no-table"], options: { hasTable: false } },
    { args: ["--model", "a.b", "--protocol", "tools"], options: { model: "a.b", protocol: "tools" } },
    { args: ["--json"], options: { show: "json" } },
    { args: ["--graph"], options: { show: "graph" } },
    { args: ["-h", "--json"], options: { show: "help" } },
  ])("reads $args", ({ args, options }) => {
    const usual = { bob: "yes", hasTable: true, show: "lunch", model: undefined, protocol: "json" };
    expect(readOptions(args)).toEqual({ ...usual, ...options });
  });

  it.each([
    { why: "an unknown option", args: ["--alice"], about: "--alice" },
    { why: "an option without its value", args: ["--bob"], about: "--bob" },
    { why: "a value that is none", args: ["--bob", "maybe"], about: "maybe" },
    { why: "a protocol that is none", args: ["--protocol=xml"], about: "xml" },
    { why: "a value for a switch", args: ["--json=1"], about: "--json" },
    { why: "a word too many", args: ["now"], about: "now" },
    { why: "two things to print", args: ["--json", "--graph"], about: "--graph" },
  ])("refuses $why in one line", ({ args, about }) => {
    const options = readOptions(args);
    const problem = "problem" in options ? options.problem : "";
    expect(problem).toContain(about);
    expect(problem).not.toContain("\n");
  });

  it("tells of every option in the usage", () => {
    for (const option of ["--bob", "--no-table", "--model", "--protocol", "--json", "--graph", "--help"])
      expect(usage).toContain(option);
  });
});
