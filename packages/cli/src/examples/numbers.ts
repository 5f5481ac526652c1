import {
  Agent,
  Empty,
  type EndpointLike,
  factory,
  filterMessages,
  getCompletion,
  Int,
  MockLLMEndpoint,
  showOnce,
  Stop,
  Str,
  systemMessage,
  tool,
  when,
} from "@roboz/core";

const askNumber = tool({
  name: "ask_number",
  description: "Ask the person for a whole number, until the reply is one.",
  input: Empty,
  output: Int,
  // The person may well give the same number again; that is no loop of the model's.
  polls: true,
  run: async (_input, { io, signal }) => {
    for (;;) {
      const reply = await io.ask("Give me a whole number:", { signal });
      const number = Number(reply?.value.trim() === "" ? Number.NaN : reply?.value);
      if (Number.isSafeInteger(number)) return Int({ value: number });
      await io.notify("That is no whole number.");
    }
  },
});

const praise = tool({
  name: "praise",
  description: "Praise an odd number.",
  input: Int,
  output: Str,
  chainedTo: when(askNumber, (number) => number.value % 2 !== 0),
  run: ({ value }) => Str({ value: `${value} is odd, and a fine choice.` }),
});

const escalate = factory<EndpointLike>()({
  name: "escalate",
  description: "Have an even number approved by a reviewer with a model of its own.",
  input: Int,
  output: [Stop, Str],
  chainedTo: when(askNumber, (number) => number.value % 2 === 0),
  run: async ({ value }, { messages, io, signal }, reviewer) => {
    await io.notify(`${value} is even; the reviewer has a look.`);
    const question = systemMessage(`The person chose ${value}. Is that too daring? Answer y or n.`);
    const verdict = await getCompletion({ endpoint: reviewer, messages: [question], signal });
    const isFirst = filterMessages(messages, { caller: "escalate" }).length === 0;
    if (verdict === "y" && !isFirst)
      return Stop({ value: "Two even numbers are too daring; that is enough." });
    // The model sees the warning once; after that it only costs tokens.
    return Str({ value: "The reviewer lets this one pass, once." }, { truncation: showOnce() });
  },
});

/** A fork on a condition, a factory with a model of its own, a message shown once, and a Stop from within a chain. */
export function numbersAgent(): Agent {
  const reviewer = new MockLLMEndpoint(() => "y", { modelName: "reviewer" });
  return new Agent({
    name: "numbers",
    description: "Asks for numbers until the second even one.",
    systemPrompt: "Call `ask_number`, whatever happens.",
    endpoint: new MockLLMEndpoint(() => ({ action: "ask_number", rationale: "Asking is all I do." })),
    tools: [askNumber, praise, escalate(reviewer)],
  });
}
