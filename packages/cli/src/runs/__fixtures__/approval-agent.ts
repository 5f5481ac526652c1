import { Agent, Empty, MockLLMEndpoint, Stop, Str, Suspend, tool, value, when } from "@roboz/core";
import * as z from "zod";

const Verdict = value("verdict", { approved: z.boolean() });

const draft = tool({
  name: "draft",
  description: "Draft an order.",
  input: Empty,
  output: Str,
  run: () => Str({ value: "12 chairs\u001b[2J" }),
});

const review = tool({
  name: "review",
  description: "Have the draft approved.",
  input: Str,
  output: [Verdict, Suspend],
  chainedTo: draft,
  suspends: { request: z.object({ question: z.string() }), reply: Verdict },
  run: ({ value: text }) => Suspend({ request: { question: `Order ${text}?` } }),
});

const place = tool({
  name: "place",
  description: "Place the order.",
  input: Verdict,
  output: Stop,
  chainedTo: when(review, Verdict.is),
  run: ({ approved }) => Stop({ value: approved ? "Ordered." : "Refused." }),
});

/** Drafts an order, has it approved, and places it: one model call, a chain of three, and a question on the way. */
export const agent = new Agent({
  name: "orders",
  description: "Orders chairs.",
  mode: "autonomous",
  systemPrompt: "Order.",
  endpoint: new MockLLMEndpoint(() => ({ action: "draft", rationale: "Chairs are wanted." })),
  tools: [draft, review, place],
});
