import { describe, expect, it } from "vitest";

import { MockLLMEndpoint, MockReply } from "../llm/mock.ts";
import type { Protocol } from "../llm/endpoint.ts";
import { when } from "../tools/link.ts";
import { tool } from "../tools/tool.ts";
import { Empty, Stop, Str } from "../values/builtin.ts";
import { Agent } from "./agent.ts";

const ask = tool({
  name: "ask",
  description: "Ask.",
  input: Empty,
  output: Str,
  run: () => Str({ value: "yes" }),
});
const book = tool({
  name: "book",
  description: "Book.",
  input: Str,
  output: Stop,
  chainedTo: when(ask, ({ value }) => value === "yes"),
  run: () => Stop({ value: "done" }),
});

function agent(endpoint: MockLLMEndpoint): Agent {
  return new Agent({
    name: "booking",
    mode: "autonomous",
    systemPrompt: "Book.",
    endpoint,
    tools: [ask, book],
  });
}

const call = { action: "ask", rationale: "Because." };
const tokens = (text: string): number => Math.ceil(text.length / 4);
const nativeTools = [
  {
    name: "ask",
    description: "Ask.",
    parameters: {
      type: "object",
      additionalProperties: false,
      properties: { rationale: { type: "string" } },
      required: ["rationale"],
    },
  },
];

describe("a report on an endpoint that counts no tokens", () => {
  it.each<{ why: string; protocol: Protocol; beside: number; reply: number }>([
    { why: "all of it is text", protocol: "json", beside: 0, reply: tokens(JSON.stringify(call)) },
    {
      why: "the tools go beside the prompt",
      protocol: "tools",
      beside: tokens(JSON.stringify(nativeTools)),
      reply: tokens('ask{"rationale":"Because."}'),
    },
  ])("estimates what was sent and what came back when $why", async ({ protocol, beside, reply }) => {
    const booking = agent(new MockLLMEndpoint([call], { protocol }));
    const { report, messages } = await booking.complete();
    const prompt = tokens(booking.systemPrompt) + beside;
    const [asked, booked] = [2, 3].map((end) =>
      messages.slice(1, end + 1).reduce((sum, { content }) => sum + tokens(content), prompt),
    );
    expect(report).toMatchObject({ tokensIn: prompt, tokensOut: reply, skippedCalls: 2 });
    expect(report.skippedPromptTokens).toBe((asked ?? 0) + (booked ?? 0));
  });

  it("estimates every reply, also one that is not accepted", async () => {
    const { report } = await agent(new MockLLMEndpoint(["no JSON", call])).complete();
    expect(report).toMatchObject({
      llmCalls: 2,
      tokensOut: tokens("no JSON") + tokens(JSON.stringify(call)),
    });
  });

  it("takes the endpoint's own figures where it has them", async () => {
    const endpoint = new MockLLMEndpoint([new MockReply(call, { tokenInput: 7, tokenOutput: 0 })], {
      protocol: "tools",
    });
    expect((await agent(endpoint).complete()).report).toMatchObject({ tokensIn: 7, tokensOut: 0 });
  });
});
