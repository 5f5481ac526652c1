import { describe, expect, it } from "vitest";

import {
  CommandRefusal,
  type CommandToken,
  type GivenCommand,
  type OptionTable,
} from "../commands/command.ts";
import { readCommand } from "./options.ts";

const head: OptionTable = {
  options: [
    { key: "lines", forms: ["-n", "--lines"], value: "ARG", isCount: true },
    { key: "bytes", forms: ["-c", "--bytes"], value: "ARG", isCount: true },
    { key: "quiet", forms: ["-q", "--quiet", "--silent"] },
    { key: "verbose", forms: ["-v", "--verbose"] },
    { key: "target-directory", forms: ["-t", "--target-directory"], value: "PTH" },
  ],
  conflicts: [
    ["lines", "bytes"],
    ["quiet", "verbose"],
  ],
};

function read(options: OptionTable, given: readonly CommandToken[]): GivenCommand {
  return readCommand({ name: "head", options }, given);
}

/** `-x` is an option, `=x` an argument, anything else a path. */
function tokens(text: string): readonly CommandToken[] {
  return text
    .split(" ")
    .filter((word) => word !== "")
    .map((word): CommandToken => {
      if (word.startsWith("-")) return { text: word, tag: "FLG" };
      return word.startsWith("=") ? { text: word.slice(1), tag: "ARG" } : { text: word, tag: "PTH" };
    });
}

describe("the options of a command", () => {
  it("are read in any order, by any spelling, up to the first operand", () => {
    const { options, operands } = read(head, tokens("-q --lines =010 -t out a =- b"));
    expect([...options]).toEqual([
      ["quiet", true],
      ["lines", "010"],
      ["target-directory", "out"],
    ]);
    expect(operands).toEqual(tokens("a =- b"));
  });

  it("end at two dashes, after which anything but an option is an operand (FT-15, shed 66)", () => {
    const force: CommandToken = { text: "--force", tag: "PTH" };
    expect(read(head, [...tokens("-v --"), force]).operands).toEqual([force]);
    expect(() => read(head, tokens("-- -v"))).toThrow(CommandRefusal);
    expect(() => read(head, tokens("-- --"))).toThrow(/after --/);
  });

  it.each([
    { case: "shed 62", why: "repeated by another spelling", given: "-v --verbose a", message: /repeated/ },
    {
      case: "shed 63",
      why: "that exclude each other, though apart",
      given: "-n =1 -q -c =2 a",
      message: /-n and -c/,
    },
    {
      case: "shed 64, FT-11",
      why: "with a value of the wrong tag",
      given: "-t =out a",
      message: /must have the tag PTH/,
    },
    { case: "FT-11", why: "with a path for a number", given: "-n 5 a", message: /must have the tag ARG/ },
    { case: "FT-11", why: "without their value", given: "-n", message: /needs a value/ },
    { case: "FT-11", why: "with an option as their value", given: "-n -q", message: /needs a value/ },
    { case: "shed 65, FT-09", why: "in one token", given: "-qv a", message: /its own token/ },
    { case: "shed 67", why: "after an operand", given: "a -v b", message: /after an operand/ },
    { case: "FT-08", why: "cut short", given: "--line =1", message: /unknown option: '--line'; it takes/ },
    { case: "FT-10", why: "with their value attached", given: "-n5", message: /next token/ },
    {
      case: "FT-10",
      why: "with their value after an equals sign",
      given: "--lines=5",
      message: /next token/,
    },
    { case: "FT-22", why: "that are not on the list", given: "--follow a", message: /unknown/ },
    { case: "shed 68, FT-21", why: "with a negative count", given: "-n =-2", message: /unsigned/ },
    { case: "FT-21", why: "with a signed count", given: "-n =+3", message: /unsigned/ },
    { case: "FT-21", why: "with an exponent", given: "-n =1e9", message: /unsigned/ },
    { case: "FT-21", why: "with a hexadecimal count", given: "-n =0x10", message: /unsigned/ },
    { case: "FT-21", why: "with a suffix", given: "-n =1K", message: /unsigned/ },
    { case: "FT-21", why: "with an empty count", given: "-n =", message: /unsigned/ },
    { case: "FT-21", why: "with another script's digits", given: "-n =٣", message: /unsigned/ },
  ])("are refused $why ($case)", ({ given, message }) => {
    expect(() => read(head, tokens(given))).toThrow(message);
    expect(() => read(head, tokens(given))).toThrow(CommandRefusal);
  });

  it("are none for a command that takes none, not even the end mark (shed 102)", () => {
    const none: OptionTable = { options: [], hasNoEnd: true };
    expect(() => read(none, tokens("-- =trash"))).toThrow(/it takes none/);
    expect(read(none, tokens("=trash a")).operands).toHaveLength(2);
  });

  it("are left to a command that reads its tokens itself", () => {
    const given = tokens("a -v =b --");
    expect(readCommand({ name: "find", options: null }, given)).toMatchObject({
      tokens: given,
      operands: [],
    });
  });

  it("take names of Object's properties for unknown (PB-23)", () => {
    expect(() => read(head, tokens("--__proto__"))).toThrow(/unknown/);
    expect(() => read(head, tokens("-constructor"))).toThrow(/unknown/);
  });
});
