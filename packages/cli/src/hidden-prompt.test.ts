import { describe, expect, it } from "vitest";

import { recordedTerminal } from "./__fixtures__/recorded-terminal.ts";
import { askHidden } from "./hidden-prompt.ts";

const esc = "\u001b";

describe("askHidden", () => {
  it.each([
    { why: "one after the other", typed: ["one\r", "two\r"], replies: ["one", "two"] },
    { why: "pasted at once", typed: ["one\ntwo\n"], replies: ["one", "two"] },
    { why: "in single keys", typed: Array.from("ab\rcd\r"), replies: ["ab", "cd"] },
    {
      why: "with letters split into bytes",
      typed: [Buffer.from([0xc3]), Buffer.from([0xa9, 13]), "x\r"],
      replies: ["é", "x"],
    },
    {
      why: "with letters outside the basic plane, erased as one",
      typed: ["a🟡\u007fb\r", "c\b\r"],
      replies: ["ab", ""],
    },
    { why: "with a line erased", typed: ["wrong\u0015right\r", "\r"], replies: ["right", ""] },
    {
      why: "with arrow keys, also in pieces",
      typed: [`a${esc}[Db${esc}`, `[1;5C`, `c${esc}OAd\r`, "\r"],
      replies: ["abcd", ""],
    },
    { why: "with an end-of-input key inside a line", typed: ["a\u0004b\r", "\r"], replies: ["ab", ""] },
    { why: "with spaces at both ends", typed: [" a \r", "\r"], replies: [" a ", ""] },
  ])("takes what is typed $why and shows none of it", async ({ typed, replies }) => {
    const terminal = recordedTerminal({ isTTY: true });
    const asked = askHidden(terminal, ["First: ", "Second: "]);
    for (const keys of typed) terminal.input.write(keys);
    expect(await asked).toEqual(replies);
    expect(terminal.printed).toEqual({ output: "", errors: "First: \nSecond: \n" });
    expect(terminal.rawModes).toEqual([true, false]);
  });

  it("EN-14: does not normalise what is typed", async () => {
    const terminal = recordedTerminal({ isTTY: true });
    const asked = askHidden(terminal, ["1", "2"]);
    terminal.input.write("\u00e9\re\u0301\r");
    const [one, other] = await asked;
    expect(one).not.toBe(other);
  });

  it.each([
    { why: "EN-13: Ctrl-C", typed: "secret\u0003", error: { code: "cli/interrupted" } },
    { why: "Ctrl-C right behind the last line", typed: "secret\r\u0003", error: { code: "cli/interrupted" } },
    { why: "Ctrl-D on an empty line", typed: "\u0004", error: { code: "cli/prompt", fault: "input-ended" } },
    { why: "the end of the input", typed: undefined, error: { code: "cli/prompt", fault: "input-ended" } },
  ])("gives up at $why, with echo restored", async ({ typed, error }) => {
    const terminal = recordedTerminal({ isTTY: true });
    const asked = askHidden(terminal, ["Password: "]);
    if (typed === undefined) terminal.input.end();
    else terminal.input.write(typed);
    await expect(asked).rejects.toMatchObject(error);
    expect(terminal.rawModes).toEqual([true, false]);
  });

  it("EN-12: refuses at once without a terminal", async () => {
    const terminal = recordedTerminal();
    await expect(askHidden(terminal, ["Password: "])).rejects.toMatchObject({
      code: "cli/prompt",
      fault: "no-terminal",
    });
    expect(terminal.rawModes).toEqual([]);
    expect(terminal.printed.errors).toBe("");
  });
});
