import { describe, expect, it } from "vitest";

import { Str } from "../values/builtin.ts";
import { askBob, finishTool, stopNow, traced } from "./__fixtures__/lunch.ts";

describe("otelSink, and content", () => {
  const tools = [askBob(() => Str({ value: "yes, says hunter2-is-secret" })), finishTool];
  const script = [{ action: "ask_bob", rationale: "Bob knows." }, stopNow];

  it("keeps out every message by default", async () => {
    const { agent, ended } = traced(script, tools);
    await agent.complete("A question.");
    const shown = JSON.stringify(ended().map(({ attributes, events }) => [attributes, events]));
    for (const text of ["Arrange lunch.", "A question.", "Bob knows.", "says"])
      expect(shown).not.toContain(text);
  });

  it("shows messages, arguments and results when it is asked to, masked and shortened", async () => {
    const { agent, ended, tree } = traced(script, tools, {
      sink: {
        captureContent: true,
        maxContentCharacters: 200,
        environment: { X_TOKEN: "hunter2-is-secret" },
      },
    });
    await agent.complete(`A question.${"!".repeat(300)}`);
    expect(tree()).toHaveLength(5);
    const [first, second] = ended().filter(({ name }) => name === "chat gpt-5");
    const bob = ended().find(({ name }) => name === "execute_tool ask_bob");
    const asked: unknown = JSON.parse(String(first?.attributes["gen_ai.input.messages"]));
    expect(asked).toMatchObject([{ role: "system" }, { role: "user", parts: [{ type: "text" }] }]);
    expect(JSON.stringify(asked)).toMatch(/Arrange lunch\..*A question\.!+… \(\d+ more characters\)/);
    const said: unknown = JSON.parse(String(first?.attributes["gen_ai.output.messages"]));
    expect(said).toMatchObject([{ role: "assistant", parts: [{ type: "text" }], finish_reason: "unknown" }]);
    const answer = bob?.attributes["gen_ai.tool.call.arguments"];
    expect(JSON.parse(String(answer))).toMatchObject({ action: "ask_bob", rationale: "Bob knows." });
    expect(said).toMatchObject([{ parts: [{ content: answer }] }]);
    expect(bob?.attributes["gen_ai.tool.call.result"]).toBe(
      '{"caller":"ask_bob","value":"yes, says [redacted]"}',
    );
    expect(second?.attributes["gen_ai.input.messages"]).toContain("says [redacted]");
    expect(JSON.stringify(ended().map(({ attributes }) => attributes))).not.toContain("hunter2");
  });
});
