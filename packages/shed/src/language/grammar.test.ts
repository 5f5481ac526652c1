import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { commandNames } from "../commands/command.ts";
import {
  commandInput,
  inputLimits,
  nextStep,
  operators,
  stepsOf,
  type Step,
  type WrittenToken,
} from "./grammar.ts";

function problem(value: unknown): { at: string; message: string } | undefined {
  const issue = commandInput.safeParse({ value }).error?.issues[0];
  return issue && { at: issue.path.join("."), message: issue.message };
}

describe("the input of the file commands", () => {
  it("is a sequence of commands (FT-16)", () => {
    const value = [
      ["ls", "CMD"],
      ["-l", "FLG"],
      ["&&", "CTL"],
      ["pwd", "CMD"],
      ["|", "CTL"],
      ["cat", "CMD"],
      ["-", "ARG"],
      ["&&", "PTH"],
    ];
    expect(commandInput.parse({ value })).toEqual({ value });
  });

  it("gives operators and commands their meaning by the tag alone (shed 36)", () => {
    const steps = stepsOf([
      ["cp", "CMD"],
      ["|", "PTH"],
      ["cat", "ARG"],
      [";", "CTL"],
      ["pwd", "CMD"],
    ]);
    expect(steps).toEqual([
      {
        name: "cp",
        tokens: [
          { text: "|", tag: "PTH" },
          { text: "cat", tag: "ARG" },
        ],
        operator: undefined,
      },
      { name: "pwd", tokens: [], operator: ";" },
    ]);
  });

  it.each([
    {
      case: "shed 33",
      why: "another operator",
      value: [
        ["ls", "CMD"],
        ["&", "CTL"],
        ["ls", "CMD"],
      ],
      at: "value.1",
    },
    {
      case: "shed 33",
      why: "an operator at the end",
      value: [
        ["ls", "CMD"],
        ["||", "CTL"],
      ],
      at: "value.1",
    },
    {
      case: "FT-17",
      why: "an operator first",
      value: [
        ["&&", "CTL"],
        ["ls", "CMD"],
      ],
      at: "value.0",
    },
    {
      case: "shed 33",
      why: "two operators in a row",
      value: [
        ["ls", "CMD"],
        [";", "CTL"],
        [";", "CTL"],
        ["ls", "CMD"],
      ],
      at: "value.2",
    },
    { case: "shed 33", why: "a command that begins with a path", value: [["a", "PTH"]], at: "value.0" },
    {
      case: "FT-17",
      why: "two commands without an operator",
      value: [
        ["ls", "CMD"],
        ["pwd", "CMD"],
      ],
      at: "value.1",
    },
    { case: "shed 35", why: "an unknown command", value: [["chmod", "CMD"]], at: "value.0" },
    { case: "FT-18", why: "a tag in lower case", value: [["ls", "cmd"]], at: "value.0.1" },
    { case: "FT-18", why: "an unknown tag", value: [["ls", "XXX"]], at: "value.0.1" },
    { case: "FT-18", why: "a pair of one", value: [["ls"]], at: "value.0" },
    { case: "FT-18", why: "a pair of three", value: [["ls", "CMD", "x"]], at: "value.0" },
    { case: "FT-18", why: "a number for a text", value: [[7, "CMD"]], at: "value.0.0" },
    { case: "FT-18", why: "null for a pair", value: [null], at: "value.0" },
    { case: "FT-18", why: "an object for a pair", value: [{ 0: "ls", 1: "CMD" }], at: "value.0" },
    { case: "FT-18", why: "nothing", value: [], at: "value" },
    { case: "FT-18", why: "a text", value: "ls -l", at: "value" },
    {
      case: "FT-20",
      why: "a NUL",
      value: [
        ["cat", "CMD"],
        ["a\0.txt", "PTH"],
      ],
      at: "value.1",
    },
    {
      case: "FT-20",
      why: "half a surrogate pair",
      value: [
        ["cat", "CMD"],
        ["a\ud83d", "PTH"],
      ],
      at: "value.1",
    },
    {
      case: "FT-20",
      why: "half a surrogate pair",
      value: [
        ["cat", "CMD"],
        ["\udcff", "ARG"],
      ],
      at: "value.1",
    },
  ])("is refused for $why ($case)", ({ value, at }) => {
    expect(problem(value)?.at).toBe(at);
  });

  it.each([
    "bash",
    "sh",
    "sed",
    "awk",
    "xargs",
    "env",
    "python3",
    "git",
    "",
    "./cat",
    "/bin/cat",
    "CAT",
    "cat ",
    "ca\t",
    "help",
    "__proto__",
  ])("knows no command %j, and says which it knows (FT-03, FT-04, shed 35)", (name) => {
    expect(problem([[name, "CMD"]])?.message).toContain(commandNames.join(", "));
  });

  it.each(["&", ">", ">>", "<", "<<<", "|&", "(", "\n", "&& ", "", "and", "pipe"])(
    "knows no operator %j (FT-16)",
    (text) => {
      expect(
        problem([
          ["ls", "CMD"],
          [text, "CTL"],
          ["ls", "CMD"],
        ])?.at,
      ).toBe("value.1");
    },
  );

  it.each([{ cwd: "/" }, { base: "/" }, { root: "/" }, { __proto__x: 1 }])(
    "takes no other field beside value: %j (shed 34, PB-20)",
    (extra) => {
      expect(commandInput.safeParse({ value: [["ls", "CMD"]], ...extra }).success).toBe(false);
    },
  );

  it("is refused as a whole over its limits (FT-19)", { timeout: 60_000 }, () => {
    const many = (count: number): WrittenToken[] =>
      Array.from({ length: count }, () => ["a", "PTH"] as const);
    expect(problem([["cat", "CMD"], ...many(inputLimits.tokens - 1)])).toBeUndefined();
    expect(problem([["cat", "CMD"], ...many(inputLimits.tokens)])?.at).toBe("value");
    expect(problem(many(200_000))?.at).toBe("value");
    expect(
      problem([
        ["tee", "CMD"],
        ["x".repeat(inputLimits.characters), "ARG"],
      ])?.message,
    ).toMatch(/longer/);
    expect(
      problem([
        ["tee", "CMD"],
        ["x".repeat(50_000_000), "ARG"],
      ])?.message,
    ).toMatch(/longer/);
  });

  it("has a limit on commands, of which none runs over it (SQ-03)", () => {
    const commands = (count: number): WrittenToken[] =>
      Array.from({ length: count }, (_, index): WrittenToken[] =>
        index === 0
          ? [["pwd", "CMD"]]
          : [
              [";", "CTL"],
              ["pwd", "CMD"],
            ],
      ).flat();
    expect(problem(commands(inputLimits.commands))).toBeUndefined();
    expect(problem(commands(inputLimits.commands + 1))?.message).toMatch(/more than 100 commands/);
  });
});

/** Steps from operators: `"&& |"` are three steps. */
function steps(text: string): Step[] {
  const joined = text.split(" ").filter((word) => word !== "");
  return [undefined, ...joined].map((word) => ({
    name: "pwd",
    tokens: [],
    operator: operators.find((operator) => operator === word),
  }));
}

/** Which steps run, given the status of each. */
function reached(
  given: readonly Step[],
  statuses: readonly number[],
  broken: readonly number[] = [],
): number[] {
  const ran: number[] = [];
  for (let at: number | undefined = 0; at !== undefined;) {
    ran.push(at);
    at = nextStep(given, { at, status: statuses[at] ?? 0, endsPipeline: broken.includes(at) });
  }
  return ran;
}

describe("the order of commands", () => {
  it.each([
    { case: "shed 37", line: "|| &&", statuses: [0], ran: [0, 2] },
    { case: "shed 38", line: "&& | ;", statuses: [1], ran: [0, 3] },
    { case: "shed 39", line: "|| |", statuses: [0], ran: [0] },
    { case: "shed 40", line: "|", statuses: [1, 0], ran: [0, 1] },
    { case: "SQ-01", line: "|| &&", statuses: [1, 0, 0], ran: [0, 1, 2] },
    { case: "SQ-12", line: "||", statuses: [1], ran: [0, 1] },
    { case: "spec 4.3", line: "&& || &&", statuses: [1, 0, 0, 0], ran: [0, 2, 3] },
    { case: "spec 4.3", line: "&& || ; &&", statuses: [0, 1, 0, 1], ran: [0, 1, 2, 3] },
    { case: "spec 4.3", line: "| | && |", statuses: [1, 1, 0, 0, 0], ran: [0, 1, 2, 3, 4] },
    { case: "spec 4.3", line: "&& &&", statuses: [0, 3], ran: [0, 1] },
  ])("is $ran for $line and statuses $statuses ($case)", ({ line, statuses, ran }) => {
    expect(reached(steps(line), statuses)).toEqual(ran);
  });

  it.each([
    { line: "|", broken: [0], ran: [0] },
    { line: "| | ; |", broken: [0], ran: [0, 3, 4] },
    { line: "| ||", broken: [0], ran: [0, 2] },
    { line: "| &&", broken: [0], ran: [0] },
    { line: "; | | ||", broken: [1], ran: [0, 1, 4] },
    { line: "| |", broken: [1], ran: [0, 1] },
  ])(
    "leaves out what follows a refused stage in its pipeline: $line (design 17)",
    ({ line, broken, ran }) => {
      expect(reached(steps(line), [1, 1, 1, 1, 1], broken)).toEqual(ran);
    },
  );

  it("is that of a shell, for any sequence", { timeout: 60_000 }, () => {
    const lines = fc.array(fc.constantFrom(...operators), { maxLength: 12 });
    fc.assert(
      fc.property(lines, fc.array(fc.nat(1), { minLength: 13, maxLength: 13 }), (line, statuses) => {
        expect(reached(steps(line.join(" ")), statuses)).toEqual(shellOrder(line, statuses));
      }),
      { numRuns: 2_000 },
    );
  });
});

/** The same by grouping: lists of and-or chains of pipelines. */
function shellOrder(line: readonly string[], statuses: readonly number[]): number[] {
  const ran: number[] = [];
  let status = 0;
  let at = 0;
  for (const list of split(line, ";")) {
    let operator = "";
    let isFirst = true;
    for (let from = 0; from <= list.length;) {
      const length = list.slice(from).findIndex((word) => word !== "|");
      const stages = (length === -1 ? list.length - from : length) + 1;
      const isReached = isFirst || (operator === "&&" ? status === 0 : status !== 0);
      for (let stage = 0; stage < stages; stage++, at++) {
        if (!isReached) continue;
        ran.push(at);
        status = statuses[at] ?? 0;
      }
      operator = list[from + stages - 1] ?? "";
      from += stages;
      isFirst = false;
    }
  }
  return ran;
}

function split(line: readonly string[], at: string): string[][] {
  const lists: string[][] = [[]];
  for (const word of line) {
    if (word === at) lists.push([]);
    else lists.at(-1)?.push(word);
  }
  return lists;
}
