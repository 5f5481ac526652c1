import { describe, expect, it } from "vitest";

import { NameError } from "../errors.ts";
import { checkAgentName, checkName } from "./name.ts";

describe("a tool's, factory's, skill's or kind's name", () => {
  it.each(["a", "ask_bob", "a1", "a1_2b", "x".repeat(200)].map((name) => ({ name })))(
    "may be $name",
    ({ name }) => {
      expect(checkName("A tool", name)).toBe(name);
    },
  );

  it.each(
    [
      "",
      "A",
      "Ask",
      "1a",
      "_a",
      "a_",
      "a__b",
      "a-b",
      "a b",
      " a",
      "a\n",
      "ä",
      "ａ",
      "a.b",
      "ask_Bob",
      1,
      null,
      undefined,
      {},
      ["a"],
    ].map((name) => ({ name })),
  )("may not be $name", ({ name }) => {
    expect(() => checkName("A tool", name)).toThrow(
      expect.objectContaining({ code: "core/name", given: name }),
    );
  });

  it("is named in the error, but never at length", () => {
    expect(() => checkName("A tool", "Ask-Bob")).toThrow(
      "A tool must be named in lower snake case, such as `ask_number`; got `Ask-Bob`",
    );
    expect(
      new NameError({ what: "A tool", given: "X".repeat(100_000), rule: "well" }).message.length,
    ).toBeLessThan(200);
    expect(() => checkName("A tool", { toString: () => "x" })).toThrow(/got object$/);
  });
});

describe("an agent's name", () => {
  it.each([
    { given: "demo", name: "demo" },
    { given: "  Lunch_Agent2 ", name: "Lunch_Agent2" },
    { given: "_hidden", name: "_hidden" },
    { given: "münchen", name: "münchen" },
    { given: "代理", name: "代理" },
    { given: "com10", name: "com10" },
    { given: "console", name: "console" },
    { given: "Class", name: "Class" },
  ])("may be $given", ({ given, name }) => {
    expect(checkAgentName(given)).toBe(name);
  });

  it.each(
    [
      "",
      "  ",
      "1st",
      "a-b",
      "a b",
      "a.b",
      "a/b",
      "$a",
      "😀",
      "class",
      "await",
      "yield",
      "con",
      "NUL",
      "Com1",
      "lpt9",
      "AUX",
      1,
      null,
      undefined,
      ["a"],
    ].map((given) => ({ given })),
  )("may not be $given", ({ given }) => {
    expect(() => checkAgentName(given)).toThrow(expect.objectContaining({ code: "core/name" }));
  });
});
