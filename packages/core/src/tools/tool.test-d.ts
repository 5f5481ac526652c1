import { describe, expectTypeOf, it } from "vitest";
import * as z from "zod";

import type { Message } from "../values/message.ts";
import { type All, Empty, Int, Stop, StopLocation, Str, StrImage, Suspend } from "../values/builtin.ts";
import { value, type AnyValue, type Of, type Value } from "../values/value.ts";
import type { ToolContext } from "./context.ts";
import { when } from "./link.ts";
import { tool, type AnyTool, type Tool } from "./tool.ts";

const Approved = value("approved", { by: z.string() });
type Approved = Of<typeof Approved>;
declare const isLate: boolean;
declare const askUntilInteger: (io: ToolContext["io"]) => Promise<Int>;

const askNumber = tool({
  name: "ask_number",
  description: "Ask the user for an integer, until the reply is one.",
  input: Empty,
  output: Int,
  run: async (_input, { io }) => askUntilInteger(io),
});

describe("a tool's inference", () => {
  it("needs no annotation: a first agent's tool", () => {
    const getQuote = tool({
      name: "get_quote",
      description: "Return a random quote and then stop.",
      input: Empty,
      output: Stop,
      run: () => Stop({ value: "x" }),
    });
    expectTypeOf(getQuote).toEqualTypeOf<Tool<Empty, Stop, "get_quote">>();
    expectTypeOf(askNumber).toEqualTypeOf<Tool<Empty, Int, "ask_number">>();
  });

  it("needs no annotation: a chained tool under a condition", () => {
    const givePraise = tool({
      name: "give_praise",
      description: "Praise an odd choice.",
      input: Int,
      output: Str,
      chainedTo: when(askNumber, (number) => {
        expectTypeOf(number).toEqualTypeOf<Int>();
        return number.value % 2 !== 0;
      }),
      run: (number) => {
        expectTypeOf(number).toEqualTypeOf<Int>();
        return Str({ value: `${number.value} is good.` });
      },
    });
    expectTypeOf(givePraise).toEqualTypeOf<Tool<Int, Str, "give_praise">>();
  });

  it("needs no annotation: a plain object schema as input", () => {
    const search = tool({
      name: "search",
      description: "Search.",
      input: z.object({ q: z.string(), limit: z.number().default(10), tags: z.array(z.string()).optional() }),
      output: Str,
      run: (input, context) => {
        expectTypeOf(input).toEqualTypeOf<
          Value<"empty" | "search", { q: string; limit: number; tags?: string[] | undefined }>
        >();
        expectTypeOf(input.limit).toEqualTypeOf<number>();
        expectTypeOf(input.tags).toEqualTypeOf<readonly string[] | undefined>();
        expectTypeOf(context).toEqualTypeOf<ToolContext>();
        expectTypeOf(context.messages).toEqualTypeOf<readonly Message[]>();
        return Str({ value: input.q });
      },
    });
    expectTypeOf(search.name).toEqualTypeOf<"search">();
    tool({
      name: "strict",
      description: "",
      input: z.strictObject({ q: z.string() }),
      output: Empty,
      run: () => Empty(),
    });
    tool({
      name: "loose",
      description: "",
      input: z.looseObject({ q: z.string() }),
      output: Empty,
      run: () => Empty(),
    });
  });

  it("needs no annotation: a tool that suspends", () => {
    const ask = tool({
      name: "ask_approval",
      description: "",
      input: Str,
      output: [Approved, Stop, Suspend],
      suspends: { request: z.object({ question: z.string() }), reply: Approved },
      run: ({ value: question }) => Suspend({ request: { question } }),
    });
    expectTypeOf(ask).toEqualTypeOf<Tool<Str, Approved | Stop | Suspend, "ask_approval">>();
    tool({
      name: "book",
      description: "",
      input: Approved,
      output: Stop,
      chainedTo: ask,
      run: ({ by }) => Stop({ value: by }),
    });
  });

  it("needs no annotation: fan-in, and a guard that picks the branch", () => {
    const review = tool({
      name: "review",
      description: "",
      input: Empty,
      output: [Approved, Str],
      run: () => (isLate ? Approved({ by: "Bob" }) : Str({ value: "no" })),
    });
    tool({
      name: "log",
      description: "",
      input: Empty,
      output: Empty,
      chainedTo: [askNumber, review],
      run: () => Empty(),
    });
    const publish = tool({
      name: "publish",
      description: "",
      input: Approved,
      output: Stop,
      chainedTo: when(review, Approved.is),
      run: ({ by }) => Stop({ value: by }),
    });
    expectTypeOf(publish).toEqualTypeOf<Tool<Approved, Stop, "publish">>();
  });
});

describe("a tool's output", () => {
  it("is any of the declared values, or a promise of one", () => {
    const definition = { name: "ask", description: "", input: Empty, output: [Int, Stop] } as const;
    tool({ ...definition, run: () => Int({ value: 1 }) });
    tool({ ...definition, run: async () => Promise.resolve(Stop()) });
    tool({ ...definition, run: () => (isLate ? Int({ value: 1 }) : Promise.resolve(Stop())) });
    tool({ ...definition, run: async () => (isLate ? Int({ value: 1 }) : Promise.resolve(Stop())) });
    tool({ ...definition, run: () => StopLocation({ location: "x" }) });
  });

  it("is nothing else", () => {
    const definition = { name: "ask", description: "", input: Empty, output: [Int, Stop] } as const;
    // @ts-expect-error -- a Str is not declared
    tool({ ...definition, run: () => Str({ value: "x" }) });
    // @ts-expect-error -- not in a promise either
    tool({ ...definition, run: async () => Promise.resolve(Str({ value: "x" })) });
    // @ts-expect-error -- plain fields are no value
    tool({ ...definition, run: () => ({ value: 1 }) });
    // @ts-expect-error -- something has to be returned
    tool({ ...definition, run: () => undefined });
  });
});

describe("a tool's body", () => {
  it("takes input and context; a third parameter belongs to a factory", () => {
    tool({
      name: "ask",
      description: "",
      input: Empty,
      output: Empty,
      // @ts-expect-error -- nothing would be given
      run: (_input: Empty, _context: ToolContext, _bound: string) => Empty(),
    });
  });

  it("cannot change its input", () => {
    tool({
      name: "ask",
      description: "",
      input: StrImage,
      output: Empty,
      run: (input) => {
        // @ts-expect-error -- input is frozen
        input.value = "x";
        // @ts-expect-error -- in depth
        input.images[0] = { url: "https://example.org/x.png" };
        return Empty();
      },
    });
  });
});

describe("a tool's type", () => {
  it("is contravariant in its input and covariant in its output and name", () => {
    expectTypeOf<Tool<Empty, StrImage, "a">>().toExtend<Tool<Str, Str>>();
    expectTypeOf<Tool<Str, StrImage>>().not.toExtend<Tool<Empty, StrImage>>();
    expectTypeOf<Tool<Empty, Str>>().not.toExtend<Tool<Empty, StrImage>>();
    expectTypeOf<Tool<Empty, Str>>().not.toExtend<Tool<Empty, Str, "a">>();
  });

  it("is erased by the top type", () => {
    expectTypeOf<Tool<Str, Int, "a">>().toExtend<AnyTool>();
    expectTypeOf(askNumber).toExtend<AnyTool>();
    expectTypeOf<[typeof askNumber, Tool<All, Stop, "b">]>().toExtend<readonly AnyTool[]>();
  });
});

describe("invoke", () => {
  it("takes a value of the input type or its plain fields, and gives the output", () => {
    const search = tool({
      name: "search",
      description: "",
      input: z.object({ q: z.string() }),
      output: [Str, Stop],
      run: ({ q }) => Str({ value: q }),
    });
    expectTypeOf(search.invoke({ q: "x" })).toEqualTypeOf<Promise<Str | Stop>>();
    expectTypeOf(askNumber.invoke(Str({ value: "x" }))).toEqualTypeOf<Promise<Int>>();
    void search.invoke({ q: "x" }, { messages: [] });
    // @ts-expect-error -- the field is missing
    void search.invoke({});
    // @ts-expect-error -- the field is of another type
    void search.invoke({ q: 1 });
  });
});

describe("copy and rename", () => {
  it("keep the contract and infer the new name", () => {
    expectTypeOf(askNumber.copy()).toEqualTypeOf<Tool<Empty, Int, "ask_number">>();
    expectTypeOf(askNumber.copy({ description: "x" })).toEqualTypeOf<Tool<Empty, Int, "ask_number">>();
    expectTypeOf(askNumber.copy({ name: "ask_age" })).toEqualTypeOf<Tool<Empty, Int, "ask_age">>();
    expectTypeOf(askNumber.rename("ask_age")).toEqualTypeOf<Tool<Empty, Int, "ask_age">>();
  });
});

it("takes a value type or an object schema as input", () => {
  // @ts-expect-error -- a schema that is no object makes no value
  tool({ name: "ask", description: "", input: z.string(), output: Empty, run: () => Empty() });
});

it("knows every value as one", () => {
  expectTypeOf<Int | Stop | Approved>().toExtend<AnyValue>();
});
