import { describe, expect, it } from "vitest";
import * as z from "zod";

import { Empty, Int, Invoke, Stop, StopLocation, Str, StrImage, Suspend } from "../values/builtin.ts";
import { factory } from "./factory.ts";
import { when } from "./link.ts";
import { isToolOrFactory, toolState } from "./state.ts";
import { isTool, tool, type AnyTool } from "./tool.ts";

const askNumber = tool({
  name: "ask_number",
  description: "",
  input: Empty,
  output: Int,
  run: () => Int({ value: 1 }),
});
const escalate = factory<string>()({
  name: "escalate",
  description: "",
  input: Int,
  output: Str,
  run: () => Str({ value: "" }),
});

const sound = { name: "sound", description: "", input: Str, output: Empty, run: () => Empty() };

/** Declares a tool as code without types does. */
function declare(changes: object): AnyTool {
  const made: unknown = Reflect.apply(tool, undefined, [{ ...sound, ...changes }]);
  if (!isTool(made)) throw new TypeError("no tool");
  return made;
}

function linkOf(parent: unknown, condition: unknown): unknown {
  return Reflect.apply(when, undefined, [parent, condition]);
}

function stateOf(made: unknown): NonNullable<ReturnType<typeof toolState>> {
  const state = toolState(made);
  if (state === undefined) throw new TypeError("no tool");
  return state;
}

describe("declaring a tool", () => {
  it.each([
    {
      why: "core 13: a third parameter",
      changes: { run: (a: unknown, b: unknown, c: unknown) => [a, b, c] },
      says: /third parameter; declare it with `factory`/,
    },
    { why: "no description", changes: { description: undefined }, says: /no `description`/ },
    { why: "no body", changes: { run: undefined }, says: /no `run` function/ },
    { why: "a body that is none", changes: { run: "run" }, says: /no `run` function/ },
    { why: "no input", changes: { input: undefined }, says: /no usable `input`/ },
    { why: "a text as input", changes: { input: "str" }, says: /no usable `input`/ },
    { why: "a schema that is no object as input", changes: { input: z.string() }, says: /no usable `input`/ },
    { why: "a Stop as input", changes: { input: Stop }, says: /`stop` as its input/ },
    {
      why: "a kind of Stop as input",
      changes: { input: StopLocation },
      says: /`stop_location` as its input/,
    },
    { why: "an Invoke as input", changes: { input: Invoke }, says: /`invoke` as its input/ },
    { why: "a Suspend as input", changes: { input: Suspend }, says: /`suspend` as its input/ },
    {
      why: "a reserved argument",
      changes: { input: z.object({ model: z.string() }) },
      says: /field `model`, a name that every run keeps/,
    },
    {
      why: "`action` as an argument",
      changes: { input: z.object({ action: z.string() }) },
      says: /field `action`/,
    },
    {
      why: "an argument that JSON cannot carry",
      changes: { input: z.object({ at: z.date() }) },
      says: /`date` in `at`/,
    },
    {
      why: "an argument with a transform",
      changes: { input: z.object({ at: z.string().transform(Number) }) },
      says: /transform in `at`/,
    },
    {
      why: "an asynchronous argument",
      changes: { input: z.object({ at: z.string().refine(async () => Promise.resolve(true)) }) },
      says: /asynchronous/,
    },
    {
      why: "plain input under a built-in kind",
      changes: { name: "stop", input: z.object({}) },
      says: /built-in kind/,
    },
    { why: "no output", changes: { output: undefined }, says: /output/ },
    { why: "an empty list of outputs", changes: { output: [] }, says: /no `output`/ },
    { why: "an output that is no value type", changes: { output: [Str, z.string()] }, says: /output/ },
    { why: "an output type that is a value", changes: { output: Str({ value: "x" }) }, says: /output/ },
    { why: "no time at all", changes: { timeoutMs: 0 }, says: /`timeoutMs`/ },
    { why: "a time that is no number", changes: { timeoutMs: Number.NaN }, says: /`timeoutMs`/ },
    { why: "a time that is a text", changes: { timeoutMs: "5" }, says: /`timeoutMs`/ },
    { why: "a text for whether it polls", changes: { polls: "no" }, says: /`polls`/ },
    { why: "half a retry", changes: { retries: 0.5 }, says: /`retries`/ },
    { why: "fewer than no retries", changes: { retries: -1 }, says: /`retries`/ },
    {
      why: "a Suspend without what it asks",
      changes: { output: [Str, Suspend] },
      says: /both `suspends` and `Suspend`/,
    },
    {
      why: "what it asks without a Suspend",
      changes: { suspends: { request: z.string(), reply: Str }, output: Str },
      says: /both `suspends` and `Suspend`/,
    },
    {
      why: "a reply that is no output",
      changes: { suspends: { request: z.string(), reply: Int }, output: [Str, Suspend] },
      says: /reply of `int`/,
    },
    {
      why: "a reply that is no value type",
      changes: { suspends: { request: z.string(), reply: z.string() }, output: [Str, Suspend] },
      says: /`suspends.reply`/,
    },
    {
      why: "a request that is no schema",
      changes: { suspends: { request: "text", reply: Str }, output: [Str, Suspend] },
      says: /`suspends.request`/,
    },
    {
      why: "a parent that is none",
      changes: { chainedTo: "ask_number" },
      says: /neither a tool, a factory, nor made by when/,
    },
    { why: "a value type as parent", changes: { chainedTo: [askNumber, Str] }, says: /neither a tool/ },
    {
      why: "a link to nothing",
      changes: { chainedTo: linkOf(undefined, () => true) },
      says: /neither a tool/,
    },
    {
      why: "a condition that is none",
      changes: { chainedTo: linkOf(askNumber, true) },
      says: /`ask_number` under a condition that is no function/,
    },
  ])("refuses $why", ({ changes, says }) => {
    expect(() => declare(changes)).toThrow(expect.objectContaining({ code: "core/tool-definition" }));
    expect(() => declare(changes)).toThrow(says);
    expect(() => declare(changes)).toThrow(/^`(?:sound|stop)` /);
  });

  it.each([{ name: "Bad-Name" }, { name: "" }, { name: undefined }, { name: 1 }])(
    "refuses the name $name",
    ({ name }) => {
      expect(() => declare({ name })).toThrow(expect.objectContaining({ code: "core/name" }));
    },
  );

  it.each([
    { why: "an empty description", changes: { description: "" } },
    { why: "plain input", changes: { input: z.object({ q: z.string() }) } },
    { why: "strict input", changes: { input: z.strictObject({ q: z.string() }) } },
    { why: "loose input", changes: { input: z.looseObject({}) } },
    {
      why: "plain input with a check of the whole",
      changes: { input: z.object({ a: z.number(), b: z.number() }).refine(({ a, b }) => a < b) },
    },
    {
      why: "plain input that reuses an output's kind elsewhere",
      changes: { name: "booking", input: z.object({}) },
    },
    { why: "an Invoke among outputs", changes: { output: [Empty, Invoke] } },
    {
      why: "a reply that is a kind of an output",
      changes: { suspends: { request: z.string(), reply: StrImage }, output: [Str, Suspend] },
    },
    { why: "no parents", changes: { chainedTo: [] } },
    { why: "a time, retries and polling", changes: { timeoutMs: 0.5, retries: 3, polls: true } },
    { why: "a body that takes nothing", changes: { run: () => Empty() } },
  ])("accepts $why", ({ changes }) => {
    expect(isTool(declare(changes))).toBe(true);
  });

  it("takes the indentation of the source from a description, and keeps its paragraphs", () => {
    const made = declare({
      description: `
        Finds a table.

          Indented further.
        The end.   
      `,
    });
    expect(made.description).toBe("Finds a table.\n\n  Indented further.\nThe end.");
    expect(declare({ description: "One line.\r\n    Another." }).description).toBe("One line.\nAnother.");
  });

  it("gives a tool that cannot be changed but by its own methods", () => {
    expect(Object.isFrozen(declare({}))).toBe(true);
    expect(Reflect.set(declare({}), "name", "other")).toBe(false);
  });

  it("tells tools and factories from anything else", () => {
    expect([askNumber, escalate("x")].every((one) => isTool(one) && isToolOrFactory(one))).toBe(true);
    expect(isTool(escalate)).toBe(false);
    expect(isToolOrFactory(escalate)).toBe(true);
    for (const other of [null, undefined, {}, { ...askNumber }, Str, "ask_number", () => 1])
      expect(isToolOrFactory(other)).toBe(false);
  });
});

describe("links", () => {
  it("keep each parent's identity and its own condition", () => {
    const isGood = (): boolean => true;
    const child = tool({ ...sound, input: Empty, chainedTo: [askNumber, when(escalate, isGood)] });
    expect(stateOf(child).links).toEqual([
      { parentId: askNumber.id, parentName: "ask_number", parent: askNumber, condition: undefined },
      { parentId: escalate.id, parentName: "escalate", parent: escalate, condition: isGood },
    ]);
  });

  it("are appended by `chain`, in place, and removed by `chain(null)`", () => {
    const child = tool({ ...sound, input: Empty, chainedTo: askNumber });
    expect(child.chain(escalate)).toBe(child);
    expect(stateOf(child).links.map(({ parentName }) => parentName)).toEqual(["ask_number", "escalate"]);
    expect(child.chain([]).chain(null)).toBe(child);
    expect(stateOf(child).links).toEqual([]);
  });

  it("stay as they were when `chain` is refused", () => {
    const child = tool({ ...sound, input: Empty, chainedTo: askNumber });
    expect(() => void Reflect.apply(child.chain, child, [[escalate, "nobody"]])).toThrow(
      expect.objectContaining({ code: "core/tool-definition" }),
    );
    expect(stateOf(child).links).toHaveLength(1);
  });

  it("that an agent has taken are not reached by a later `chain`", () => {
    const child = tool({ ...sound, input: Empty });
    const before = stateOf(child).links;
    child.chain(askNumber);
    expect(before).toEqual([]);
  });

  it("may lead from a tool to itself", () => {
    const again = tool({ ...sound, input: Empty, output: Str, run: () => Str({ value: "x" }) });
    expect(again.chain(when(again, ({ value: text }) => text === ""))).toBe(again);
  });
});

describe("copy", () => {
  it("core 17: has an identity of its own, so that children of the original are not its children", () => {
    const copy = askNumber.copy();
    const child = tool({ ...sound, input: Int, chainedTo: askNumber });
    expect(copy.id).not.toBe(askNumber.id);
    expect(copy.name).toBe("ask_number");
    expect(stateOf(child).links.map(({ parentId }) => parentId)).toEqual([askNumber.id]);
  });

  it("keeps the body, the context and the links, and parts from them at once", () => {
    const child = tool({ ...sound, input: Empty, chainedTo: askNumber });
    const copy = child.copy({ name: "other", description: "  Other. " });
    expect([copy.name, copy.description]).toEqual(["other", "Other."]);
    expect(stateOf(copy)).toMatchObject({ run: stateOf(child).run, links: stateOf(child).links });
    copy.chain(escalate);
    expect(stateOf(child).links).toHaveLength(1);
    copy.rename("third");
    expect(child.name).toBe("sound");
  });

  it("refuses a bad name", () => {
    expect(() => askNumber.copy({ name: "Bad-Name" })).toThrow(
      expect.objectContaining({ code: "core/name" }),
    );
  });
});

describe("rename", () => {
  it("core 18: refuses a bad name, and the old one stays", () => {
    const made = declare({});
    expect(() => made.rename("Bad-Name")).toThrow(expect.objectContaining({ code: "core/name" }));
    expect(made.name).toBe("sound");
  });

  it("changes the name in place, not the identity", () => {
    const made = declare({});
    const { id } = made;
    expect(made.rename("loud")).toBe(made);
    expect([made.name, made.id]).toEqual(["loud", id]);
  });
});

describe("an input that is a plain object schema", () => {
  const search = tool({
    name: "search",
    description: "",
    input: z.object({ q: z.string(), limit: z.number().default(10) }),
    output: Str,
    run: ({ q, limit }) => Str({ value: `${q}:${limit}` }),
  });

  it("makes values of the tool's own kind", () => {
    const { input, hasPlainInput } = stateOf(search);
    expect([input.kind, input.lineage, hasPlainInput]).toEqual(["search", ["search", "empty"], true]);
    expect(stateOf(askNumber).hasPlainInput).toBe(false);
  });

  it("may be given as plain fields when the tool is invoked alone", async () => {
    expect(await search.invoke({ q: "x", limit: 3 })).toMatchObject({ value: "x:3" });
    expect(await Reflect.apply(search.invoke, undefined, [{ q: "x" }])).toMatchObject({ value: "x:10" });
    await expect(Reflect.apply(search.invoke, undefined, [{ q: 1 }])).rejects.toMatchObject({
      code: "core/tool-input",
      toolName: "search",
    });
  });
});
