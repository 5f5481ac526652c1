import { describe, expect, it } from "vitest";
import { ScriptedClient } from "../llm/__fixtures__/scripted-client.ts";
import { LLMEndpoint, LLMEndpointRoute } from "../llm/endpoint.ts";
import { MockLLMEndpoint, type MockEntry } from "../llm/mock.ts";
import { noUserIo } from "../runtime/user-io.ts";
import type { ToolContext, ToolEvent } from "../tools/context.ts";
import { userMessage } from "../values/message.ts";
import { conversationText } from "./conversation-text.ts";
import { characterCount, summarise, type SummaryRequest } from "./summarise.ts";

const instructions = "Summarise.";

function aloneWith(signal = new AbortController().signal): { context: ToolContext; events: ToolEvent[] } {
  const events: ToolEvent[] = [];
  const context: ToolContext = {
    messages: [],
    signal,
    io: noUserIo,
    once: async (key, effect) => effect(key),
    emit: (event) => events.push(event),
    replaceMessages: () => undefined,
  };
  return { context, events };
}

const summaries = (...lengths: readonly number[]): MockEntry[] =>
  lengths.map((length, index) => ({ value: String(index).repeat(length) }));

async function summarised(script: readonly MockEntry[], settings: Partial<SummaryRequest> = {}) {
  const endpoint = new MockLLMEndpoint(script);
  const { context, events } = aloneWith();
  const text = await summarise({ endpoint, instructions, source: "A text.", context, ...settings });
  endpoint.assertUsedUp();
  const told = events.map((event) => (event.type === "runtime" ? [event.level, event.data] : []));
  return { text, endpoint, told };
}

describe("a summary's length", () => {
  it.each([
    { why: "shed 115: 12 characters are within 15 % of 10", script: [12], taken: "0".repeat(12), calls: 1 },
    { why: "shed 115: 13 are not, and are asked for again", script: [13, 9], taken: "1".repeat(9), calls: 2 },
    {
      why: "shed 116: of three that are too long the shortest is given",
      script: [50, 20, 30],
      taken: "1".repeat(20),
      calls: 3,
    },
    { why: "of two equally short ones the first", script: [30, 20, 20], taken: "1".repeat(20), calls: 3 },
  ])("$why", async ({ script, taken, calls }) => {
    const { text, endpoint } = await summarised(summaries(...script), { maxChars: 10 });
    expect(text).toBe(taken);
    expect(endpoint.requests).toHaveLength(calls);
  });

  it("is not looked at without a limit", async () => {
    const { text, told } = await summarised(summaries(5_000));
    expect(text).toHaveLength(5_000);
    expect(told).toEqual([]);
  });

  it("is counted in characters, not in code units, and half pairs as one", () => {
    expect(characterCount("a😀é")).toBe(3);
    expect(characterCount("\ud83d\ud83d\ude00\ude00")).toBe(3);
    expect(characterCount("")).toBe(0);
  });

  it("with no tolerance is the limit itself", async () => {
    const { endpoint } = await summarised(summaries(11, 10), { maxChars: 10, tolerancePercent: 0 });
    expect(endpoint.requests).toHaveLength(2);
  });

  it("is told of, with counts and never with text: at info within tolerance, at warning beyond it", async () => {
    const within = await summarised(summaries(11), { maxChars: 10 });
    expect(within.told).toEqual([["info", { attempt: 1, chars: 11, max_chars: 10, accepted_chars: 12 }]]);
    const beyond = await summarised(summaries(50, 20, 30), { maxChars: 10 });
    expect(beyond.told).toEqual([
      ["warning", { attempt: 1, chars: 50, max_chars: 10, accepted_chars: 12 }],
      ["warning", { attempt: 2, chars: 20, max_chars: 10, accepted_chars: 12 }],
      ["warning", { attempt: 3, chars: 30, max_chars: 10, accepted_chars: 12 }],
      ["warning", { attempts: 3, chars: 20, max_chars: 10, accepted_chars: 12 }],
    ]);
    expect((await summarised(summaries(10), { maxChars: 10 })).told).toEqual([]);
  });

  it.each([
    { why: "a negative tolerance", settings: { tolerancePercent: -1 } },
    { why: "an endless tolerance", settings: { tolerancePercent: Infinity } },
    { why: "a tolerance that is no number", settings: { tolerancePercent: NaN } },
    { why: "no room at all", settings: { maxChars: 0 } },
  ])("refuses $why before anything is asked", async ({ settings }) => {
    await expect(summarised([], { maxChars: 10, ...settings })).rejects.toMatchObject({
      code: "core/llm-client",
    });
  });
});

describe("the model that summarises", () => {
  it("is shown its own overlong summary, and told by how much", async () => {
    const { endpoint } = await summarised(summaries(20, 5), { maxChars: 10 });
    const [, second] = endpoint.requests;
    expect(second?.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
    expect(second?.messages[2]?.content).toBe(JSON.stringify({ value: "0".repeat(20) }));
    expect(second?.messages[3]?.content).toMatch(/20 characters, and at most 10/);
  });

  it("is sent the whole source, however long", async () => {
    const source = "x".repeat(100_000);
    const { endpoint } = await summarised(summaries(5), { source });
    expect(endpoint.requests[0]?.messages[1]?.content).toBe(source);
  });

  it.each([
    { why: "blank", reply: { value: " \n" } },
    { why: "no object", reply: "A summary." },
    { why: "an object with more in it", reply: { value: "A summary.", rationale: "x" } },
  ])("is asked again when its reply is $why", async ({ reply }) => {
    const { text, endpoint } = await summarised([reply, { value: "good" }], { maxChars: 10 });
    expect(text).toBe("good");
    expect(endpoint.requests).toHaveLength(2);
  });

  it.each([{ why: "an endpoint" }, { why: "what a route chooses", isRoute: true }])(
    "is asked in JSON mode by a copy of $why, which stays as it is",
    async ({ isRoute = false }) => {
      const client = new ScriptedClient([{ text: '{"value":"short"}' }]);
      const own = new LLMEndpoint({ client, apiName: "api", modelName: "m", outputFormat: "text" });
      const endpoint = isRoute ? new LLMEndpointRoute(() => own) : own;
      const { context } = aloneWith();
      expect(await summarise({ endpoint, instructions, source: "A text.", context })).toBe("short");
      expect(client.seen[0]?.request.outputFormat).toBe("json");
      // Nobody watches the summary grow.
      expect(client.seen[0]?.includeUsage).toBeUndefined();
      expect(own.outputFormat).toBe("text");
    },
  );

  it("is given up when its time is over, or when nobody wants the summary any more, also right after it came", async () => {
    const { context } = aloneWith();
    const endpoint = new MockLLMEndpoint([() => new Promise<string>(() => undefined)]);
    const slow = summarise({ endpoint, instructions, source: "A text.", timeoutMs: 1, context });
    await expect(slow).rejects.toMatchObject({ code: "core/llm-call-timeout" });
    const gone = new AbortController();
    const leaving = new MockLLMEndpoint([
      () => {
        gone.abort(new Error("gone"));
        return { value: "too late" };
      },
    ]);
    const late = summarise({
      endpoint: leaving,
      instructions,
      source: "A text.",
      context: aloneWith(gone.signal).context,
    });
    await expect(late).rejects.toThrow("gone");
  });
});

it("shows a conversation with its roles as headings, and images by address or number", () => {
  const data = "data:image/png;base64,iVBORw0KGgo=";
  const images = [{ url: "https://example.com/a.png" }, { url: data }];
  const messages = [
    { ...userMessage("Look."), images },
    { ...userMessage("And."), images: [{ url: data }] },
  ];
  expect(conversationText(messages)).toBe(
    "## user\n\nLook.\n[image: https://example.com/a.png]\n[embedded image 1]\n\n## user\n\nAnd.\n[embedded image 2]",
  );
});
