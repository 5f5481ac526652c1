import { describe, expect, it } from "vitest";

import {
  Agent,
  AmbiguousLinkError,
  Empty,
  factory,
  failedRunOf,
  Int,
  Invoke,
  MockLLMEndpoint,
  stop,
  Stop,
  Str,
  StrImage,
  tool,
  when,
  type AnyTool,
  type RunEvent,
} from "../index.ts";
import { call, callers, failureOf, looseTool, looseWhen, said } from "../agent/__fixtures__/runs.ts";

const sayNothing = (): Str => Str({ value: "" });

/** A deterministic agent that starts with a number, and whose last resort ends the run. */
function numbers(value: number, chained: (start: ReturnType<typeof starting>) => readonly AnyTool[]): Agent {
  const start = starting(value);
  const fallback = tool({
    name: "fallback",
    description: "",
    input: Empty,
    output: Stop,
    run: () => Stop({ value: "fallback" }),
  });
  return new Agent({
    name: "numbers",
    mode: "deterministic",
    defaultTools: [start, fallback],
    tools: chained(start),
  });
}

function starting(value: number) {
  return tool({
    name: "start",
    description: "",
    input: Empty,
    output: Int,
    run: () => Int({ value }),
  });
}

/** A tool that takes a number and ends the run with its own name. */
function ending(name: string, chainedTo: object): AnyTool {
  return looseTool({ name, input: Int, output: Stop, chainedTo, run: () => Stop({ value: name }) });
}

describe("a fork", () => {
  const fork = (value: number): Agent =>
    numbers(value, (start) => [
      ending(
        "above_one",
        when(start, (number) => number.value > 1),
      ),
      ending(
        "far_from_zero",
        when(start, (number) => Math.abs(number.value) > 5),
      ),
    ]);

  it.each([
    { why: "core 40: the first condition alone", value: 2, output: "above_one" },
    { why: "core 40: the second condition alone", value: -10, output: "far_from_zero" },
    { why: "core 41: no condition, so the next default runs", value: 0, output: "fallback" },
  ])("follows the one true link: $why", async ({ value, output }) => {
    expect((await fork(value).complete()).output.value).toBe(output);
  });

  it("core 40: ends the run when more than one link is true, and names the candidates", async () => {
    const error = await failureOf(fork(15).complete());
    expect(error).toBeInstanceOf(AmbiguousLinkError);
    expect(error).toMatchObject({ parentName: "start", candidates: ["above_one", "far_from_zero"] });
    expect(callers(failedRunOf(error)?.messages ?? [])).toEqual(["start"]);
  });

  it("ends a model-driven run too, since the model could not mend it", async () => {
    const parent = tool({
      name: "parent",
      description: "",
      input: Empty,
      output: Int,
      run: () => Int({ value: 1 }),
    });
    const agent = new Agent({
      name: "forked",
      mode: "autonomous",
      systemPrompt: "Go.",
      endpoint: new MockLLMEndpoint([call("parent")]),
      tools: [
        parent,
        ending(
          "one",
          when(parent, () => true),
        ),
        ending(
          "other",
          when(parent, () => true),
        ),
      ],
      limits: { toolFailures: null },
    });
    await expect(agent.complete()).rejects.toMatchObject({ code: "core/ambiguous-link" });
  });

  it("counts two true links to one tool as two", async () => {
    const agent = numbers(1, (start) => [ending("child", [when(start, () => true), when(start, Int.is)])]);
    await expect(agent.complete()).rejects.toMatchObject({ candidates: ["child", "child"] });
  });
});

describe("a condition", () => {
  it("is called once for the output of its own parent, and with that very value", async () => {
    const picture = StrImage({ value: "a", images: [{ url: "https://images.example/a.png" }] });
    const seen: unknown[] = [];
    const draw = tool({ name: "draw", description: "", input: Empty, output: Str, run: () => picture });
    const other = tool({ name: "other", description: "", input: Str, output: Str, run: sayNothing });
    const note = (output: unknown): boolean => {
      seen.push(output);
      return true;
    };
    const end = looseTool({
      name: "end",
      input: Str,
      output: Stop,
      chainedTo: [when(draw, note), when(other, note)],
      run: (text: Str) => Stop({ value: JSON.stringify(text) }),
    });
    const agent = new Agent({
      name: "drawing",
      mode: "deterministic",
      defaultTools: [draw],
      tools: [other, end],
    });
    const { output } = await agent.complete();
    expect(seen).toEqual([picture]);
    expect(seen[0]).toBe(picture);
    expect(output.value).toBe('{"value":"a"}');
  });

  it("core 47: that throws ends the run, and the child has no failure of its own", async () => {
    const broken = new Error("no such field");
    const agent = numbers(1, (start) => [
      ending(
        "child",
        when(start, () => {
          throw broken;
        }),
      ),
    ]);
    const events: RunEvent[] = [];
    const error = await failureOf(agent.invoke(undefined, { sinks: [(event) => events.push(event)] }));
    expect(error).toBe(broken);
    expect(failedRunOf(error)?.report.steps).toBe(1);
    const tools = events.flatMap((event) => (event.type === "runtime" ? (event.data["tool"] ?? []) : []));
    expect(tools).toEqual(["start", "start"]);
    expect(events.at(-1)).toMatchObject({ kind: "stopped", status: "failed" });
  });

  it.each([
    { why: "true", condition: () => Promise.resolve(true) },
    { why: "false", condition: () => Promise.resolve(false) },
    { why: "a failure, which nobody else hears of", condition: () => Promise.reject(new Error("lost")) },
  ])("api.md: is refused when it gives a promise of $why", async ({ condition }) => {
    const agent = numbers(1, (start) => [
      looseTool({
        name: "child",
        input: Int,
        output: Stop,
        chainedTo: looseWhen(start, condition),
        run: () => Stop(),
      }),
    ]);
    await expect(agent.complete()).rejects.toMatchObject({ code: "core/tool-definition", toolName: "child" });
  });
});

describe("a chain", () => {
  it("core 42, api.md: keeps each link's own condition when more parents are added", async () => {
    const build = (first: number): Agent => {
      const one = starting(first);
      const two = tool({ name: "two", description: "", input: Int, output: Int, run: (number) => number });
      const child = looseTool({
        name: "child",
        input: Int,
        output: Int,
        chainedTo: when(one, (number) => number.value > 5),
        run: (number: Int) => Int({ value: number.value + 1 }),
      });
      child.chain(two);
      const end = looseTool({ name: "end", input: Int, output: Stop, chainedTo: child, run: () => Stop() });
      return new Agent({
        name: "linked",
        mode: "deterministic",
        defaultTools: [one, two],
        tools: [child, end],
      });
    };
    expect(callers((await build(6).complete()).messages)).toEqual(["start", "child", "end"]);
    expect(callers((await build(1).complete()).messages)).toEqual(["start", "two", "child", "end"]);
  });

  it("core 43: runs a tool with two parents once for either of them", async () => {
    const one = starting(1);
    const two = tool({
      name: "two",
      description: "",
      input: Empty,
      output: Int,
      run: () => Int({ value: 2 }),
    });
    const shared = tool({
      name: "shared",
      description: "",
      input: Int,
      output: Int,
      chainedTo: [one, two],
      run: (number) => number,
    });
    const end = tool({
      name: "end",
      description: "",
      input: Int,
      output: Stop,
      chainedTo: when(shared, (number) => number.value === 2),
      run: () => Stop(),
    });
    const agent = new Agent({
      name: "fan_in",
      mode: "deterministic",
      defaultTools: [one, two],
      tools: [shared, end],
    });
    expect(callers((await agent.complete()).messages)).toEqual(["start", "shared", "two", "shared", "end"]);
  });

  it("core 44: shows the model a repair when it calls a chained tool, and fails a tool that does", async () => {
    const parent = tool({ name: "parent", description: "", input: Empty, output: Str, run: sayNothing });
    const passive = looseTool({
      name: "passive",
      input: Str,
      output: Str,
      chainedTo: parent,
      run: sayNothing,
    });
    const jump = tool({
      name: "jump",
      description: "",
      input: Empty,
      output: Invoke,
      run: () => Invoke({ action: "passive", rationale: "" }),
    });
    const endpoint = new MockLLMEndpoint([call("passive", { value: "" }), call("jump")]);
    const agent = new Agent({
      name: "jumping",
      mode: "autonomous",
      systemPrompt: "Go.",
      endpoint,
      tools: [parent, passive, jump],
    });
    await expect(agent.complete()).rejects.toMatchObject({
      code: "core/unknown-tool",
      action: "passive",
      known: ["parent", "jump"],
    });
    expect(endpoint.requests[1]?.messages.at(-1)).toMatchObject({ role: "error" });
  });

  it("jumps to the active tool that a tool's Invoke names, with what it is given", async () => {
    const jump = tool({
      name: "jump",
      description: "",
      input: Empty,
      output: Invoke,
      run: () => Invoke({ action: "stop", rationale: "Done.", value: "there", junk: 1 }),
    });
    const agent = new Agent({
      name: "jumping",
      mode: "autonomous",
      systemPrompt: "Go.",
      endpoint: new MockLLMEndpoint([call("jump")]),
      tools: [jump, stop],
    });
    const { output, report } = await agent.complete();
    expect(output.value).toBe("there");
    expect(report).toMatchObject({ llmCalls: 1, skippedCalls: 2, chainedSteps: 0 });
  });

  it("core 48: follows a link that names a factory from the tool bound from it", async () => {
    const bound = factory<string>()({
      name: "bound",
      description: "",
      input: Empty,
      output: Str,
      run: (_input, _context, text) => Str({ value: text }),
    });
    const end = tool({
      name: "end",
      description: "",
      input: Str,
      output: Stop,
      chainedTo: bound,
      run: ({ value }) => Stop({ value }),
    });
    const agent = new Agent({
      name: "bound_first",
      mode: "deterministic",
      defaultTools: [bound("hello")],
      tools: [end],
    });
    expect((await agent.complete()).output.value).toBe("hello");
    expect(
      () =>
        new Agent({
          name: "copied",
          mode: "deterministic",
          defaultTools: [bound("hello").copy()],
          tools: [end],
        }),
    ).toThrow("`end` is chained to `bound`, which this agent does not have");
  });

  it("hands a child the fields it has, and keeps what a subtype adds from it", async () => {
    const agent = numbers(7, (start) => [
      looseTool({
        name: "child",
        input: Empty,
        output: Stop,
        chainedTo: start,
        run: (given: object) => Stop({ value: JSON.stringify(given) }),
      }),
    ]);
    expect((await agent.complete()).output.value).toBe("{}");
  });

  it("instead of core 37: a plain condition that lets through what the child does not take is checked when followed", async () => {
    const parent = tool({
      name: "parent",
      description: "",
      input: Empty,
      output: [Int, Str],
      run: () => Int({ value: 1 }),
    });
    const child = tool({
      name: "child",
      description: "",
      input: Str,
      output: Stop,
      chainedTo: when(parent, () => true),
      run: () => Stop(),
    });
    const agent = new Agent({
      name: "unions",
      mode: "deterministic",
      defaultTools: [parent],
      tools: [child],
    });
    const error = await failureOf(agent.complete());
    expect(error).toMatchObject({ code: "core/link-input", parentName: "parent", childName: "child" });
    expect(said(failedRunOf(error)?.messages ?? [])).toEqual(['user: {"caller":"parent","value":1}']);
  });
});
