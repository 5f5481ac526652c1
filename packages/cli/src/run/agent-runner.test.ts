import { Agent, type AgentMode, Empty, type MockEntry, MockLLMEndpoint, Stop, stop, tool } from "@roboz/core";
import { describe, expect, it } from "vitest";

import { recordedTerminal } from "../__fixtures__/recorded-terminal.ts";
import { runInTerminal, type RunnerOptions } from "./agent-runner.ts";
import { InterruptedError } from "../errors.ts";
import { Interrupts } from "../interrupts.ts";

const wait = tool({
  name: "wait",
  description: "Waits until the run is given up.",
  input: Empty,
  output: Stop,
  run: (_input, context) =>
    new Promise((_resolve, reject) => {
      context.emit({ type: "script-output", content: "waiting\n" });
      context.signal.addEventListener("abort", () => {
        reject(new Error("given up"));
      });
    }),
});

function agentOf(script: readonly MockEntry[], mode: AgentMode = "steerable"): Agent {
  return new Agent({
    name: "example",
    mode,
    systemPrompt: "Do it.",
    endpoint: new MockLLMEndpoint(script),
    tools: [wait, stop],
  });
}

const stops = { action: "stop", rationale: "Done.", value: "the answer" };
const asks = { action: "prompt_user", rationale: "", value: "Which colour?" };
const waits = { action: "wait", rationale: "" };

/** A reply that does not come before the call is given up. */
const never = (): Promise<string> => new Promise(() => undefined);

/** Runs an agent; `typed` is what the person types, `keys` presses Ctrl-C each time the text was printed. */
async function run(
  agent: Agent,
  { typed, keys = [], ...options }: RunnerOptions & { typed?: string; keys?: readonly string[] } = {},
) {
  const terminal = recordedTerminal();
  const interrupts = new Interrupts();
  if (typed === undefined) terminal.input.end();
  else terminal.input.write(typed);
  const waiting = [...keys];
  const write = terminal.output.write.bind(terminal.output);
  terminal.output.write = (text) => {
    write(text);
    if (waiting[0] === undefined || !text.includes(waiting[0])) return;
    waiting.shift();
    // Not from within the event that prints: a key comes from outside.
    setImmediate(() => {
      interrupts.fire(new InterruptedError());
    });
  };
  const error: unknown = await runInTerminal(agent, { terminal, interrupts }, options).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { ...terminal.printed, error, isEnded: interrupts.signal.aborted };
}

describe("a run in the terminal", () => {
  it("shows what happens, and what it took", async () => {
    const { output, error } = await run(agentOf([stops]), { input: "Go." });
    expect(error).toBeUndefined();
    expect(output).toContain("[user]\n  Go.\n");
    expect(output).toContain("[assistant] stop (Done.)");
    expect(output).toContain("example stopped: completed");
    expect(output).toMatch(/\nmodel calls: 1, skipped: 0, tools run: 1, tokens: \d+ in, \d+ out\n$/);
    expect(output).not.toContain("[system]");
  });

  it("prints nothing but the result as JSON", async () => {
    const { output, errors, error } = await run(agentOf([asks, stops]), { json: true, typed: "blue\n" });
    expect(error).toBeUndefined();
    expect(JSON.parse(output)).toMatchObject({
      status: "completed",
      output: { value: "the answer" },
      report: { llmCalls: 2 },
    });
    expect(errors).toContain("Which colour?");
  });

  it("lets the person at the input answer", async () => {
    const { output, error } = await run(agentOf([asks, stops]), { typed: "blue\n" });
    expect(error).toBeUndefined();
    expect(output).toContain("Which colour?\n> blue\n");
  });

  it("reports a suspended run with its question", async () => {
    const io = () => ({
      isLive: false,
      ask: () => Promise.reject(new Error("nobody")),
      notify: () => undefined,
    });
    const { output, error } = await run(agentOf([asks]), { io });
    expect(output).toContain("example stopped: suspended");
    expect(error).toMatchObject({
      code: "cli/suspended",
      toolName: "prompt_user",
      message: "the run waits for a reply to `prompt_user`: Which colour?",
    });
  });

  it("prints a suspended run as JSON, with what it takes to go on", async () => {
    const io = () => ({
      isLive: false,
      ask: () => Promise.reject(new Error("nobody")),
      notify: () => undefined,
    });
    const { output, error } = await run(agentOf([asks]), { io, json: true });
    expect(JSON.parse(output)).toMatchObject({ status: "suspended", toolName: "prompt_user", snapshot: {} });
    expect(error).toMatchObject({ code: "cli/suspended" });
  });

  it("passes on what failed the run", async () => {
    const { error } = await run(agentOf([], "autonomous"));
    expect(error).toMatchObject({ code: "core/llm-unknown-provider" });
  });
});

describe("Ctrl-C", () => {
  it("ends the model call first, asks how to go on, and goes on", async () => {
    const { output, error, isEnded } = await run(agentOf([never, stops]), {
      typed: "try again\n",
      keys: ["example started"],
    });
    expect(error).toBeUndefined();
    expect(isEnded).toBe(false);
    expect(output).toMatch(/Interrupted[^\n]*\n> try again\n/);
    expect(output).toContain("example stopped: completed");
  });

  it("ends the run when it is pressed again at the question", async () => {
    const { output, error } = await run(agentOf([never]), {
      typed: "",
      keys: ["example started", "Interrupted"],
    });
    expect(error).toMatchObject({ code: "cli/run-ended", cause: { code: "cli/interrupted" } });
    expect(output).toContain("example stopped: cancelled");
  });

  it("ends the run when no model call is under way", async () => {
    const { output, error, isEnded } = await run(agentOf([waits]), { keys: ["waiting"] });
    expect(error).toMatchObject({ code: "cli/run-ended" });
    expect(isEnded).toBe(true);
    expect(output).toContain("example stopped: cancelled");
  });

  it.each([
    { why: "an autonomous agent, which asks nobody", mode: "autonomous" as const },
    { why: "an agent whose person is not there", mode: "steerable" as const },
  ])("ends the run of $why", async ({ mode }) => {
    const { error } = await run(agentOf([never], mode), { keys: ["example started"] });
    expect(error).toBeInstanceOf(InterruptedError);
  });

  it("says in the JSON why a run was cancelled", async () => {
    const terminal = recordedTerminal();
    const interrupts = new Interrupts();
    const running = runInTerminal(agentOf([waits]), { terminal, interrupts }, { json: true });
    interrupts.end(new InterruptedError());
    await expect(running).rejects.toMatchObject({ code: "cli/run-ended" });
    expect(JSON.parse(terminal.printed.output)).toMatchObject({
      status: "cancelled",
      reason: { name: "InterruptedError", message: "cancelled" },
    });
  });
});
