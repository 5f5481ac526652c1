import { Agent, Empty, Int, MockLLMEndpoint, Stop, tool, when } from "@roboz/core";

import { replyAt } from "./bare.ts";

const limits = { llmCalls: null, steps: null, repeats: null };

/** An agent whose model calls one tool at each of so many turns; `mark` is called at each. */
export function turningAgent(turns: number, mark: (turn: number) => void = () => undefined): Agent {
  const echo = tool({
    name: "echo",
    description: "Return the number.",
    input: Int,
    output: [Int, Stop],
    run: (number) => {
      mark(number.value);
      return number.value >= turns ? Stop({ value: "done" }) : Int({ value: number.value });
    },
  });
  let turn = 0;
  const endpoint = new MockLLMEndpoint(() => {
    turn += 1;
    return replyAt(turn);
  });
  return new Agent({
    name: "turning",
    mode: "autonomous",
    systemPrompt: "Count.",
    endpoint,
    tools: [echo],
    limits,
  });
}

/** A deterministic agent that counts up through a link under a condition. */
export function chainedAgent(steps: number): Agent {
  const start = tool({
    name: "start",
    description: "Start at 0.",
    input: Empty,
    output: Int,
    run: () => Int({ value: 0 }),
  });
  const count = tool({
    name: "count",
    description: "Count one up.",
    input: Int,
    output: Int,
    chainedTo: when(start, ({ value }) => value < steps),
    run: ({ value }) => Int({ value: value + 1 }),
  });
  const end = tool({
    name: "end",
    description: "End.",
    input: Int,
    output: Stop,
    chainedTo: when(count, ({ value }) => value >= steps),
    run: () => Stop(),
  });
  count.chain(when(count, ({ value }) => value < steps));
  return new Agent({
    name: "chained",
    mode: "deterministic",
    defaultTools: [start],
    tools: [count, end],
    limits,
  });
}
