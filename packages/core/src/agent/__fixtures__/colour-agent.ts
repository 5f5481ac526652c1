import * as z from "zod";

import { MockLLMEndpoint } from "../../llm/mock.ts";
import { stop } from "../../tools/builtin/stop.ts";
import { when } from "../../tools/link.ts";
import { tool } from "../../tools/tool.ts";
import { showOnce } from "../../truncation/policy.ts";
import { Empty, Int, Str, Suspend } from "../../values/builtin.ts";
import { filterMessages } from "../../values/message.ts";
import { Agent } from "../agent.ts";

/**
 * An agent with a bit of everything that a snapshot has to hold: a default before the model, a chain with a fork, a
 * message that is shown once, a tool that fails at first, the same call three times running, and a question. What its
 * model answers depends on the conversation alone.
 */
export function colourAgent(): Agent {
  const clock = tool({
    name: "clock",
    description: "Counts the turns.",
    input: Empty,
    output: Str,
    run: (_input, { messages }) =>
      Str({ value: `turn ${filterMessages(messages, { caller: "clock" }).length + 1}` }),
  });
  const pick = tool({
    name: "pick",
    description: "Picks a number.",
    input: z.object({ number: z.int() }),
    output: Int,
    run: ({ number }) => Int({ value: number }),
  });
  const even = tool({
    name: "even",
    description: "Takes even numbers.",
    input: Int,
    output: Str,
    chainedTo: when(pick, ({ value }) => value % 2 === 0),
    run: ({ value }) => Str({ value: `${value} is even.` }, { truncation: showOnce() }),
  });
  const odd = tool({
    name: "odd",
    description: "Takes odd numbers, and fails the first time.",
    input: Int,
    output: Str,
    chainedTo: when(pick, ({ value }) => value % 2 !== 0),
    run: ({ value }, { messages }) => {
      if (!messages.some(({ role }) => role === "error")) throw new Error("Not ready yet");
      return Str({ value: `${value} is odd.` });
    },
  });
  const ask = tool({
    name: "ask",
    description: "Asks for a colour.",
    input: Empty,
    output: [Str, Suspend],
    suspends: { request: z.string(), reply: Str },
    run: () => Suspend({ request: "Which colour?" }),
  });
  const note = tool({
    name: "note",
    description: "Notes the colour.",
    input: Str,
    output: Str,
    chainedTo: when(ask, Str.is),
    run: ({ value }) => Str({ value: `noted ${value}` }),
  });
  const script = [
    { action: "pick", rationale: "Two.", number: 2 },
    { action: "pick", rationale: "Three.", number: 3 },
    { action: "pick", rationale: "Three again.", number: 3 },
    { action: "ask", rationale: "A colour." },
    { action: "pick", rationale: "Four.", number: 4 },
    { action: "pick", rationale: "Four.", number: 4 },
    { action: "stop", rationale: "Done.", value: "done" },
  ];
  const endpoint = new MockLLMEndpoint(({ messages }) => {
    const turn = filterMessages(messages, { caller: "clock" }).length;
    return JSON.stringify(script[turn - 1] ?? script[6]);
  });
  return new Agent({
    name: "colours",
    mode: "autonomous",
    systemPrompt: "Pick.",
    endpoint,
    defaultTools: [clock],
    tools: [pick, even, odd, ask, note, stop],
    limits: { repeats: 3 },
  });
}
