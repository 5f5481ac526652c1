import { describe, expect, it } from "vitest";

import { Empty, Stop, Str } from "../values/builtin.ts";
import { tool } from "../tools/tool.ts";
import { when } from "../tools/link.ts";
import { stop } from "../tools/builtin/stop.ts";
import { MockLLMEndpoint } from "../llm/mock.ts";
import { Agent } from "./agent.ts";
import { failedRunOf } from "./failed-run.ts";

function lunch(endpoint: MockLLMEndpoint, bob: "yes" | "no"): Agent {
  const askBob = tool({
    name: "ask_bob",
    description: "Ask Bob to lunch.",
    input: Empty,
    output: Str,
    run: () => Str({ value: bob }),
  });
  const find = tool({
    name: "find_restaurant",
    description: "Find a restaurant.",
    input: Str,
    output: Str,
    chainedTo: when(askBob, (reply) => reply.value === "yes"),
    run: () => Str({ value: "Chez Zod" }),
  });
  const book = tool({
    name: "book_table",
    description: "Book a table.",
    input: Str,
    output: Str,
    chainedTo: find,
    run: () => Str({ value: "table 4" }),
  });
  const calendar = tool({
    name: "add_to_calendar",
    description: "",
    input: Str,
    output: Str,
    chainedTo: book,
    run: (table) => table,
  });
  const notify = tool({
    name: "notify",
    description: "",
    input: Str,
    output: Stop,
    chainedTo: calendar,
    run: ({ value }) => Stop({ value: `Booked ${value}.` }),
  });
  return new Agent({
    name: "lunch",
    mode: "autonomous",
    systemPrompt: "Arrange lunch.",
    endpoint,
    tools: [askBob, find, book, calendar, notify, stop],
  });
}

describe("an agent with a chain", () => {
  it("asks the model once and skips five calls", async () => {
    const endpoint = new MockLLMEndpoint([{ action: "ask_bob", rationale: "Lunch." }]);
    const { output, report, messages } = await lunch(endpoint, "yes").complete();
    expect(output).toMatchObject({ value: "Booked table 4." });
    expect(report).toMatchObject({ llmCalls: 1, skippedCalls: 5, steps: 5, chainedSteps: 4 });
    expect(endpoint.requests).toHaveLength(1);
    expect(messages.map(({ role }) => role)).toEqual([
      "system",
      "assistant",
      "user",
      "user",
      "user",
      "user",
      "user",
    ]);
  });

  it("gives the model its turn when the chain breaks", async () => {
    const endpoint = new MockLLMEndpoint([
      { action: "ask_bob", rationale: "Lunch." },
      { action: "stop", rationale: "No.", value: "Another day." },
    ]);
    const { output, report } = await lunch(endpoint, "no").complete();
    expect(output).toMatchObject({ value: "Another day." });
    expect(report).toMatchObject({ llmCalls: 2, skippedCalls: 0 });
  });

  it("keeps the messages of a run that failed", async () => {
    const endpoint = new MockLLMEndpoint([]);
    const error: unknown = await lunch(endpoint, "no")
      .complete()
      .catch((caught: unknown) => caught);
    expect(failedRunOf(error)?.messages).toHaveLength(1);
  });
});
