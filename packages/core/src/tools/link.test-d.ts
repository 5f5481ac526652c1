import { describe, expectTypeOf, it } from "vitest";
import * as z from "zod";

import { Empty, Int, type Invoke, Stop, Str, StrImage, type Suspend } from "../values/builtin.ts";
import { value, type AnyValue, type AnyValueType, type Of } from "../values/value.ts";
import { factory, type AnyFactory } from "./factory.ts";
import { when, type AnyLink, type Fit, type Handed, type Link, type NameOf, type OutputOf } from "./link.ts";
import { tool, type AnyTool, type Tool } from "./tool.ts";

const Approved = value("approved", { by: z.string() });
const Rejected = value("rejected", { reason: z.string() });
type Approved = Of<typeof Approved>;
type Rejected = Of<typeof Rejected>;

declare const askNumber: Tool<Empty, Int, "ask_number">;
declare const review: Tool<Empty, Approved | Rejected | Stop, "review">;
declare const publish: Tool<Approved, Stop, "publish">;
declare const photograph: Tool<Empty, StrImage, "photograph">;
declare const anything: AnyTool;
declare const anyFactory: AnyFactory;
declare const loose: Tool<Empty, AnyValue, "loose">;
declare const isGood: (output: Approved | Rejected) => boolean;

const escalate = factory<string>()({
  name: "escalate",
  description: "",
  input: Int,
  output: [Stop, Str],
  run: () => Stop(),
});

describe("when", () => {
  it("gives the condition what the parent hands on, whatever it is: a tool or a factory", () => {
    when(askNumber, (number) => {
      expectTypeOf(number).toEqualTypeOf<Int>();
      return number.value % 2 === 0;
    });
    when(review, (output) => {
      expectTypeOf(output).toEqualTypeOf<Approved | Rejected>();
      return true;
    });
    when(escalate, (output) => {
      expectTypeOf(output).toEqualTypeOf<Str>();
      return true;
    });
    when(anything, (output) => {
      expectTypeOf(output).toEqualTypeOf<unknown>();
      return true;
    });
  });

  it("keeps what a type guard picks, and nothing for a plain condition", () => {
    expectTypeOf(when(review, Approved.is)).toEqualTypeOf<Link<Approved, Approved, "review">>();
    expectTypeOf(when(photograph, Str.is)).toEqualTypeOf<Link<StrImage, StrImage, "photograph">>();
    expectTypeOf(when(askNumber, Str.is)).toEqualTypeOf<Link<never, Int, "ask_number">>();
    expectTypeOf(when(review, isGood)).toEqualTypeOf<Link<unknown, Approved | Rejected, "review">>();
    expectTypeOf(when(escalate, () => true)).toEqualTypeOf<Link<unknown, Str, "escalate">>();
    expectTypeOf(when(review, Approved.is)).toExtend<AnyLink>();
  });

  it("takes no asynchronous condition, and no guard for what the parent never returns", () => {
    // @ts-expect-error -- conditions are synchronous
    when(review, async () => Promise.resolve(true));
    // @ts-expect-error -- `ask_number` returns no verdict
    when(askNumber, (output: Approved | Rejected) => Approved.is(output));
  });
});

describe("what can be said of a parent", () => {
  it("is its output, its name, and what it hands on", () => {
    expectTypeOf<OutputOf<typeof review>>().toEqualTypeOf<Approved | Rejected | Stop>();
    expectTypeOf<OutputOf<typeof escalate>>().toEqualTypeOf<Stop | Str>();
    expectTypeOf<NameOf<typeof review>>().toEqualTypeOf<"review">();
    expectTypeOf<NameOf<typeof escalate>>().toEqualTypeOf<"escalate">();
    expectTypeOf<NameOf<AnyTool>>().toEqualTypeOf<string>();
    expectTypeOf<NameOf<AnyFactory>>().toEqualTypeOf<string>();
    expectTypeOf<Handed<typeof review>>().toEqualTypeOf<Approved | Rejected>();
    expectTypeOf<Handed<Tool<Empty, Str | Stop | Suspend, "ask">>>().toEqualTypeOf<Str>();
    expectTypeOf<Handed<typeof publish>>().toEqualTypeOf<never>();
    expectTypeOf<Handed<AnyTool>>().toEqualTypeOf<unknown>();
  });
});

describe("a link that fits", () => {
  it("is left as it is", () => {
    expectTypeOf<Fit<typeof askNumber, Int, "child">>().toEqualTypeOf<typeof askNumber>();
    expectTypeOf<Fit<typeof photograph, Str, "child">>().toEqualTypeOf<typeof photograph>();
    expectTypeOf<Fit<typeof review, Empty, "child">>().toEqualTypeOf<typeof review>();
    expectTypeOf<Fit<typeof escalate, Str, "child">>().toEqualTypeOf<typeof escalate>();
    expectTypeOf<Fit<Link<Approved, Approved, "review">, Approved, "child">>().toEqualTypeOf<
      Link<Approved, Approved, "review">
    >();
    expectTypeOf<Fit<undefined, Str, "child">>().toEqualTypeOf<undefined>();
  });

  it("may narrow by a plain condition; what it lets through is checked when it is followed", () => {
    type Plain = Link<unknown, Approved | Rejected, "review">;
    expectTypeOf<Fit<Plain, Approved, "child">>().toEqualTypeOf<Plain>();
  });

  it("passes where a type is erased, to be checked when the agent is constructed", () => {
    expectTypeOf<Fit<AnyTool, Approved, "child">>().toEqualTypeOf<AnyTool>();
    expectTypeOf<Fit<AnyFactory, Approved, "child">>().toEqualTypeOf<AnyFactory>();
    expectTypeOf<Fit<AnyLink, Approved, "child">>().toEqualTypeOf<AnyLink>();
    expectTypeOf<Fit<typeof loose, Approved, "child">>().toEqualTypeOf<typeof loose>();
    expectTypeOf<Fit<typeof askNumber, never, string>>().toEqualTypeOf<typeof askNumber>();
    tool({
      name: "child",
      description: "",
      input: Approved,
      output: Empty,
      chainedTo: anything,
      run: () => Empty(),
    });
    tool({
      name: "child",
      description: "",
      input: Approved,
      output: Empty,
      chainedTo: anyFactory,
      run: () => Empty(),
    });
    tool({
      name: "child",
      description: "",
      input: Approved,
      output: Empty,
      chainedTo: [loose, anything],
      run: () => Empty(),
    });
    tool({
      name: "child",
      description: "",
      input: Approved,
      output: Empty,
      chainedTo: [when(anything, () => true), when(loose, () => true), when(anything, Approved.is)],
      run: () => Empty(),
    });
    expectTypeOf(anything.chain(askNumber)).toEqualTypeOf<AnyTool>();
  });
});

describe("a wrong link", () => {
  it("is the sentence: nothing the parent returns fits", () => {
    expectTypeOf<
      Fit<typeof askNumber, Str, "bad">
    >().toEqualTypeOf<"`ask_number` returns nothing that `bad` accepts">();
    expectTypeOf<
      Fit<typeof escalate, Int, "bad">
    >().toEqualTypeOf<"`escalate` returns nothing that `bad` accepts">();
    expectTypeOf<
      Fit<typeof review, Str, "bad">
    >().toEqualTypeOf<"`review` returns nothing that `bad` accepts">();
    expectTypeOf<
      Fit<Link<unknown, Int, "ask_number">, Str, "bad">
    >().toEqualTypeOf<"`ask_number` returns nothing that `bad` accepts">();
  });

  it("is the sentence: nothing the parent returns is what a guard is for", () => {
    expectTypeOf<
      Fit<Link<never, Int, "ask_number">, Empty, "bad">
    >().toEqualTypeOf<"`ask_number` returns nothing that `bad` accepts">();
    tool({
      name: "bad",
      description: "",
      input: Empty,
      output: Empty,
      // @ts-expect-error -- '"`ask_number` returns nothing that `bad` accepts"'
      chainedTo: when(askNumber, Approved.is),
      run: () => Empty(),
    });
    tool({
      name: "bad",
      description: "",
      input: Empty,
      output: Empty,
      // @ts-expect-error -- '"`publish` always stops, so `bad` would never run"'
      chainedTo: when(publish, Approved.is),
      run: () => Empty(),
    });
    tool({
      name: "good",
      description: "",
      input: StrImage,
      output: Empty,
      chainedTo: [when(photograph, Str.is), when(photograph, Empty.is)],
      run: () => Empty(),
    });
  });

  it("is the sentence: a member of the union does not fit, and there is no condition", () => {
    expectTypeOf<
      Fit<typeof review, Approved, "publish">
    >().toEqualTypeOf<"`review` may return a value that `publish` does not accept; link it with when()">();
    expectTypeOf<
      Fit<Tool<Empty, Str | Invoke, "route">, Str, "bad">
    >().toEqualTypeOf<"`route` may return a value that `bad` does not accept; link it with when()">();
  });

  it("is the sentence: the parent only ever stops", () => {
    expectTypeOf<
      Fit<typeof publish, Str, "bad">
    >().toEqualTypeOf<"`publish` always stops, so `bad` would never run">();
    expectTypeOf<
      Fit<typeof publish, Empty, "bad">
    >().toEqualTypeOf<"`publish` always stops, so `bad` would never run">();
    expectTypeOf<
      Fit<Link<unknown, never, "publish">, Str, "bad">
    >().toEqualTypeOf<"`publish` always stops, so `bad` would never run">();
  });

  it("is the sentence: a guard picks a member that the child does not take", () => {
    expectTypeOf<
      Fit<Link<Rejected, Rejected, "review">, Approved, "bad">
    >().toEqualTypeOf<"`review` is followed for a value that `bad` does not accept">();
  });

  it("stands in its place among the parents of a list, and only there", () => {
    expectTypeOf<
      Fit<readonly [typeof photograph, typeof askNumber, typeof publish], Str, "bad">
    >().toEqualTypeOf<
      readonly [
        typeof photograph,
        "`ask_number` returns nothing that `bad` accepts",
        "`publish` always stops, so `bad` would never run",
      ]
    >();
  });

  it("is an error at the link: with one parent, and with a factory", () => {
    tool({
      name: "bad",
      description: "",
      input: Str,
      output: Empty,
      // @ts-expect-error -- '"`ask_number` returns nothing that `bad` accepts"'
      chainedTo: askNumber,
      run: () => Empty(),
    });
    tool({
      name: "bad",
      description: "",
      input: Int,
      output: Empty,
      // @ts-expect-error -- '"`escalate` returns nothing that `bad` accepts"'
      chainedTo: escalate,
      run: () => Empty(),
    });
    factory<string>()({
      name: "bad",
      description: "",
      input: Str,
      output: Empty,
      // @ts-expect-error -- a factory's links are checked as a tool's are
      chainedTo: askNumber,
      run: () => Empty(),
    });
  });

  it("is an error at the parent of a list that does not fit", () => {
    tool({
      name: "bad",
      description: "",
      input: Str,
      output: Empty,
      chainedTo: [
        photograph,
        // @ts-expect-error -- '"`ask_number` returns nothing that `bad` accepts"', inside a longer message
        askNumber,
        escalate,
      ],
      run: () => Empty(),
    });
  });

  it("is an error for an unconditional link, a guard, and a plain condition", () => {
    tool({
      name: "publish",
      description: "",
      input: Approved,
      output: Stop,
      // @ts-expect-error -- '"`review` may return a value that `publish` does not accept; link it with when()"'
      chainedTo: review,
      run: () => Stop(),
    });
    tool({
      name: "bad",
      description: "",
      input: Approved,
      output: Stop,
      // @ts-expect-error -- '"`review` is followed for a value that `bad` does not accept"'
      chainedTo: when(review, Rejected.is),
      run: () => Stop(),
    });
    tool({
      name: "bad",
      description: "",
      input: Str,
      output: Stop,
      // @ts-expect-error -- '"`review` returns nothing that `bad` accepts"'
      chainedTo: when(review, isGood),
      run: () => Stop(),
    });
  });

  it("is an error in `chain`, too", () => {
    const child = tool({ name: "bad", description: "", input: Str, output: Empty, run: () => Empty() });
    // @ts-expect-error -- '"`ask_number` returns nothing that `bad` accepts"'
    child.chain(askNumber);
    // @ts-expect-error -- '"`publish` always stops, so `bad` would never run"'
    child.chain([photograph, publish]);
    expectTypeOf(child.chain([photograph, escalate])).toEqualTypeOf(child);
    expectTypeOf(child.chain(null)).toEqualTypeOf(child);
  });

  it("is anything that is no parent at all", () => {
    // @ts-expect-error -- a value type is no tool
    tool({ name: "bad", description: "", input: Str, output: Empty, chainedTo: Str, run: () => Empty() });
  });
});

it("accepts a list of parents that is not written in place", () => {
  const parents: Tool<Empty, Str, "one" | "two">[] = [];
  expectTypeOf(
    tool({
      name: "child",
      description: "",
      input: Str,
      output: Empty,
      chainedTo: parents,
      run: () => Empty(),
    }),
  ).toEqualTypeOf<Tool<Str, Empty, "child">>();
  const erased: readonly AnyTool[] = [];
  tool({ name: "child", description: "", input: Str, output: Empty, chainedTo: erased, run: () => Empty() });
});

it("accepts erased value types as input and output", () => {
  const type: AnyValueType = Str;
  const wrapped = tool({
    name: "wrapped",
    description: "",
    input: type,
    output: type,
    run: (input) => input,
  });
  expectTypeOf(wrapped).toEqualTypeOf<Tool<AnyValue, AnyValue, "wrapped">>();
});
