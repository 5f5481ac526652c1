import { describe, expect, expectTypeOf, it } from "vitest";

import {
  AgentDefinitionError,
  AmbiguousLinkError,
  CoreError,
  LimitReachedError,
  LinkInputError,
  MessageError,
  NameError,
  RunFailedError,
  StopAgent,
  ToolDefinitionError,
  ToolInputError,
  ToolOutputError,
  ToolTimeoutError,
  UnknownToolError,
  UserInputUnavailableError,
  ValueError,
  ValueTypeError,
  type AnyCoreError,
  type CoreErrorCode,
} from "./errors.ts";

const cause = new RangeError("the origin");
const misfit = {
  code: "misfit",
  message: "`a` returns nothing that `b` accepts",
  toolNames: ["a", "b"],
} as const;
const endless = { code: "endless-cycle", message: "`a` → `a` is a cycle", toolNames: ["a"] } as const;

describe("an error of this package", () => {
  it.each([
    {
      error: new NameError({ what: "A tool", given: "Bad", rule: "well" }),
      code: "core/name",
      facts: { given: "Bad" },
      says: "A tool must be named well; got `Bad`",
    },
    {
      error: new ValueTypeError({ kind: "k", problem: "is wrong", cause }),
      code: "core/value-type",
      facts: { kind: "k", cause },
      says: "The value type `k` is wrong",
    },
    {
      error: new ValueError({ kind: "k", problem: "nothing", cause }),
      code: "core/value",
      facts: { kind: "k", cause },
      says: "`k` was given nothing",
    },
    {
      error: new MessageError("is wrong", { cause }),
      code: "core/message",
      facts: { cause },
      says: "A message is wrong",
    },
    {
      error: new ToolDefinitionError({ toolName: "t", problem: "is wrong", cause }),
      code: "core/tool-definition",
      facts: { toolName: "t", cause },
      says: "`t` is wrong",
    },
    {
      error: new AgentDefinitionError({ agentName: "a", problems: [misfit] }),
      code: "core/agent-definition",
      facts: { agentName: "a", problems: [misfit] },
      says: "Agent `a`: `a` returns nothing that `b` accepts",
    },
    {
      error: new AgentDefinitionError({ agentName: "a", problems: [misfit, endless] }),
      code: "core/agent-definition",
      facts: { problems: [misfit, endless] },
      says: "Agent `a` has 2 problems:\n- `a` returns nothing that `b` accepts\n- `a` → `a` is a cycle",
    },
    {
      error: new ToolInputError({ toolName: "t", cause }),
      code: "core/tool-input",
      facts: { toolName: "t", cause },
      says: "`t` was given a value its input schema rejects",
    },
    {
      error: new ToolOutputError({ toolName: "t", returned: "null", declared: ["str", "stop"] }),
      code: "core/tool-output",
      facts: { toolName: "t" },
      says: /^`t` returned null; it declares `str` or `stop`\. Return a value/,
    },
    {
      error: new LinkInputError({ parentName: "p", childName: "c", kind: "int", cause }),
      code: "core/link-input",
      facts: { parentName: "p", childName: "c", cause },
      says: /^`p` returned `int`, the link to `c` was followed/,
    },
    {
      error: new AmbiguousLinkError({ parentName: "p", candidates: ["c", "d"] }),
      code: "core/ambiguous-link",
      facts: { parentName: "p", candidates: ["c", "d"] },
      says: /^More than one link of `p` is true for its output: `c`, `d`;/,
    },
    {
      error: new UnknownToolError({ caller: "The model", action: "rm", known: ["ls", "cat"] }),
      code: "core/unknown-tool",
      facts: { action: "rm", known: ["ls", "cat"] },
      says: "The model called `rm`; it may call `ls`, `cat`",
    },
    {
      error: new UnknownToolError({ caller: "The model", action: `rm\n${"x".repeat(5000)}`, known: [] }),
      code: "core/unknown-tool",
      facts: { known: [] },
      says: /^The model called `rm x{77}…`; it may call no tool$/,
    },
    {
      error: new ToolTimeoutError({ toolName: "t", timeoutMs: 5 }),
      code: "core/tool-timeout",
      facts: { toolName: "t", timeoutMs: 5 },
      says: "`t` did not finish within 5 ms",
    },
    {
      error: new LimitReachedError({ limit: "steps", allowed: 3 }),
      code: "core/limit-reached",
      facts: { limit: "steps", allowed: 3 },
      says: "The run reached its limit `steps` of 3",
    },
    {
      error: new LimitReachedError({ limit: "repeats", allowed: 3, detail: "`t` again" }),
      code: "core/limit-reached",
      facts: { limit: "repeats" },
      says: /of 3: `t` again$/,
    },
    { error: new StopAgent(), code: "core/stop-agent", facts: {}, says: "A tool ended the run" },
    {
      error: new UserInputUnavailableError(),
      code: "core/user-input-unavailable",
      facts: {},
      says: /pass one as `io`/,
    },
    {
      error: new RunFailedError({ agentName: "a", cause }),
      code: "core/run-failed",
      facts: { cause },
      says: "The run of `a` failed",
    },
  ])("has a code, its facts and a message: $error.name, $says", ({ error, code, facts, says }) => {
    expect(CoreError.is(error)).toBe(true);
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ code, name: error.constructor.name, ...facts });
    expect(error).toHaveProperty("message", typeof says === "string" ? says : expect.stringMatching(says));
  });

  it("is told from other errors by a mark, not by its looks", () => {
    for (const other of [
      new Error("x"),
      Object.assign(new Error("x"), { code: "core/name" }),
      { code: "core/stop-agent", message: "x" },
      null,
      "core/name",
    ]) {
      expect(CoreError.is(other)).toBe(false);
    }
  });

  it("narrows by its code", () => {
    const told = (error: AnyCoreError): string =>
      error.code === "core/tool-input" ? error.toolName : error.code;
    expect(told(new ToolInputError({ toolName: "t", cause }))).toBe("t");
    expectTypeOf<"core/tool-input">().toExtend<CoreErrorCode>();
    expectTypeOf<CoreErrorCode>().not.toEqualTypeOf<string>();
  });
});
