import * as z from "zod";

import { Agent } from "../../agent/agent.ts";
import { MockLLMEndpoint } from "../../llm/mock.ts";
import { when } from "../../tools/link.ts";
import { tool } from "../../tools/tool.ts";
import { Stop, Str, Suspend } from "../../values/builtin.ts";
import { value } from "../../values/value.ts";

const Verdict = value("verdict", { approved: z.boolean() });

const draft = tool({
  name: "draft",
  description: "Draft an order.",
  input: Str,
  output: Str,
  run: ({ value: what }) => Str({ value: `12 ${what}` }),
});

const review = tool({
  name: "review",
  description: "Have the draft approved.",
  input: Str,
  output: [Verdict, Suspend],
  chainedTo: draft,
  suspends: { request: z.object({ question: z.string() }), reply: Verdict },
  run: ({ value: order }) => Suspend({ request: { question: `Order ${order}?` } }),
});

const place = tool({
  name: "place",
  description: "Place the order.",
  input: Verdict,
  output: Stop,
  chainedTo: when(review, Verdict.is),
  run: async ({ approved }, { once }) =>
    Stop({ value: approved ? await once("order", () => "Ordered, number 4711.") : "Refused." }),
});

/** Drafts an order, has it approved by a person, and places it. */
export const agent = new Agent({
  name: "orders",
  mode: "autonomous",
  systemPrompt: "Order what the user wants.",
  automaticToolPrompt: false,
  endpoint: new MockLLMEndpoint([{ action: "draft", rationale: "Chairs are wanted.", value: "chairs" }]),
  tools: [draft, review, place],
});
