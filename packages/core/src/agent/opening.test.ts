import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";

import {
  Agent,
  All,
  Empty,
  HashMaps,
  Int,
  MockLLMEndpoint,
  showOnce,
  stop,
  Stop,
  Str,
  StrImage,
  Strs,
  tool,
  value,
  type AgentSettings,
  type AnyValue,
} from "../index.ts";
import { call, callers, said, throughJson } from "./__fixtures__/runs.ts";

let root = "";

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "opening-"));
  await mkdir(join(root, "days"));
  await mkdir(join(root, "empty"));
  await mkdir(join(root, "folder.md"));
  await writeFile(join(root, "days", "20260101.md"), "first");
  await writeFile(join(root, "days", "20260102.md"), 'Müller said "second"');
  await writeFile(join(root, "days", "20260103.txt"), "third");
  await writeFile(join(root, "notes.txt"), "notes");
});

afterAll(async () => {
  await rm(root, { recursive: true });
});

function asking(settings: Partial<AgentSettings> = {}) {
  const endpoint = new MockLLMEndpoint(() => call("stop", { value: "" }));
  const agent = new Agent({
    name: "opening",
    mode: "autonomous",
    systemPrompt: "Go.",
    automaticToolPrompt: false,
    endpoint,
    tools: [stop],
    ...settings,
  });
  return { agent, endpoint };
}

async function opening(settings: Partial<AgentSettings>, input?: AnyValue | string) {
  const { messages } = await asking(settings).agent.complete(input);
  return messages.slice(0, -2);
}

describe("the messages that a run starts with", () => {
  it("are the system prompt, the initial messages in order, and the input", async () => {
    const messages = await opening(
      {
        initialMessages: ["first", { path: join(root, "days", "20260101.md") }, "last"],
      },
      "Now.",
    );
    expect(messages).toMatchObject([
      { role: "system", content: "Go.", messageKind: "system_message" },
      { role: "user", content: "first", messageKind: "startup_context" },
      { role: "user", content: '{"value":"first"}', messageKind: "startup_context" },
      { role: "user", content: "last", messageKind: "startup_context" },
      { role: "user", content: "Now." },
    ]);
    expect(messages[4]).not.toHaveProperty("messageKind");
  });

  it("core 65: take of a folder the Markdown file with the greatest name", async () => {
    expect(said(await opening({ initialMessages: [{ path: join(root, "days") }] }))).toEqual([
      "system: Go.",
      'user: {"value":"Müller said \\"second\\""}',
    ]);
  });

  it.each([
    { why: "core 65: an empty folder", path: "empty" },
    { why: "a file that is no Markdown", path: "notes.txt" },
    { why: "a path that leads nowhere", path: "nowhere" },
  ])("have nothing of $why", async ({ path }) => {
    expect(await opening({ initialMessages: [{ path: join(root, path) }] })).toHaveLength(1);
  });

  it.each([
    { why: "that is missing", path: "missing.md", code: "ENOENT" },
    { why: "that is a folder", path: "folder.md", code: "EISDIR" },
  ])("fail the run for a Markdown file $why", async ({ path, code }) => {
    const { agent } = asking({ initialMessages: [{ path: join(root, path) }] });
    await expect(agent.complete()).rejects.toMatchObject({ code });
  });

  it.each([
    { why: "core 65: a number", entry: 5 },
    { why: "null", entry: null },
    { why: "an object without a path", entry: {} },
    { why: "a path that is no text", entry: { path: 5 } },
  ])("are refused when the agent is constructed: $why", ({ entry }) => {
    const make = (): unknown => Reflect.construct(Agent, [{ ...base, initialMessages: [entry] }]);
    const base = { name: "x", mode: "deterministic", defaultTools: [stop] };
    expect(make).toThrow("an entry of `initialMessages` is neither a text nor { path }");
  });

  it("are read anew for each run", async () => {
    const file = join(root, "changing.md");
    const { agent } = asking({ initialMessages: [{ path: file }] });
    await writeFile(file, "one");
    const before = await agent.complete();
    await writeFile(file, "two");
    const after = await agent.complete();
    expect([before, after].map(({ messages }) => messages[1]?.content)).toEqual([
      '{"value":"one"}',
      '{"value":"two"}',
    ]);
  });

  it("core 66: are the configured prompt alone without the automatic tool prompt", async () => {
    expect(said(await opening({ systemPrompt: "  Just this. " }))).toEqual(["system:   Just this. "]);
  });

  it("have no system message for a deterministic agent without a prompt", async () => {
    const end = tool({ name: "end", description: "", input: Empty, output: Stop, run: () => Stop() });
    const agent = new Agent({ name: "plain", mode: "deterministic", defaultTools: [end] });
    expect(said((await agent.complete()).messages)).toEqual(['user: {"caller":"end","value":null}']);
  });
});

describe("the input of a run", () => {
  const Order = value("order", { dish: z.string(), count: z.int() });

  it.each([
    { why: "a text", input: "Hello.", message: "Hello." },
    { why: "a Str", input: Str({ value: "Hello." }), message: "Hello." },
    {
      why: "a value with a text among its fields",
      input: Order({ dish: "soup", count: 2 }),
      message: '{"dish":"soup","count":2}',
    },
    { why: "a list of texts", input: Strs({ items: ["a", "b"] }), message: '{"items":["a","b"]}' },
    {
      why: "a text further down",
      input: HashMaps({ items: [{ deep: [{ text: "a" }] }] }),
      message: '{"items":[{"deep":[{"text":"a"}]}]}',
    },
  ])("design row 8: is the first user message when it carries text: $why", async ({ input, message }) => {
    expect(said(await opening({}, input))).toEqual(["system: Go.", `user: ${message}`]);
  });

  it.each([
    { why: "nothing", input: undefined },
    { why: "a number", input: Int({ value: 1 }) },
    { why: "no field", input: Empty() },
    { why: "an empty text", input: "" },
    { why: "no text in its fields", input: All({ count: 1, list: [2, null, true] }) },
  ])("is no message when it carries no text: $why", async ({ input }) => {
    expect(await opening({}, input)).toHaveLength(1);
  });

  it("keeps its images, and what it says of its truncation", async () => {
    const images = [{ url: "https://images.example/a.png" }];
    const messages = await opening({}, StrImage({ value: "Look.", images }, { truncation: showOnce() }));
    expect(messages[1]).toMatchObject({
      role: "user",
      content: "Look.",
      images,
      truncation: { severity: "remove", countBy: "showings" },
    });
    expect(Object.isFrozen(messages[1])).toBe(true);
  });

  it("core 50: is given to the first default that takes it", async () => {
    const first = tool({
      name: "first",
      description: "",
      input: Str,
      output: Stop,
      run: ({ value: text }) => Stop({ value: `got ${text}` }),
    });
    const agent = new Agent({ name: "given", mode: "deterministic", defaultTools: [first] });
    expect((await agent.complete("x")).output.value).toBe("got x");
  });

  it("of a kind that no tool of the agent knows does not keep its run from being resumed", async () => {
    const { agent } = asking();
    const run = agent.start(Order({ dish: "soup", count: 2 }));
    run.cancel();
    const result = await run.finish();
    if (result.status !== "cancelled") throw new Error(result.status);
    const resumed = await agent.resume(throughJson(result.snapshot));
    expect(callers(resumed.messages)).toEqual(["stop"]);
  });

  it.each([
    { why: "its fields", input: Order({ dish: "soup", count: 2 }), message: '{"dish":"soup","count":2}' },
    {
      why: "its text, where it is one",
      input: Str.extend("signed", { by: z.string() })({ value: "Hello.", by: "Ann" }),
      message: "Hello.",
    },
    {
      why: "its text and images",
      input: StrImage.extend("framed", { frame: z.string() })({ value: "Look.", images: [], frame: "oak" }),
      message: "Look.",
    },
  ])(
    "of such a kind says what it said when its run is resumed before it began: $why",
    async ({ input, message }) => {
      const { agent } = asking();
      const snapshot = throughJson(agent.start(input).snapshot());
      expect(said((await agent.resume(snapshot)).messages)[1]).toBe(`user: ${message}`);
    },
  );

  it("of a kind that no tool knows is given to the first default by its fields", async () => {
    const first = tool({
      name: "first",
      description: "",
      input: z.object({ dish: z.string() }),
      output: Stop,
      run: ({ dish }) => Stop({ value: dish }),
    });
    const agent = new Agent({ name: "given", mode: "deterministic", defaultTools: [first] });
    expect((await agent.complete(Order({ dish: "soup", count: 2 }))).output.value).toBe("soup");
  });

  it.each([
    { why: "a number", input: 5 },
    { why: "null", input: null },
    { why: "an object that is no value", input: { value: "x" } },
  ])("is refused when it is neither a text nor a value: $why", ({ input }) => {
    const { agent } = asking();
    expect(() => {
      Reflect.apply(agent.start.bind(agent), undefined, [input]);
    }).toThrow(TypeError);
  });
});
