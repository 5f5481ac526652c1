import { MockLLMEndpoint, Str } from "@roboz/core";
import { describe, expect, it } from "vitest";

import { recordedTerminal } from "../__fixtures__/recorded-terminal.ts";
import { main } from "../main.ts";
import { numbersAgent } from "./numbers.ts";
import { quotesAgent } from "./quotes.ts";

describe("the simple example", () => {
  it.each([0, 0.5, 0.999_999])("stops with one of its quotes (%d)", async (random) => {
    const { output, report } = await quotesAgent(() => random).complete();
    expect(output.value).toMatch(/^[A-Z].+\.$/);
    expect(report).toMatchObject({ llmCalls: 1, steps: 1 });
  });

  it("runs from the command line", async () => {
    const terminal = recordedTerminal();
    expect(await main(["example", "simple"], { terminal })).toBe(0);
    expect(terminal.printed.output).toContain("[user] get_quote\n");
  });
});

describe("the complex example", () => {
  async function answered(...lines: readonly string[]) {
    const terminal = recordedTerminal();
    terminal.input.end(lines.map((line) => `${line}\n`).join(""));
    const status = await main(["example", "complex"], { terminal });
    return { status, ...terminal.printed };
  }

  it("praises odd numbers, has even ones approved once, and stops at the second", async () => {
    const { status, output, errors } = await answered("3", "4", "5", "6");
    expect({ status, errors }).toEqual({ status: 0, errors: "" });
    const results = [...output.matchAll(/^\[user\] (?:praise|escalate)\n {2}(.*)$/gm)].map(
      ([, text]) => text,
    );
    expect(results).toEqual([
      "3 is odd, and a fine choice.",
      "The reviewer lets this one pass, once.",
      "5 is odd, and a fine choice.",
      "Two even numbers are too daring; that is enough.",
    ]);
    expect(output).toContain("model calls: 4, skipped: 5");
  });

  it.each(["x", "", " ", "1.5", "99999999999999999999"])("asks again for %j", async (line) => {
    const { output } = await answered(line, "2", "2");
    expect(output).toContain("That is no whole number.");
    expect(output).toContain("model calls: 2,");
  });

  it("takes the same odd number as often as it is given", async () => {
    const { status, output } = await answered(...Array.from({ length: 8 }, () => "7"), "2", "-2");
    expect(status).toBe(0);
    expect(output).toContain("model calls: 10,");
  });

  it("takes numbers of its own when nobody is there", async () => {
    const { status, output, errors } = await answered();
    expect({ status, errors }).toEqual({ status: 0, errors: "" });
    expect(output).toContain("Nobody is there to answer; the example takes 7.");
    expect(output).toContain("Two even numbers are too daring");
  });

  it("shows the approval to the model once", async () => {
    const numbers = ["4", "1", "1", "6"];
    const io = {
      isLive: true,
      notify: () => undefined,
      ask: () => Promise.resolve(Str({ value: numbers.shift() ?? "" })),
    };
    const endpoint = new MockLLMEndpoint(() => ({ action: "ask_number", rationale: "" }));
    await numbersAgent().copy({ endpoint }).complete(undefined, { io });
    const shown = endpoint.requests.map(({ messages }) =>
      messages.some(({ content }) => content.includes("lets this one pass")),
    );
    expect(shown).toEqual([false, true, false, false]);
  });
});
