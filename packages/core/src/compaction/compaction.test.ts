import { describe, expect, it } from "vitest";
import { Agent } from "../agent/agent.ts";
import { CoreError } from "../errors.ts";
import { LLMEndpointRoute } from "../llm/endpoint.ts";
import { MockLLMEndpoint, type MockEntry } from "../llm/mock.ts";
import { tool } from "../tools/tool.ts";
import type { ToolContext } from "../tools/context.ts";
import { estimateConversationTokens } from "../truncation/view.ts";
import { Empty } from "../values/builtin.ts";
import { contentObject, systemMessage, userMessage, type Message } from "../values/message.ts";
import type { MessageKind } from "../values/metadata.ts";
import { aloneContext, max, plain, toolName } from "./__fixtures__/worker.ts";
import { compactifyMessagesWhenNeeded } from "./compaction-tool.ts";
import type { CompactionSettings } from "./settings.ts";

/** A message of so many tokens. */
function sized(tokens: number, messageKind?: MessageKind): Message {
  const make = messageKind === "system_message" ? systemMessage : userMessage;
  return make("x".repeat(tokens * 4), messageKind === undefined ? {} : { messageKind });
}

/** Looks at a conversation outside of any run. */
async function look(
  messages: readonly Message[],
  script: readonly MockEntry[] = [],
  settings: Omit<CompactionSettings, "endpoint"> & { max?: number } = {},
) {
  const { max: maxContextTokens = max, ...rest } = settings;
  const endpoint = new MockLLMEndpoint(script, { maxContextTokens });
  const replaced: { from: number; to: number; messages: readonly Message[] }[] = [];
  const context: Partial<ToolContext> = {
    messages,
    replaceMessages: (range, put) => replaced.push({ ...range, messages: put }),
  };
  const compactor = compactifyMessagesWhenNeeded({ endpoint, ...rest });
  const status = await Reflect.apply(compactor.invoke, compactor, [Empty(), context]);
  endpoint.assertUsedUp();
  return { status, replaced, endpoint };
}

describe("a conversation", () => {
  it.each([
    {
      why: "below the threshold is left alone",
      messages: [sized(799)],
      status: "ok",
      context: "799 / 1.0k (79.9%)",
      left: "1",
    },
    {
      why: "shed 111: of the system message alone is blocked, without a call",
      messages: [sized(900, "system_message")],
      status: "blocked",
      context: "900 / 1.0k (90.0%)",
      left: "0",
    },
    {
      why: "shed 112: whose beginning leaves a summary no room is blocked, without a call",
      messages: [sized(760, "system_message"), sized(60)],
      status: "blocked",
      context: "820 / 1.0k (82.0%)",
      left: "0",
    },
    {
      why: "that is nothing but what runs start with is blocked",
      messages: [
        sized(400, "system_message"),
        sized(300, "startup_context"),
        sized(100, "auto_load_banner"),
        sized(50, "auto_loaded_skill"),
      ],
      status: "blocked",
      context: "850 / 1.0k (85.0%)",
      left: "0",
    },
  ])("$why", async ({ messages, status, context, left }) => {
    const looked = await look(messages);
    expect(looked.status).toEqual({
      status,
      context,
      to_compaction: left,
      compactions: 0,
      compaction_summary: null,
    });
    expect(looked.replaced).toEqual([]);
    expect(looked.endpoint.requests).toEqual([]);
  });

  it("at the very threshold is replaced, all but what it began with, by one message with exactly these keys", async () => {
    const messages = [
      sized(100, "system_message"),
      sized(50, "startup_context"),
      userMessage("The task."),
      // No part of the beginning: something else came before it.
      sized(700, "startup_context"),
    ];
    const { status, replaced, endpoint } = await look(messages, [{ value: "Zusammenfassung: für zwei 😀" }]);
    expect(replaced).toMatchObject([{ from: 2, to: 4, messages: [{ role: "user" }] }]);
    const message = replaced[0]?.messages[0];
    expect(message).toMatchObject({ role: "user", messageKind: "compacted_context" });
    const content = message?.content ?? "";
    expect(content).toMatch(/^[\x20-\x7e]*$/);
    expect(content).toContain("f\\u00fcr zwei \\ud83d\\ude00");
    const { value, ...rest } = contentObject(content) ?? {};
    expect(value).toMatch(/Go on/);
    expect(rest).toEqual({
      caller: toolName,
      summary_markdown: "Zusammenfassung: für zwei 😀",
      percent_used_before: 85.3,
      threshold_percent: 80,
    });
    expect(status).toMatchObject({
      status: "compacted",
      compactions: 1,
      compaction_summary: "Zusammenfassung: für zwei 😀",
    });
    const left = estimateConversationTokens([
      ...messages.slice(0, 2),
      ...(message === undefined ? [] : [message]),
    ]);
    expect(status).toMatchObject({
      context: `${left} / 1.0k (${(left / 10).toFixed(1)}%)`,
      to_compaction: String(800 - left),
    });
    const [, source] = endpoint.requests[0]?.messages ?? [];
    expect(source?.content).toMatch(/^## user\n\nThe task\.\n\n## user\n\nx{2800}$/);
  });

  it("is not replaced by a summary that fits in characters, but not in the ASCII that it is sent as", async () => {
    const messages = [sized(300, "system_message"), sized(600)];
    const fits = await look(messages, [{ value: "e".repeat(1_200) }]);
    expect(fits.status).toMatchObject({ status: "compacted" });
    const grows = await look(messages, [{ value: "é".repeat(1_200) }]);
    expect(grows.status).toMatchObject({ status: "blocked", compactions: 0 });
    expect(grows.replaced).toEqual([]);
  });

  it("shed 113: is as it was after three overlong summaries", async () => {
    const long = { value: "y".repeat(4_000) };
    const { status, replaced, endpoint } = await look([sized(900)], [long, long, long]);
    expect(status).toMatchObject({ status: "blocked", compactions: 0, compaction_summary: null });
    expect(replaced).toEqual([]);
    expect(endpoint.requests).toHaveLength(3);
  });

  it("is summarised as the model is shown it", async () => {
    const hidden = userMessage("hidden", { truncation: { threshold: 0, severity: "remove" } });
    const { endpoint } = await look([hidden, sized(900)], [{ value: "short" }]);
    expect(endpoint.requests[0]?.messages[1]?.content).not.toContain("hidden");
  });

  it("of hidden messages alone beside a long beginning is blocked, without a call", async () => {
    const hidden = userMessage("hidden", { truncation: { threshold: 0, severity: "remove" } });
    expect((await look([sized(900, "system_message"), hidden])).status).toMatchObject({ status: "blocked" });
  });

  it("may fill more than the context when the threshold allows it, and is brought below the context", async () => {
    const { status } = await look([sized(1_300)], [{ value: "z".repeat(3_500) }], { thresholdPercent: 120 });
    expect(status).toMatchObject({ status: "compacted" });
    expect((await look([sized(1_100)], [], { thresholdPercent: 120 })).status).toMatchObject({
      status: "ok",
      context: "1.1k / 1.0k (110.0%)",
    });
  });

  it.each([
    { tokens: 999, text: "999 / 128k" },
    { tokens: 1_000, text: "1.0k / 128k" },
    { tokens: 99_949, text: "99.9k / 128k" },
    { tokens: 100_000, text: "100k / 128k" },
  ])("of $tokens tokens is said to use $text", async ({ tokens, text }) => {
    const messages = Array.from({ length: 20 }, () => sized(Math.floor(tokens / 20)));
    messages.push(sized(tokens - 20 * Math.floor(tokens / 20)));
    const { status } = await look(messages, [], { max: 128_000 });
    expect(Reflect.get(status, "context")).toContain(`${text} (`);
  });

  it("counts compactions of one tool, its copies too, and anew for a new tool", async () => {
    const endpoint = new MockLLMEndpoint(() => ({ value: "short" }), { maxContextTokens: max });
    const first = compactifyMessagesWhenNeeded({ endpoint });
    const context = { messages: [sized(900)] };
    expect(await first.invoke(Empty(), { ...aloneContext, ...context })).toMatchObject({ compactions: 1 });
    expect(
      await first.copy({ name: "other" }).invoke(Empty(), { ...aloneContext, ...context }),
    ).toMatchObject({
      compactions: 2,
    });
    const fresh = compactifyMessagesWhenNeeded({ endpoint });
    expect(await fresh.invoke(Empty(), { ...aloneContext, ...context })).toMatchObject({ compactions: 1 });
  });
});

function compactifyLoosely(settings: unknown): unknown {
  return Reflect.apply(compactifyMessagesWhenNeeded, undefined, [settings]);
}

/** The code of what `make` throws. */
function codeOf(make: () => unknown): unknown {
  try {
    make();
  } catch (error) {
    return CoreError.is(error) ? error.code : error;
  }
  return undefined;
}

describe("settings", () => {
  const endpoint = new MockLLMEndpoint([]);
  const wrong: readonly { why: string; settings: object }[] = [
    { why: "a threshold of 0", settings: { thresholdPercent: 0 } },
    { why: "an endless threshold", settings: { thresholdPercent: Infinity } },
    { why: "a threshold that is no number", settings: { thresholdPercent: NaN } },
    { why: "a negative time", settings: { timeoutMs: -1 } },
    { why: "an endless time", settings: { timeoutMs: Infinity } },
    { why: "blank instructions to go on", settings: { continuation: " " } },
    { why: "a function as the endpoint", settings: { endpoint: () => endpoint } },
    { why: "a name that is none", settings: { threshold: 80 } },
  ];
  it.each(wrong)("are refused by the tool with $why", ({ settings }) => {
    expect(codeOf(() => compactifyLoosely({ endpoint, ...settings }))).toBe("core/tool-definition");
  });
  it.each(wrong)("are refused by an agent with $why", ({ settings }) => {
    const construct = (): unknown => Reflect.construct(Agent, [{ ...plain(endpoint), compaction: settings }]);
    expect(codeOf(construct)).toBe("core/agent-definition");
  });
  it("need an endpoint for the tool, and settings at all", () => {
    for (const settings of [{}, null, "80"])
      expect(codeOf(() => compactifyLoosely(settings))).toBe("core/tool-definition");
  });
  it("are not for a deterministic agent, which may have the tool", () => {
    const tick = tool({ name: "tick", description: "", input: Empty, output: Empty, run: () => Empty() });
    const clockwork = { name: "clockwork", mode: "deterministic" as const };
    expect(() => new Agent({ ...clockwork, endpoint, defaultTools: [tick], compaction: true })).toThrow(
      /defaultTools/,
    );
    const defaultTools = [tick, compactifyMessagesWhenNeeded({ endpoint })];
    const names = new Agent({ ...clockwork, defaultTools }).graph().nodes.map(({ name }) => name);
    expect(names).toContain(toolName);
  });
  it("switched off add no tool, and left out neither", () => {
    const names = (compaction?: boolean) =>
      new Agent({ ...plain(endpoint), compaction }).graph().nodes.map(({ name }) => name);
    expect(names(false)).toEqual(names());
    expect(names(true).filter((name) => !names().includes(name))).toEqual([toolName]);
  });
  it("show what the tool needs from outside: its model", () => {
    const route = new LLMEndpointRoute(() => endpoint);
    expect(new Agent({ ...plain(endpoint), compaction: { endpoint: route } }).externalDependencies()).toEqual(
      [],
    );
  });
});
