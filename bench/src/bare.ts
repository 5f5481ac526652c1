import * as z from "zod";

const call = z.strictObject({ action: z.string(), rationale: z.string(), value: z.int() });

/** The model's reply at one turn, as every contender gets it. */
export function replyAt(turn: number): string {
  return JSON.stringify({ action: "echo", rationale: "The next number.", value: turn });
}

/** The least an agent does: parse the reply, check the arguments, call, keep both messages. */
export async function bareTurns(turns: number): Promise<number> {
  const messages: { readonly role: string; readonly content: string }[] = [];
  for (let turn = 1; turn <= turns; turn += 1) {
    const reply = await Promise.resolve(replyAt(turn));
    const { value } = call.parse(JSON.parse(reply));
    messages.push(
      { role: "assistant", content: reply },
      { role: "user", content: JSON.stringify({ caller: "echo", value }) },
    );
  }
  return messages.length;
}

const step = z.strictObject({ value: z.int() });

/** The least a chain does: check the value, test a condition, call, keep the message. */
export async function bareChain(steps: number): Promise<number> {
  const messages: { readonly role: string; readonly content: string }[] = [];
  let current = { value: 0 };
  while (current.value < steps) {
    current = await Promise.resolve(step.parse({ value: current.value + 1 }));
    messages.push({ role: "user", content: JSON.stringify({ caller: "count", ...current }) });
  }
  return messages.length;
}
