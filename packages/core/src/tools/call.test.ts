import { describe, expect, it, vi } from "vitest";
import * as z from "zod";

import { NO_MESSAGE } from "../truncation/policy.ts";
import { All, Empty, Int, Invoke, Location, Stop, Str, StrImage } from "../values/builtin.ts";
import { userMessage } from "../values/message.ts";
import { kindOf, metadataOf, typeOf, value, type AnyValue, type AnyValueType } from "../values/value.ts";
import { checkOutput, inputFor, project } from "./call.ts";
import { toolState, type ToolState } from "./state.ts";
import { tool } from "./tool.ts";

const Booking = value("booking", { table: z.number(), guest: z.object({ name: z.string() }) });
const Vip = Booking.extend("vip_booking", { level: z.number() });
const photo = { url: "https://example.org/cat.png" };

const echo = tool({ name: "echo", description: "", input: Str, output: Str, run: (input) => input });

function stateOf(made: unknown): ToolState {
  const state = toolState(made);
  if (state === undefined) throw new TypeError("no tool");
  return state;
}

function projected(given: unknown, type: AnyValueType): AnyValue {
  const fitted = project(given, type);
  if ("problem" in fitted) throw fitted.problem;
  return fitted.value;
}

describe("projecting a value onto a type", () => {
  it("hands on a value of the very type as it is", () => {
    const str = Str({ value: "x" });
    expect(projected(str, Str)).toBe(str);
  });

  it("drops what a subtype adds, and makes a value of the type", () => {
    const picture = StrImage({ value: "x", images: [photo] });
    expect(projected(picture, Str)).toEqual(Str({ value: "x" }));
    expect(typeOf(projected(picture, Str))).toBe(Str);
    expect(projected(picture, Empty)).toEqual({});
    const vip = Vip({ table: 1, guest: { name: "Bob" }, level: 3 });
    expect(projected(vip, Booking)).toEqual(Booking({ table: 1, guest: { name: "Bob" } }));
    expect(Object.isFrozen(projected(vip, Booking))).toBe(true);
  });

  it("does not check a subtype's fields again", () => {
    const check = vi.fn(() => true);
    const Checked = value("checked", { a: z.string().refine(check) });
    const More = Checked.extend("more", { b: z.string() });
    const more = More({ a: "x", b: "y" });
    check.mockClear();
    expect(projected(more, Checked)).toEqual({ a: "x" });
    expect(check).not.toHaveBeenCalled();
  });

  it("goes by field names and validity, not by kind", () => {
    expect(projected(Location({ value: "/tmp" }), Str)).toEqual(Str({ value: "/tmp" }));
    expect(project(Int({ value: 1 }), Str)).toHaveProperty("problem");
    expect(projected(All({ value: "x", other: 1 }), Str)).toEqual(Str({ value: "x" }));
    expect(projected(Stop({ value: "x" }), Str)).toEqual(Str({ value: "x" }));
    expect(project(Stop(), Str)).toHaveProperty("problem");
  });

  it("keeps all of a value for a type that keeps whatever it is given", () => {
    expect(projected(StrImage({ value: "x", images: [photo] }), All)).toEqual({
      value: "x",
      images: [photo],
    });
    expect(projected({ a: 1 }, All)).toEqual({ a: 1 });
  });

  it("carries metadata along", () => {
    const meta = { truncation: NO_MESSAGE, model: "m" };
    expect(metadataOf(projected(StrImage({ value: "x", images: [] }, meta), Str))).toEqual(meta);
    expect(metadataOf(projected(Location({ value: "x" }, meta), Str))).toEqual(meta);
    expect(metadataOf(projected({ value: "x", model: "m" }, Str))).toEqual({});
  });

  it("takes plain fields, and only their own", () => {
    expect(projected({ value: "x", junk: 1 }, Str)).toEqual(Str({ value: "x" }));
    expect(project(Object.setPrototypeOf({}, { value: "x" }), Str)).toHaveProperty("problem");
    expect(projected(undefined, Empty)).toEqual({});
    for (const given of [null, "x", 1, ["x"], () => "x"])
      expect(project(given, Str)).toHaveProperty("problem");
  });

  it("reports what reading throws, instead of throwing it", () => {
    const failing = {
      get value(): string {
        throw new RangeError("no");
      },
    };
    expect(project(failing, Str)).toEqual({ problem: new RangeError("no") });
    expect(project({ data: () => 1 }, All)).toHaveProperty("problem.code", "core/value");
  });

  it("refuses a type that is none", () => {
    expect(project({}, { ...Str, schema: Str.schema })).toHaveProperty("problem");
  });
});

describe("a tool's input", () => {
  it("core 20: drops what the tool does not take, when it is called directly with an Invoke", async () => {
    const call = Invoke({ action: "echo", rationale: "x", value: "ok", junk: 1 });
    const answer: unknown = await Reflect.apply(echo.invoke, undefined, [call]);
    expect(answer).toEqual(Str({ value: "ok" }));
  });

  it("core 22: ignores an extra key for a type derived from Empty", async () => {
    const greet = tool({
      name: "greet",
      description: "",
      input: z.object({ who: z.string() }),
      output: Str,
      run: ({ who }) => Str({ value: who }),
    });
    const answer: unknown = await Reflect.apply(greet.invoke, undefined, [{ who: "Bob", extra: 1 }]);
    expect(answer).toEqual(Str({ value: "Bob" }));
  });

  it("core 19: brings the parent's metadata, which a tool that returns its input passes on", async () => {
    expect(metadataOf(await echo.invoke(Str({ value: "x" }, { truncation: NO_MESSAGE })))).toEqual({
      truncation: NO_MESSAGE,
    });
    const hidden = StrImage({ value: "x", images: [] }, { truncation: NO_MESSAGE });
    expect(metadataOf(await echo.invoke(hidden))).toEqual({ truncation: NO_MESSAGE });
  });

  it("cannot be changed by the tool, so that no change reaches its producer", async () => {
    const given = All({ list: [1] });
    const spoil = tool({
      name: "spoil",
      description: "",
      input: All,
      output: Empty,
      run: ({ list }) => {
        if (Array.isArray(list)) list.push(2);
        return Empty();
      },
    });
    await expect(spoil.invoke(given)).rejects.toThrow(TypeError);
    expect(given).toEqual({ list: [1] });
  });

  it("is refused, with the schema's finding as the cause", async () => {
    const call: unknown = Reflect.apply(echo.invoke, undefined, [{ value: 1 }]);
    const refused: unknown = await Promise.resolve(call).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: "core/tool-input",
      toolName: "echo",
      message: "`echo` was given a value its input schema rejects",
    });
    expect(refused).toHaveProperty("cause", expect.any(z.ZodError));
    expect(() => inputFor(stateOf(echo), 1)).toThrow(expect.objectContaining({ code: "core/tool-input" }));
  });
});

describe("a tool's output", () => {
  const state = stateOf(
    tool({ name: "book", description: "", input: Empty, output: [Booking, Stop], run: () => Stop() }),
  );

  it.each([
    { why: "a declared type", returned: Booking({ table: 1, guest: { name: "Bob" } }) },
    { why: "a subtype of one", returned: Vip({ table: 1, guest: { name: "Bob" }, level: 1 }) },
    { why: "another member", returned: Stop() },
  ])("may be of $why", ({ returned }) => {
    expect(checkOutput(state, returned)).toBe(returned);
  });

  it("may be of a type with the same kind and fields, as another installed copy makes them", () => {
    const Same = value("booking", { table: z.number(), guest: z.object({ name: z.string() }) });
    const returned = Same({ table: 1, guest: { name: "Bob" } });
    expect(checkOutput(state, returned)).toBe(returned);
  });

  it.each([
    {
      why: "a value of another type",
      returned: Str({ value: "x" }),
      says: /returned `str`; it declares `booking` or `stop`/,
    },
    { why: "an ancestor's value", returned: Empty(), says: /returned `empty`/ },
    {
      why: "a namesake with other fields",
      returned: value("booking", { table: z.string() })({ table: "x" }),
      says: /returned a `booking` with other fields/,
    },
    { why: "nothing", returned: undefined, says: /returned undefined, which is no value/ },
    { why: "null", returned: null, says: /returned null, which is no value/ },
    { why: "plain fields", returned: { value: "secret" }, says: /returned object, which is no value/ },
    { why: "the type instead of a value", returned: Stop, says: /returned function, which is no value/ },
  ])("may not be $why", ({ returned, says }) => {
    expect(() => checkOutput(state, returned)).toThrow(
      expect.objectContaining({ code: "core/tool-output", toolName: "book" }),
    );
    expect(() => checkOutput(state, returned)).toThrow(says);
    expect(() => checkOutput(state, returned)).not.toThrow(/secret/);
  });
});

describe("a tool that is invoked alone", () => {
  it("may do all that a context is for, with no run around it", async () => {
    const all = tool({
      name: "all",
      description: "",
      input: Empty,
      output: Str,
      run: async (_input, context) => {
        context.emit({ type: "script-output", content: "x" });
        context.replaceMessages({ from: 0, to: 0 }, []);
        await context.io.notify("x");
        const once = await context.once("key", (key) => Promise.resolve(`did ${key}`));
        return Str({
          value: `${once}, ${context.messages.length} messages, aborted ${String(context.signal.aborted)}, live ${String(context.io.isLive)}`,
        });
      },
    });
    expect(await all.invoke(Empty())).toEqual(
      Str({ value: "did key, 0 messages, aborted false, live false" }),
    );
    expect(await all.invoke(Empty(), { messages: [userMessage("x")], signal: AbortSignal.abort() })).toEqual(
      Str({ value: "did key, 1 messages, aborted true, live false" }),
    );
  });

  it("rejects with what its body throws, at once or later", async () => {
    const fail = tool({
      name: "fail",
      description: "",
      input: Empty,
      output: Empty,
      run: () => {
        throw new RangeError("no");
      },
    });
    await expect(fail.invoke(Empty())).rejects.toThrow(new RangeError("no"));
    const failLater = tool({
      name: "fail",
      description: "",
      input: Empty,
      output: Empty,
      run: async () => Promise.reject(new RangeError("no")),
    });
    await expect(failLater.invoke(Empty())).rejects.toThrow(new RangeError("no"));
  });

  it("is held to its outputs", async () => {
    const lie = tool({ name: "lie", description: "", input: Empty, output: Stop, run: () => Stop() });
    const liar = { ...stateOf(lie), run: () => Str({ value: "x" }) };
    expect(() => checkOutput(liar, liar.run())).toThrow(
      expect.objectContaining({ code: "core/tool-output" }),
    );
    expect(kindOf(await lie.invoke(Empty()))).toBe("stop");
  });
});
