import {
  Agent,
  CoreError,
  Empty,
  factory,
  filterMessages,
  getCompletion,
  Int,
  showOnce,
  stop,
  Stop,
  Str,
  systemMessage,
  tool,
  when,
  type EndpointLike,
} from "@roboz/core";

import { scriptedGuard, scriptedModel } from "./scripted-models.ts";

const askNumber = tool({
  name: "ask_number",
  description: "Ask the user for an integer, until the reply is one.",
  input: Empty,
  output: [Int, Stop],
  // Somebody who gives the same number again is no loop.
  polls: true,
  run: async (_input, { io, signal }) => {
    try {
      for (;;) {
        const reply = await io.ask("An integer, please.", { signal });
        const number = Int.schema.safeParse({ value: reply?.value });
        if (number.success) return Int(number.data);
        await io.notify("That is no integer.");
      }
    } catch (error) {
      const isOver = CoreError.is(error) && error.code === "core/user-input-unavailable";
      if (!isOver) throw error;
      return Stop({ value: "No more numbers? Then that was it." });
    }
  },
});

const givePraise = tool({
  name: "give_praise",
  description: "Praise an odd number.",
  input: Int,
  output: Str,
  chainedTo: when(askNumber, ({ value }) => value % 2 !== 0),
  run: async ({ value }, { io }) => {
    await io.notify(`${value}: odd, and all the better for it.`);
    return Str({ value: `${value} was praised.` });
  },
});

/** Bound to the model that judges even numbers, which need not be the one that drives the agent. */
const escalate = factory<EndpointLike>()({
  name: "escalate",
  description: "Have an even number judged.",
  input: Int,
  output: [Str, Stop],
  chainedTo: when(askNumber, ({ value }) => value % 2 === 0),
  run: async ({ value }, { io, messages, signal }, endpoint) => {
    await io.notify(`${value}: even! That has to be judged.`);
    const question = `Somebody chose the number ${value}. Reply with one letter: y if that is acceptable, n if not.`;
    const verdict = await getCompletion({ endpoint, messages: [systemMessage(question)], signal });
    const isRefused = verdict.trim().toLowerCase().startsWith("n");
    const isFirst = filterMessages(messages, { caller: "escalate" }).length === 0;
    if (isRefused && !isFirst)
      return Stop({ value: "Refused again. That is enough even numbers for one day." });
    await io.notify(isRefused ? "Refused, but a first time is forgiven." : "Accepted.");
    return Str({ value: `${value} may pass.` }, { truncation: showOnce() });
  },
});

/**
 * An agent that asks for numbers: odd ones are praised, even ones are judged by a model of their own, and the second
 * refusal ends the run.
 *
 * @param endpoint - The model that drives the agent.
 * @param guard - The model that judges even numbers.
 */
export function numbersAgent(endpoint: EndpointLike, guard: EndpointLike): Agent {
  return new Agent({
    name: "numbers",
    description: "Asks for numbers, praises odd ones and has even ones judged.",
    systemPrompt: "Call `ask_number` again and again, whatever the numbers are; after ten numbers, stop.",
    endpoint,
    tools: [askNumber, givePraise, escalate(guard), stop],
  });
}

/** The agent on its scripted models, for commands that run or draw an exported agent. */
export const agent = numbersAgent(scriptedModel(), scriptedGuard());
