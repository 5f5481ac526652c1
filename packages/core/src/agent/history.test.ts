import { describe, expect, it } from "vitest";

import {
  Agent,
  Empty,
  MockLLMEndpoint,
  showOnce,
  stop,
  Stop,
  Str,
  tool,
  userMessage,
  type Message,
  type ToolContext,
} from "../index.ts";
import { call, failureOf, looseTool, said, throughJson } from "./__fixtures__/runs.ts";

type Body = (context: ToolContext) => void | Promise<void>;

/** A deterministic agent that starts with five messages, a to e, and then runs these bodies in turn before it ends. */
function editing(...bodies: readonly Body[]): Agent {
  const edits = bodies.map((body, index) =>
    tool({
      name: `edit_${index}`,
      description: "",
      input: Empty,
      output: Str,
      run: async (_input, context) => {
        await body(context);
        return Str({ value: `${index}` });
      },
    }),
  );
  const end = tool({ name: "end", description: "", input: Empty, output: Stop, run: () => Stop() });
  return new Agent({
    name: "editing",
    mode: "deterministic",
    defaultTools: [...edits, end],
    initialMessages: ["a", "b", "c", "d", "e"],
  });
}

const ended = 'user: {"caller":"end","value":null}';
const result = (index: number): string => `user: {"caller":"edit_${index}","value":"${index}"}`;
const texts = (...all: readonly string[]): readonly string[] => all.map((text) => `user: ${text}`);
const short = [userMessage("short")];

async function messagesOf(...bodies: readonly Body[]): Promise<readonly string[]> {
  return said((await editing(...bodies).complete()).messages);
}

describe("a change of history", () => {
  it("is made when the step is finished, before its result is added", async () => {
    const seen: number[] = [];
    const messages = await messagesOf(({ messages, replaceMessages }) => {
      replaceMessages({ from: 1, to: 4 }, short);
      seen.push(messages.length);
    });
    expect(seen).toEqual([5]);
    expect(messages).toEqual([...texts("a", "short", "e"), result(0), ended]);
  });

  it("may be made of several ranges of the same conversation, in any order", async () => {
    const messages = await messagesOf(({ replaceMessages }) => {
      replaceMessages({ from: 0, to: 2 }, [userMessage("a and b")]);
      replaceMessages({ from: 5, to: 5 }, [userMessage("f")]);
      replaceMessages({ from: 3, to: 4 }, [userMessage("d1"), userMessage("d2")]);
      replaceMessages({ from: 5, to: 5 }, [userMessage("g")]);
      replaceMessages({ from: 3, to: 3 }, [userMessage("before d")]);
    });
    expect(messages).toEqual([
      ...texts("a and b", "c", "before d", "d1", "d2", "e", "f", "g"),
      result(0),
      ended,
    ]);
  });

  it.each([
    { why: "a range that leaves the conversation", from: 0, to: 6 },
    { why: "a range that begins before it", from: -1, to: 2 },
    { why: "a range that ends before it begins", from: 3, to: 2 },
    { why: "a range between two messages", from: 0.5, to: 2 },
    { why: "a range that is no number", from: Number.NaN, to: 2 },
    { why: "a range that overlaps another of the step", from: 1, to: 3 },
    { why: "a range within another of the step", from: 3, to: 3 },
  ])("is refused for $why, and the others stand", async ({ from, to }) => {
    const messages = await messagesOf(async ({ replaceMessages }) => {
      replaceMessages({ from: 2, to: 4 }, short);
      const refused = failureOf(
        Promise.resolve().then(() => {
          replaceMessages({ from, to }, []);
        }),
      );
      expect(await refused).toMatchObject({ code: "core/history-change" });
    });
    expect(messages).toEqual([...texts("a", "b", "short", "e"), result(0), ended]);
  });

  it("is refused for what is no message", async () => {
    const notMessages: readonly Message[] = throughJson([{ ...userMessage("x"), role: "user" }]);
    const bad: unknown = [{ role: "tool", content: "x" }];
    await messagesOf(({ replaceMessages }) => {
      expect(() => {
        Reflect.apply(replaceMessages, undefined, [{ from: 0, to: 1 }, bad]);
      }).toThrow(expect.objectContaining({ code: "core/message" }));
      replaceMessages({ from: 0, to: 1 }, notMessages);
    });
  });

  it("is refused after the step of the tool that kept its context", async () => {
    const kept: ToolContext[] = [];
    const messages = await messagesOf(
      (context) => {
        kept.push(context);
      },
      () => {
        expect(() => {
          kept[0]?.replaceMessages({ from: 0, to: 1 }, []);
        }).toThrow(expect.objectContaining({ code: "core/history-change" }));
      },
    );
    expect(messages).toEqual([...texts("a", "b", "c", "d", "e"), result(0), result(1), ended]);
  });

  it("asked for by an attempt that failed is dropped", async () => {
    let attempt = 0;
    const fragile = looseTool({
      name: "fragile",
      input: Empty,
      output: Stop,
      retries: 1,
      run: (_input: unknown, { replaceMessages }: ToolContext) => {
        attempt += 1;
        replaceMessages({ from: 0, to: 1 }, [userMessage(`attempt ${attempt}`)]);
        if (attempt === 1) throw new Error("not yet");
        return Stop();
      },
    });
    const agent = new Agent({
      name: "fragile",
      mode: "deterministic",
      defaultTools: [fragile],
      initialMessages: ["a", "b"],
    });
    expect(said((await agent.complete()).messages)).toEqual([
      "user: attempt 2",
      "user: b",
      'user: {"caller":"fragile","value":null}',
    ]);
  });

  it("asked for by a step that failed is dropped", async () => {
    const fails = tool({
      name: "fails",
      description: "",
      input: Empty,
      output: Str,
      run: (_input, { replaceMessages }) => {
        replaceMessages({ from: 0, to: 1 }, []);
        throw new Error("no");
      },
    });
    const endpoint = new MockLLMEndpoint([call("fails"), call("stop", { value: "" })]);
    const agent = new Agent({
      name: "failing",
      mode: "autonomous",
      systemPrompt: "Go.",
      automaticToolPrompt: false,
      endpoint,
      tools: [fails, stop],
    });
    expect(said((await agent.complete()).messages)[0]).toBe("system: Go.");
  });

  it("keeps how often the messages that stay were shown", async () => {
    const compact = tool({
      name: "compact",
      description: "",
      input: Empty,
      output: Str,
      run: (_input, { replaceMessages }) => {
        replaceMessages({ from: 1, to: 2 }, [userMessage("compacted")]);
        return Str({ value: "done" });
      },
    });
    const note = tool({
      name: "note",
      description: "",
      input: Empty,
      output: Str,
      run: () => Str({ value: "once" }, { truncation: showOnce() }),
    });
    const endpoint = new MockLLMEndpoint([call("note"), call("compact"), call("stop", { value: "" })]);
    const agent = new Agent({
      name: "compacting",
      mode: "autonomous",
      systemPrompt: "Go.",
      endpoint,
      tools: [note, compact, stop],
    });
    await agent.complete("start");
    const shown = endpoint.requests.map(({ messages }) =>
      messages.some(({ content }) => content.includes('"once"')),
    );
    expect(shown).toEqual([false, true, false]);
  });
});

describe("the messages that a tool sees", () => {
  it("are live", async () => {
    const kept: (readonly Message[])[] = [];
    const lengths: number[] = [];
    await messagesOf(
      ({ messages }) => {
        kept.push(messages);
      },
      () => {
        lengths.push(kept[0]?.length ?? 0);
      },
    );
    expect(lengths).toEqual([6]);
  });

  it.each([
    { why: "push", change: (list: object): unknown => Reflect.apply(Array.prototype.push, list, [1]) },
    { why: "reverse", change: (list: object): unknown => Reflect.apply(Array.prototype.reverse, list, []) },
    { why: "pop", change: (list: object): unknown => Reflect.apply(Array.prototype.pop, list, []) },
    { why: "length", change: (list: object) => Object.assign(list, { length: 0 }) },
    { why: "freeze", change: (list: object) => Object.freeze(list) },
    { why: "preventExtensions", change: (list: object) => Object.preventExtensions(list) },
    { why: "setPrototypeOf", change: (list: object): unknown => Object.setPrototypeOf(list, null) },
    {
      why: "a field of a message",
      change: ([first]: readonly object[]) => Object.assign(first ?? {}, { content: "" }),
    },
  ])("are read-only: $why", async ({ change }) => {
    const messages = await messagesOf(({ messages }) => {
      expect(() => {
        change(messages);
      }).toThrow(TypeError);
    });
    expect(messages).toEqual([...texts("a", "b", "c", "d", "e"), result(0), ended]);
  });
});

describe("a tool's context", () => {
  it("can be handed on to another tool, whole or with a part of it changed", async () => {
    const inner = tool({
      name: "inner",
      description: "",
      input: Empty,
      output: Str,
      run: async (_input, { runId, messages, signal, io, emit, once }) => {
        emit({ type: "script-output", content: "x" });
        const facts = [runId, messages.length, signal.aborted, io.isLive];
        return Str({ value: await once("key", () => facts.join()) });
      },
    });
    const seen: string[] = [];
    const outer = tool({
      name: "outer",
      description: "",
      input: Str,
      output: Str,
      run: async (_input, context) => {
        const io = { isLive: true, ask: () => Promise.resolve(null), notify: () => undefined };
        const { value: whole } = await inner.invoke(Empty(), context);
        const { value: changed } = await inner.invoke(Empty(), {
          ...context,
          io,
          once: (key, effect) => Promise.resolve(effect(key)),
        });
        const { value: alone } = await inner.invoke(Empty(), { runId: "mine" });
        return Str({ value: [whole, changed, alone].join(" ") });
      },
    });
    const agent = new Agent({
      name: "a",
      mode: "deterministic",
      defaultTools: [outer],
      tools: [stop.copy().chain(outer)],
      sinks: [(event) => event.type === "script-output" && seen.push(event.content)],
    });
    const { output } = await agent.complete("hi", { runId: "r" });
    expect(output.value).toBe("r,1,false,false r,1,false,true mine,0,false,false");
    expect(seen).toEqual(["x", "x"]);
  });
});
