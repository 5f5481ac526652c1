import { Agent, Empty, Int, Stop, tool, type AnyTool, type OnceOptions, type ToolContext } from "@roboz/core";

/** Something outside of a run that entries are added to. */
export interface Ledger {
  readonly post: (idempotencyKey: string) => void;
  readonly has: (idempotencyKey: string) => boolean;
}

/** What is done when nobody knows whether an entry was posted. */
export type Uncertainty = "repeat" | "report" | "verify";

const length = 10;

/** The keys under which a run posts, in order. */
export function keysOf(runId: string): readonly string[] {
  return Array.from({ length }, (_, index) => `${runId}:post-${index + 1}`);
}

/** Ten tools in a chain, each of which posts one entry, once. */
export function ledgerAgent(ledger: Ledger, uncertainty: Uncertainty): Agent {
  const options: OnceOptions<number> =
    uncertainty === "repeat"
      ? { onUncertain: "repeat" }
      : uncertainty === "verify"
        ? { verify: (key) => (ledger.has(key) ? numberOf(key) : undefined) }
        : {};
  const post = (once: ToolContext["once"], index: number): Promise<number> =>
    once(
      `post-${index}`,
      (key) => {
        ledger.post(key);
        return numberOf(key);
      },
      options,
    );
  const first = tool({
    name: "post_1",
    description: "Posts the first entry.",
    input: Empty,
    output: Int,
    run: async (_input, { once }) => Int({ value: await post(once, 1) }),
  });
  const chain: AnyTool[] = [];
  for (let index = 2; index < length; index += 1) {
    chain.push(
      tool({
        name: `post_${index}`,
        description: "Posts an entry.",
        input: Int,
        output: Int,
        chainedTo: chain.at(-1) ?? first,
        run: async ({ value }, { once }) => Int({ value: value + (await post(once, index)) }),
      }),
    );
  }
  const last = tool({
    name: `post_${length}`,
    description: "Posts the last entry, and ends.",
    input: Int,
    output: Stop,
    chainedTo: chain.at(-1) ?? first,
    run: async ({ value }, { once }) => Stop({ value: `posted ${value + (await post(once, length))}` }),
  });
  return new Agent({ name: "ledger", mode: "deterministic", defaultTools: [first], tools: [...chain, last] });
}

function numberOf(key: string): number {
  return Number(key.split("-").at(-1));
}
