import { describe, expect, it } from "vitest";
import * as z from "zod";

import { stop } from "../tools/builtin/stop.ts";
import { factory } from "../tools/factory.ts";
import { when } from "../tools/link.ts";
import { toolState, type ToolState } from "../tools/state.ts";
import { isTool, tool, type AnyTool } from "../tools/tool.ts";
import * as builtins from "../values/builtin.ts";
import { Empty, Int, Invoke, Stop, Str, StrImage, Strs } from "../values/builtin.ts";
import { value, type AnyValueType } from "../values/value.ts";
import { buildGraph, type GraphParts } from "./graph.ts";

/** A tool as untyped code may declare it: its parents are not checked by the compiler. */
function loose(
  name: string,
  input: AnyValueType,
  output: AnyValueType | readonly AnyValueType[],
  chainedTo?: unknown,
): AnyTool {
  const definition: unknown = { name, description: "", input, output, chainedTo, run: () => Empty() };
  const made: unknown = Reflect.apply(tool, undefined, [definition]);
  if (!isTool(made)) throw new Error("not a tool");
  return made;
}

function states(tools: readonly AnyTool[]): ToolState[] {
  return tools.flatMap((one) => toolState(one) ?? []);
}

function problemsOf(
  tools: readonly AnyTool[],
  others: { readonly defaults?: readonly AnyTool[]; readonly stopType?: GraphParts["stopType"] } = {},
) {
  return buildGraph({
    tools: states(tools),
    defaults: states(others.defaults ?? []),
    prompter: undefined,
    builtinTypes: Object.values(builtins),
    stopType: others.stopType ?? Stop,
  }).problems;
}

const intOrStr = loose("int_or_str", Empty, [Int, Str]);
const stopOrStr = loose("stop_or_str", Empty, [Stop, Str]);
const guard = Str.is;

describe("tools of one agent", () => {
  const made = factory<string>()({
    name: "made",
    description: "",
    input: Empty,
    output: Empty,
    run: () => Empty(),
  });

  it.each([
    { why: "of one name", tools: () => [made("a"), made("b")], names: ["made"] },
    {
      why: "that were renamed",
      tools: () => [made("a").rename("one"), made("b").rename("two")],
      names: ["one", "two"],
    },
  ])("are not two of one factory: $why", ({ tools, names }) => {
    expect(problemsOf(tools())).toContainEqual(
      expect.objectContaining({ code: "duplicate-id", toolNames: names }),
    );
  });

  it("may be two of one factory when one is a copy", () => {
    expect(problemsOf([made("a"), made("b").copy({ name: "other" })])).toEqual([]);
  });

  it("do not mean two things by one kind of value, be it one tool or two", () => {
    const one = value("order", { dish: z.string() });
    const other = value("order", { guests: z.int() });
    const same = value("order", { dish: z.string() });
    expect(problemsOf([loose("first", one, Empty), loose("second", other, Empty)])).toMatchObject([
      { code: "kind-clash", toolNames: ["first", "second"] },
    ]);
    expect(problemsOf([loose("both", one, [other, Empty])])).toMatchObject([
      { code: "kind-clash", toolNames: ["both"] },
    ]);
    expect(problemsOf([loose("first", one, Empty), loose("second", same, Empty)])).toEqual([]);
  });
});

describe("a link that cannot stand is one sentence", () => {
  it.each([
    {
      why: "core 36: nothing the parent returns fits",
      tools: [intOrStr, loose("child", Strs, Empty, intOrStr)],
      code: "misfit",
      message: "`int_or_str` returns nothing that `child` accepts",
    },
    {
      why: "api.md, instead of core 37: a member of the union does not fit, and there is no condition",
      tools: [intOrStr, loose("child", Str, Empty, intOrStr)],
      code: "uncovered-output",
      message: "`int_or_str` may return a value that `child` does not accept; link it with when()",
    },
    {
      why: "api.md, instead of core 39: the parent only ever stops",
      tools: [stop, loose("child", Empty, Empty, stop)],
      code: "always-stops",
      message: "`stop` always stops, so `child` would never run",
    },
    {
      why: "api.md: a guard picks a member that the child does not take",
      tools: [intOrStr, loose("child", Int, Empty, when(intOrStr, guard))],
      code: "misfit",
      message: "`int_or_str` is followed for a value that `child` does not accept",
    },
    {
      why: "a guard is for a type that the parent never returns",
      tools: [intOrStr, loose("child", Empty, Empty, when(intOrStr, Strs.is))],
      code: "misfit",
      message: "`int_or_str` returns nothing that `child` accepts",
    },
    {
      why: "a guard is for a type above those that the parent returns, and one of them does not fit",
      tools: [intOrStr, loose("child", Int, Empty, when(intOrStr, Empty.is))],
      code: "misfit",
      message: "`int_or_str` is followed for a value that `child` does not accept",
    },
    {
      why: "a guard is for Stop, which is never handed on",
      tools: [stopOrStr, loose("child", Empty, Empty, when(stopOrStr, Stop.is))],
      code: "misfit",
      message: "`stop_or_str` returns nothing that `child` accepts",
    },
    {
      why: "nothing fits, whatever the condition",
      tools: [
        intOrStr,
        loose(
          "child",
          Strs,
          Empty,
          when(intOrStr, () => true),
        ),
      ],
      code: "misfit",
      message: "`int_or_str` returns nothing that `child` accepts",
    },
  ])("$why", ({ tools, code, message }) => {
    expect(problemsOf(tools)).toMatchObject([{ code, message }]);
  });

  it("core 38: a parent that may return Invoke has no children", () => {
    const jump = loose("jump", Empty, [Str, Invoke]);
    expect(problemsOf([jump, loose("child", Str, Empty, jump)])).toMatchObject([
      { code: "invoke-parent", toolNames: ["jump", "child"] },
    ]);
  });

  it("lets a condition pick what fits, and a subtype stand for its parent", () => {
    const image = loose("image", Empty, StrImage);
    expect(
      problemsOf([
        intOrStr,
        loose("guarded", Str, Empty, when(intOrStr, guard)),
        loose("subtype", StrImage, Empty, when(intOrStr, StrImage.is)),
        loose("supertype", Str, Empty, when(image, Str.is)),
        loose(
          "conditional",
          Int,
          Empty,
          when(intOrStr, () => true),
        ),
        loose("any", Empty, Empty, intOrStr),
        image,
        loose("text", Str, Empty, image),
      ]),
    ).toEqual([]);
  });
});

describe("the tools of a graph", () => {
  it("core 16: one factory bound twice is a shared identity", () => {
    const bound = factory<string>()({
      name: "bound",
      description: "",
      input: Empty,
      output: Str,
      run: (_input, _context, text) => Str({ value: text }),
    });
    expect(problemsOf([bound("a"), bound("b")])).toMatchObject([
      { code: "duplicate-id" },
      { code: "duplicate-name" },
    ]);
    expect(problemsOf([bound("a"), bound("b").copy({ name: "other" })])).toEqual([]);
  });

  it("core 17: a copy does not take the place of a parent", () => {
    const parent = loose("parent", Empty, Str);
    const child = loose("child", Str, Empty, parent);
    expect(problemsOf([parent, child])).toEqual([]);
    expect(problemsOf([parent.copy(), child])).toMatchObject([
      { code: "unknown-parent", toolNames: ["child", "parent"] },
    ]);
  });

  it("core 45: a passive tool may be named like an active one, two active ones may not", () => {
    const parent = loose("parent", Empty, Str);
    expect(problemsOf([parent, loose("parent", Str, Empty, parent)])).toEqual([]);
    expect(problemsOf([parent, loose("parent", Str, Empty)])).toMatchObject([
      { code: "duplicate-name", toolNames: ["parent"] },
    ]);
  });

  it("core 46: a default has no parents and returns no Invoke", () => {
    const parent = loose("parent", Empty, Str);
    const chained = loose("chained", Str, Empty, parent);
    expect(problemsOf([parent], { defaults: [chained] })).toMatchObject([
      { code: "default-with-parents", toolNames: ["chained"] },
    ]);
    expect(problemsOf([], { defaults: [loose("jump", Empty, Invoke)] })).toMatchObject([
      { code: "default-returns-invoke" },
    ]);
  });

  it("core 62: one tool among tools and defaults counts once, another of its name does not", () => {
    const both = loose("both", Empty, Str);
    expect(problemsOf([both, both], { defaults: [both] })).toEqual([]);
    expect(problemsOf([both], { defaults: [loose("both", Empty, Str)] })).toMatchObject([
      { code: "duplicate-name" },
    ]);
  });

  it("finds a factory that a link names", () => {
    const bound = factory<string>()({
      name: "bound",
      description: "",
      input: Empty,
      output: Str,
      run: () => Str({ value: "" }),
    });
    expect(problemsOf([bound("a"), loose("child", Str, Empty, bound)])).toEqual([]);
    expect(problemsOf([loose("child", Str, Empty, bound)])).toMatchObject([
      { code: "unknown-parent", toolNames: ["child", "bound"] },
    ]);
  });

  it("refuses a Stop of another type than the agent's output", () => {
    const Booked = Stop.extend("booked", { table: z.int() });
    expect(problemsOf([stop, loose("book", Empty, Booked)], { stopType: Booked })).toMatchObject([
      { code: "stop-type", toolNames: ["stop"] },
    ]);
  });

  it("refuses two types of one kind whose fields differ", () => {
    const one = value("thing", { size: z.int() });
    const other = value("thing", { size: z.string() });
    const same = value("thing", { size: z.int() });
    expect(problemsOf([loose("a", one, Empty), loose("b", other, Empty)])).toMatchObject([
      { code: "kind-clash", toolNames: ["a", "b"] },
    ]);
    expect(problemsOf([loose("a", one, Empty), loose("b", same, Empty)])).toEqual([]);
  });
});

describe("a cycle of links", () => {
  const entry = loose("entry", Empty, Str);

  it("is refused when nothing leads out of it", () => {
    const a = loose("a", Str, Str, entry);
    const b = loose("b", Str, Str, a);
    a.chain(b);
    expect(problemsOf([entry, a, b])).toMatchObject([{ code: "endless-cycle", toolNames: ["a", "b"] }]);
  });

  it("is refused when a tool follows itself", () => {
    const a = loose("a", Str, Str, entry);
    a.chain(a);
    expect(problemsOf([entry, a])).toMatchObject([{ code: "endless-cycle", toolNames: ["a"] }]);
  });

  it("stands when a condition leads out", () => {
    const a = loose("a", Str, Str, entry);
    const b = loose(
      "b",
      Str,
      Str,
      when(a, () => true),
    );
    a.chain(b);
    expect(problemsOf([entry, a, b])).toEqual([]);
  });

  it("stands when one of its tools may stop", () => {
    const a = loose("a", Str, [Str, Stop], entry);
    const b = loose("b", Str, Str, a);
    a.chain(b);
    expect(problemsOf([entry, a, b])).toEqual([]);
  });
});
