import { describe, expect, it } from "vitest";

import { colourAgent } from "../agent/__fixtures__/colour-agent.ts";
import { Agent } from "../agent/agent.ts";
import { resumeRun } from "../agent/resume-run.ts";
import type { AgentSettings } from "../agent/settings.ts";
import { UserInputUnavailableError } from "../errors.ts";
import { LLMCallTimeoutError } from "../llm/errors.ts";
import { MockLLMEndpoint, MockProviderError, MockReply, type MockEntry } from "../llm/mock.ts";
import { memoryJournalStore } from "../runtime/journal/memory-store.ts";
import type { JournalStore } from "../runtime/journal/store.ts";
import { apiUserIo } from "../runtime/user-io.ts";
import { stop } from "../tools/builtin/stop.ts";
import { when } from "../tools/link.ts";
import { tool } from "../tools/tool.ts";
import { Empty, Int, Str, StrImage } from "../values/builtin.ts";
import { ReplayEndpoint } from "./replay-endpoint.ts";
import { replayRun } from "./replay-run.ts";

/** A store with a run of a bit of everything: defaults, chains, a failure, a question and its reply. */
async function colourRun(): Promise<JournalStore> {
  const store = memoryJournalStore();
  await colourAgent().invoke(undefined, { journal: store, runId: "r1" });
  await resumeRun(store, "r1", colourAgent(), { reply: "blue" });
  return store;
}

/** A store that holds these lines. */
function storeOf(lines: readonly string[]): JournalStore {
  return { ...memoryJournalStore(), read: () => Promise.resolve(lines) };
}

interface Parts extends Partial<AgentSettings> {
  readonly script?: readonly MockEntry[];
  readonly protocol?: "json" | "tools";
  readonly weigh?: (value: number) => number;
  readonly describe?: string;
}

/** Picks a number, weighs it by a chain, and stops. */
function scales({
  script = [],
  protocol = "json",
  weigh = (value) => value * 2,
  describe: description = "Pick.",
  ...settings
}: Parts = {}) {
  const pick = tool({
    name: "pick",
    description,
    input: Int,
    output: Int,
    run: ({ value }) => Int({ value }),
  });
  const scale = tool({
    name: "scale",
    description: "Weigh.",
    input: Int,
    output: Str,
    chainedTo: when(pick, () => true),
    run: ({ value }) => Str({ value: `${weigh(value)} g` }),
  });
  return new Agent({
    name: "scales",
    mode: "autonomous",
    systemPrompt: "Weigh.",
    endpoint: new MockLLMEndpoint(script, { protocol }),
    tools: [pick, scale, stop],
    ...settings,
  });
}

const picks = (value: number) => ({ action: "pick", rationale: `Pick ${value}.`, value });
const stops = { action: "stop", rationale: "Done.", value: "weighed" };
const twoPicks = [picks(1), picks(2), stops];

async function record(agent: Agent, input?: string): Promise<JournalStore> {
  const store = memoryJournalStore();
  await agent.invoke(input, { journal: store, runId: "r1" }).catch(() => undefined);
  return store;
}

describe("replayRun", () => {
  it("goes through a run of everything again, replies taken from the record", async () => {
    const store = await colourRun();
    const before = await store.read("r1");
    const { steps, llmCalls, result } = await replayRun(store, "r1", colourAgent());
    expect({ steps, llmCalls }).toEqual({ steps: 28, llmCalls: 7 });
    expect(result).toMatchObject({ status: "completed", output: { value: "done" } });
    expect(await store.read("r1")).toEqual(before);
  });

  it("goes as far as the record of a run that was cut off", async () => {
    const lines = (await (await colourRun()).read("r1")) ?? [];
    let steps = 0;
    for (let length = 1; length <= lines.length; length += 1) {
      if (lines[length - 1]?.includes('"type":"step"') === true) steps += 1;
      const replay = await replayRun(storeOf(lines.slice(0, length)), "r1", colourAgent());
      expect(replay.steps).toBe(steps);
    }
  });

  it.each([
    { why: "the JSON protocol", parts: { script: twoPicks } },
    { why: "native tools", parts: { script: twoPicks, protocol: "tools" as const } },
    {
      why: "several native calls in one reply",
      parts: { script: [[picks(1), picks(2)], stops], protocol: "tools" as const },
    },
    {
      why: "replies that had to be mended",
      parts: { script: ["no JSON", { action: "nope", rationale: "" }, ...twoPicks] },
    },
    {
      why: "native calls that had to be mended",
      parts: {
        script: [new MockReply("", { toolCalls: [{ id: "1", name: "pick", arguments: "{" }] }), ...twoPicks],
        protocol: "tools" as const,
      },
    },
    { why: "a reply that says nothing", parts: { script: ["", stops] } },
  ])("asks no model ($why)", async ({ parts }) => {
    const store = await record(scales(parts), "Weigh two.");
    const { result, llmCalls } = await replayRun(store, "r1", scales({ ...parts, script: [] }));
    expect(result).toMatchObject({ status: "completed", output: { value: "weighed" } });
    expect(llmCalls).toBe(parts.script.length);
  });

  it("gives the recorded tokens", async () => {
    const script = [new MockReply(stops, { tokenInput: 11, tokenOutput: 7 })];
    const store = await record(scales({ script }));
    const { result } = await replayRun(store, "r1", scales());
    expect(result?.report).toMatchObject({ tokensIn: 11, tokensOut: 7 });
    expect(result?.messages.at(-2)).toMatchObject({ role: "assistant", tokenInput: 11 });
  });

  it.each([
    { why: "a refused key", error: new MockProviderError("no", { statusCode: 401 }) },
    { why: "a provider that is away", error: new MockProviderError("no", { statusCode: 503 }) },
    { why: "an error nobody knows", error: new Error("secret sauce") },
    {
      why: "an error whose code is the name of something else",
      error: Object.assign(new Error("secret sauce"), { code: "constructor" }),
    },
    {
      why: "a call that took too long",
      error: () => {
        throw new LLMCallTimeoutError({ timeoutMs: 5 });
      },
    },
    {
      why: "no error at all",
      error: () => {
        // eslint-disable-next-line @typescript-eslint/only-throw-error -- what untyped code may do
        throw "secret sauce";
      },
    },
  ])("fails as the run did, without the provider's words ($why)", async ({ error }) => {
    const store = await record(scales({ script: [picks(1), error] }));
    const lines = (await store.read("r1")) ?? [];
    expect(lines.join("")).not.toContain("secret sauce");
    expect(await replayRun(store, "r1", scales())).toMatchObject({ steps: 3, llmCalls: 2, result: null });
  });

  it.each([
    { why: "a text", answer: Str({ value: "blue" }), seen: "blue" },
    {
      why: "a picture",
      answer: StrImage({ value: "like this", images: [{ url: "https://example.com/blue.png" }] }),
      seen: "like this",
    },
    { why: "nothing in time", answer: null, seen: "" },
  ])("answers for the user as they did: $why", async ({ answer, seen }) => {
    const ask = { action: "prompt_user", rationale: "", value: "Which colour?" };
    const asking = (script: readonly MockEntry[]) => scales({ mode: "steerable", script });
    const store = memoryJournalStore();
    const io = apiUserIo({ requestInput: () => Promise.resolve(answer), notify: () => undefined });
    const { messages } = await asking([ask, stops]).complete(undefined, { journal: store, runId: "r1", io });
    const { result } = await replayRun(store, "r1", asking([]));
    expect(result?.messages).toEqual(messages);
    expect(messages.some(({ content }) => content.includes(seen))).toBe(true);
  });

  it("refuses a question that nobody could be asked, though the channel had seemed live", async () => {
    const ask = { action: "prompt_user", rationale: "", value: "Which colour?" };
    const asking = (script: readonly MockEntry[]) => scales({ mode: "steerable", script });
    const store = memoryJournalStore();
    const io = apiUserIo({
      requestInput: () => Promise.reject(new UserInputUnavailableError("The input has ended")),
      notify: () => undefined,
    });
    await asking([ask, stops]).complete(undefined, { journal: store, runId: "r1", io });
    const { result } = await replayRun(store, "r1", asking([]));
    expect(result?.messages.some(({ content }) => content.includes("The input has ended"))).toBe(true);
  });

  it("waits again where the channel was found to be at its end", async () => {
    const ask = { action: "prompt_user", rationale: "", value: "Which colour?" };
    const asking = (script: readonly MockEntry[]) => scales({ mode: "steerable", script });
    const store = memoryJournalStore();
    let isLive = true;
    const requestInput = (): Promise<never> => {
      isLive = false;
      return Promise.reject(new UserInputUnavailableError("The input has ended"));
    };
    const adapter = Object.defineProperty({ requestInput, notify: () => undefined }, "isLive", {
      get: () => isLive,
    });
    const agent = asking([ask, stops]);
    await agent.invoke(undefined, { journal: store, runId: "r1", io: apiUserIo(adapter) });
    await resumeRun(store, "r1", agent, { reply: "blue" });
    expect(await replayRun(store, "r1", asking([]))).toMatchObject({ result: { status: "completed" } });
  });

  it("gives the results of effects that were done once, and does none", async () => {
    let done = 0;
    const charging = (keys: readonly string[], script: readonly MockEntry[]) => {
      const charge = tool({
        name: "charge",
        description: "Charge.",
        input: Empty,
        output: Str,
        run: async (_input, { once }) => {
          const receipts: string[] = [];
          for (const key of keys) receipts.push(await once(key, () => `receipt ${(done += 1)}`));
          return Str({ value: receipts.join() });
        },
      });
      return scales({ script, tools: [charge, stop] });
    };
    const store = await record(charging(["card"], [{ action: "charge", rationale: "" }, stops]));
    expect(done).toBe(1);
    await replayRun(store, "r1", charging(["card"], []));
    await expect(replayRun(store, "r1", charging(["card", "again"], []))).rejects.toMatchObject({
      code: "core/replay-diverged",
      step: 2,
      difference: { kind: "effect", what: "the effect `again`, which the record has no result of" },
    });
    expect(done).toBe(1);
  });

  it("goes on from where a fork began", async () => {
    const store = await record(scales({ script: twoPicks }));
    const run = scales({ script: twoPicks }).start();
    for (const _ of [1, 2, 3]) await run.step();
    const fork = scales({ script: [picks(3), stops] });
    await fork.resume(run.snapshot(), undefined, { journal: store, runId: "r2" });
    expect(await replayRun(store, "r2", scales())).toMatchObject({
      llmCalls: 2,
      result: { status: "completed" },
    });
  });

  it.each([
    {
      why: "another prompt",
      today: { systemPrompt: "Weigh well." },
      step: 1,
      difference: { kind: "request", what: "message 1 of the request" },
    },
    {
      why: "what a tool returns",
      today: { weigh: (value: number) => value * 3 },
      step: 3,
      difference: {
        kind: "message",
        what: "a message, of `scale`",
        recorded: '[user] {"caller":"scale","value":"2 g"}',
        today: '[user] {"caller":"scale","value":"3 g"}',
      },
    },
    {
      why: "a condition, by which a chain ends earlier",
      today: {
        weigh: () => {
          throw new Error("broken");
        },
      },
      step: 3,
      difference: { kind: "message" },
    },
  ])("says at which step and how today differs ($why)", async ({ today, step, difference }) => {
    const store = await record(scales({ script: twoPicks }), "Go.");
    await expect(replayRun(store, "r1", scales(today))).rejects.toMatchObject({
      code: "core/replay-diverged",
      runId: "r1",
      step,
      difference,
    });
  });

  it("tells a native tool that is offered otherwise", async () => {
    const store = await record(scales({ script: twoPicks, protocol: "tools" }));
    const today = scales({ describe: "Pick well." });
    await expect(replayRun(store, "r1", today)).rejects.toMatchObject({
      step: 1,
      difference: { kind: "tools", what: "the tool `pick`, as the model is offered it" },
    });
  });

  it("tells that the run ends otherwise", async () => {
    const store = await record(scales({ script: twoPicks, limits: { llmCalls: 2 } }));
    await replayRun(store, "r1", scales({ limits: { llmCalls: 2 } }));
    await expect(replayRun(store, "r1", scales())).rejects.toMatchObject({ difference: { kind: "end" } });
    await expect(replayRun(store, "r1", scales({ limits: { llmCalls: 1 } }))).rejects.toMatchObject({
      code: "core/limit-reached",
    });
  });

  it("lets differences pass that are meant to be", async () => {
    const store = await record(scales({ script: twoPicks }));
    const today = scales({ weigh: (value) => value * 2.5 });
    const isSame = (recorded: { readonly content: string }): boolean => recorded.content.includes(" g");
    expect(await replayRun(store, "r1", today, { isSame })).toMatchObject({
      result: { status: "completed" },
    });
  });

  it("refuses another agent, and a run that is not there", async () => {
    const store = await record(scales({ script: twoPicks }));
    await expect(replayRun(store, "r1", colourAgent())).rejects.toMatchObject({ code: "core/snapshot" });
    await expect(replayRun(store, "nope", scales())).rejects.toMatchObject({ code: "core/unknown-run" });
  });
});

describe("ReplayEndpoint", () => {
  it("answers an agent that its owner runs", async () => {
    const store = await record(scales({ script: twoPicks }), "Go.");
    const endpoint = await ReplayEndpoint.fromRun(store, "r1");
    const { output } = await scales({ endpoint }).complete("Go.");
    expect(output.value).toBe("weighed");
    expect(() => {
      endpoint.assertUsedUp();
    }).not.toThrow();
  });

  it("says how today's request differs, and that calls are left", async () => {
    const store = await record(scales({ script: twoPicks }), "Go.");
    const endpoint = await ReplayEndpoint.fromRun(store, "r1");
    await expect(scales({ endpoint }).complete("Go now.")).rejects.toMatchObject({
      code: "core/replay-diverged",
      step: 1,
      difference: { what: "message 2 of the request", recorded: "[user] Go.", today: "[user] Go now." },
    });
    expect(() => {
      endpoint.assertUsedUp();
    }).toThrow(expect.objectContaining({ code: "core/mock-script" }));
  });

  it("says that the model is asked once more", async () => {
    const store = await record(scales({ script: [stops] }), "Go.");
    const endpoint = await ReplayEndpoint.fromRun(store, "r1");
    await scales({ endpoint }).complete("Go.");
    await expect(scales({ endpoint }).complete("Go.")).rejects.toMatchObject({ difference: { kind: "end" } });
  });

  it("quotes a long message only around the difference", async () => {
    const long = "x".repeat(10_000);
    const store = await record(scales({ script: [stops] }), `${long} one ${long}`);
    const endpoint = await ReplayEndpoint.fromRun(store, "r1");
    const failed: unknown = await scales({ endpoint })
      .complete(`${long} two ${long}`)
      .catch((error: unknown) => error);
    expect(String(failed)).toMatch(/recorded: …x+ one x+…; today: …x+ two x+…$/);
    expect(String(failed).length).toBeLessThan(700);
  });
});
