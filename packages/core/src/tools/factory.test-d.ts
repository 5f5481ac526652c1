import { describe, expectTypeOf, it } from "vitest";
import * as z from "zod";

import { Empty, Int, Stop, Str } from "../values/builtin.ts";
import { filterMessages } from "../values/message.ts";
import type { Value } from "../values/value.ts";
import { showOnce } from "../truncation/policy.ts";
import { factory, type AnyFactory, type Factory } from "./factory.ts";
import { when } from "./link.ts";
import { tool, type Tool } from "./tool.ts";

interface Judge {
  readonly ask: (question: string) => Promise<string>;
}
interface StrictJudge extends Judge {
  readonly rules: readonly string[];
}

const askNumber = tool({
  name: "ask_number",
  description: "",
  input: Empty,
  output: Int,
  run: () => Int({ value: 2 }),
});

const escalate = factory<Judge>()({
  name: "escalate",
  description: "Have an even number approved.",
  input: Int,
  output: [Stop, Str],
  chainedTo: when(askNumber, (number) => {
    expectTypeOf(number).toEqualTypeOf<Int>();
    return number.value % 2 === 0;
  }),
  run: async (number, { messages }, judge) => {
    expectTypeOf(number).toEqualTypeOf<Int>();
    expectTypeOf(judge).toEqualTypeOf<Judge>();
    const verdict = await judge.ask(`Is ${number.value} acceptable? (y/n)`);
    const isFirst = filterMessages(messages, { caller: "escalate" }).length === 0;
    if (verdict === "n" && !isFirst) return Stop({ value: "Refused." });
    return Str({ value: "Approved this once." }, { truncation: showOnce() });
  },
});

describe("a factory", () => {
  it("infers all but its context", () => {
    expectTypeOf(escalate).toEqualTypeOf<Factory<Judge, Int, Stop | Str, "escalate">>();
    expectTypeOf(escalate.factoryName).toEqualTypeOf<"escalate">();
    const search = factory<string>()({
      name: "search",
      description: "",
      input: z.object({ q: z.string() }),
      output: Str,
      run: (input, _run, prefix) => Str({ value: prefix + input.q }),
    });
    expectTypeOf(search).toEqualTypeOf<
      Factory<string, Value<"empty" | "search", { q: string }>, Str, "search">
    >();
  });

  it("gives a tool of its own name when it is bound", () => {
    const judge: Judge = { ask: async () => Promise.resolve("y") };
    expectTypeOf(escalate(judge)).toEqualTypeOf<Tool<Int, Stop | Str, "escalate">>();
    expectTypeOf(escalate(judge).copy({ name: "escalate_again" })).toEqualTypeOf<
      Tool<Int, Stop | Str, "escalate_again">
    >();
    // @ts-expect-error -- a context is needed
    escalate();
    // @ts-expect-error -- of the right type
    escalate("y");
  });

  it("may be a parent, alone and in a list", () => {
    const log = tool({
      name: "log",
      description: "",
      input: Str,
      output: Empty,
      chainedTo: [escalate, when(escalate, (output) => output.value !== "")],
      run: ({ value }) => {
        expectTypeOf(value).toEqualTypeOf<string>();
        return Empty();
      },
    });
    expectTypeOf(log).toEqualTypeOf<Tool<Str, Empty, "log">>();
    expectTypeOf(log.chain(escalate)).toEqualTypeOf<Tool<Str, Empty, "log">>();
  });

  it("is contravariant in its context and input, covariant in its output and name", () => {
    expectTypeOf<Factory<Judge, Empty, Str, "a">>().toExtend<Factory<StrictJudge, Int, Empty>>();
    expectTypeOf<Factory<StrictJudge, Int, Str>>().not.toExtend<Factory<Judge, Int, Str>>();
    expectTypeOf<Factory<Judge, Int, Str>>().not.toExtend<Factory<Judge, Empty, Str>>();
    expectTypeOf<Factory<Judge, Int, Empty>>().not.toExtend<Factory<Judge, Int, Str>>();
    expectTypeOf(escalate).toExtend<AnyFactory>();
  });

  it("is held to its output as a tool is", () => {
    factory<string>()({
      name: "bad",
      description: "",
      input: Empty,
      output: Int,
      // @ts-expect-error -- a Str is not declared
      run: (_input, _run, text) => Str({ value: text }),
    });
  });
});
