import { appendFileSync } from "node:fs";

import * as z from "zod";

import {
  Agent,
  asTool,
  MockLLMEndpoint,
  Skill,
  stop,
  Str,
  Suspend,
  tool,
  value,
  when,
  type Message,
} from "../../index.ts";
import { call, callers } from "./runs.ts";

const Approval = value("approval", { isApproved: z.boolean() });

/**
 * An editor who loads a skill, lets a writer write, who asks for a title, has the draft approved by a tool of the skill,
 * publishes it once, and asks a last question. What the models answer depends on the conversations alone.
 *
 * @param ledger - A file that each publication adds a line to.
 */
export function newspaperAgent(ledger: string): Agent {
  const writer = new Agent({
    name: "writer",
    systemPrompt: "Write.",
    endpoint: new MockLLMEndpoint(({ messages }) =>
      callers(messages).includes("prompt_user")
        ? call("stop", { value: `A draft on ${lastOf(messages)}` })
        : call("prompt_user", { value: "Which title?" }),
    ),
    tools: [stop],
  });
  const review = tool({
    name: "review",
    description: "Have a draft approved.",
    input: Str,
    output: [Approval, Suspend],
    suspends: { request: z.object({ draft: z.string() }), reply: Approval },
    run: (draft) => Suspend({ request: { draft: draft.value } }),
  });
  const publish = tool({
    name: "publish",
    description: "Publish it.",
    input: Approval,
    output: Str,
    chainedTo: when(review, ({ isApproved }) => isApproved),
    run: async (_approval, { once }) =>
      Str({
        value: await once("publish", (key) => {
          appendFileSync(ledger, `${key}\n`);
          return "published";
        }),
      }),
  });
  const press = new Skill({
    name: "press",
    description: "How to publish.",
    instructions: "Have every draft approved.",
    tools: [review, publish],
  });
  const order = [
    ["press", {}],
    ["writer", { value: "Write something." }],
    ["review", { value: "The draft." }],
    ["prompt_user", { value: "Anything else?", timeout_seconds: 60 }],
  ] as const;
  return new Agent({
    name: "editor",
    systemPrompt: "Make a newspaper.",
    endpoint: new MockLLMEndpoint(({ messages }) => {
      const told = callers(messages);
      const next = order.find(([name]) => !told.includes(name));
      return next === undefined ? call("stop", { value: lastOf(messages) }) : call(next[0], next[1]);
    }),
    tools: [asTool(writer), stop],
    skills: [press],
  });
}

/** The text that the last tool gave. */
function lastOf(messages: readonly Message[]): string {
  return z.object({ value: z.string() }).parse(JSON.parse(messages.at(-1)?.content ?? "")).value;
}
