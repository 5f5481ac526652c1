import { describe, expect, it } from "vitest";

import { readOptions, usage } from "./options.ts";

describe("readOptions", () => {
  it.each([
    { args: [], options: { bob: "yes", hasTable: true, show: "lunch" } },
    { args: ["--bob", "no"], options: { bob: "no", hasTable: true, show: "lunch" } },
    { args: ["--bob=yes", "--no-table"], options: { bob: "yes", hasTable: false, show: "lunch" } },
    { args: ["--json"], options: { bob: "yes", hasTable: true, show: "json" } },
    { args: ["--graph"], options: { bob: "yes", hasTable: true, show: "graph" } },
    { args: ["-h", "--json"], options: { bob: "yes", hasTable: true, show: "help" } },
  ])("reads $args", ({ args, options }) => {
    expect(readOptions(args)).toEqual(options);
  });

  it.each([
    { why: "an unknown option", args: ["--alice"], about: "--alice" },
    { why: "an option without its value", args: ["--bob"], about: "--bob" },
    { why: "a value that is none", args: ["--bob", "maybe"], about: "maybe" },
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
    for (const option of ["--bob", "--no-table", "--json", "--graph", "--help"])
      expect(usage).toContain(option);
  });
});
