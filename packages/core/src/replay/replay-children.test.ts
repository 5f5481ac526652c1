import { describe, expect, it } from "vitest";

import { call, never } from "../agent/__fixtures__/runs.ts";
import {
  Agent,
  apiUserIo,
  asTool,
  BackgroundAgent,
  Empty,
  memoryJournalStore,
  MockLLMEndpoint,
  MockProviderError,
  replayRun,
  resumeRun,
  Stop,
  stop,
  Str,
  Suspend,
  tool,
  type AgentSettings,
  type AnyTool,
  type JournalStore,
  type MockEntry,
} from "../index.ts";

interface Parts extends Partial<AgentSettings> {
  readonly script?: readonly MockEntry[];
  readonly protocol?: "json" | "tools";
}

function modelled(name: string, { script = [], protocol = "json", ...settings }: Parts = {}): Agent {
  return new Agent({
    name,
    mode: "autonomous",
    systemPrompt: `You are ${name}.`,
    endpoint: new MockLLMEndpoint(script, { protocol }),
    tools: [stop],
    ...settings,
  });
}

const done = call("stop", { value: "done" });
const callsChild = [call("child", { value: "Go." }), done];

/** An agent that calls another; without a script, neither has a model that answers. */
function callerOf(child: Agent, script: readonly MockEntry[] = []): Agent {
  return modelled("caller", { script, tools: [asTool(child, { name: "child" }), stop] });
}

async function recorded(agent: Agent): Promise<JournalStore> {
  const store = memoryJournalStore();
  await agent.invoke(undefined, { journal: store, runId: "r" }).catch(() => undefined);
  return store;
}

function shout(run: (text: string) => string = (text) => text.toUpperCase()): AnyTool {
  const input = Str;
  return tool({
    name: "shout",
    description: "Say it louder.",
    input,
    output: Str,
    run: ({ value }) => Str({ value: run(value) }),
  });
}

const shouts = call("shout", { value: "hey" });

describe("replayRun, for agents that are tools", () => {
  it.each([{ protocol: "json" as const }, { protocol: "tools" as const }])(
    "asks none of their models ($protocol)",
    async ({ protocol }) => {
      const team = (scripts: readonly (readonly MockEntry[])[]) => {
        const [top = [], middle = [], low = []] = scripts;
        const specialist = modelled("specialist", { script: low, protocol, tools: [shout(), stop] });
        const child = modelled("child", {
          script: middle,
          tools: [asTool(specialist, { name: "child" }), stop],
        });
        return callerOf(child, top);
      };
      const store = await recorded(team([callsChild, callsChild, [shouts, done]]));
      expect(await replayRun(store, "r", team([]))).toMatchObject({
        childRuns: 2,
        llmCalls: 6,
        result: { status: "completed", report: { llmCalls: 6 } },
      });
    },
  );

  it.each([
    {
      why: "another prompt",
      today: { systemPrompt: "You are new." },
      step: 1,
      difference: { kind: "request", what: "message 1 of the request" },
    },
    {
      why: "what a tool of theirs returns",
      today: { tools: [shout((text) => `${text}!`), stop] },
      step: 2,
      difference: { kind: "message", today: '[user] {"caller":"shout","value":"hey!"}' },
    },
  ])("says at which step of which run they differ, whoever is shown the failure ($why)", async (row) => {
    const child = (parts: Parts) => modelled("child", { tools: [shout(), stop], ...parts });
    const store = await recorded(callerOf(child({ script: [shouts, done] }), callsChild));
    await expect(replayRun(store, "r", callerOf(child(row.today)))).rejects.toMatchObject({
      code: "core/replay-diverged",
      runId: "r.1",
      step: row.step,
      difference: row.difference,
    });
  });

  it("fails as they did", async () => {
    const failing = modelled("child", { script: [new MockProviderError("no", { statusCode: 401 })] });
    const store = await recorded(callerOf(failing, callsChild));
    expect(await replayRun(store, "r", callerOf(modelled("child")))).toMatchObject({
      childRuns: 1,
      llmCalls: 2,
      result: null,
    });
  });

  it.each([
    {
      why: "fails where it had not",
      then: shout(),
      today: shout(() => {
        throw new TypeError("broken");
      }),
      difference: { kind: "end", recorded: "2 steps", today: "failed after 0" },
    },
    {
      why: "fails otherwise",
      then: shout(() => {
        throw new RangeError("too far");
      }),
      today: shout(() => {
        throw new TypeError("broken");
      }),
      difference: { kind: "end", recorded: "failed: RangeError", today: "failed: TypeError" },
    },
    {
      why: "goes on where it had failed",
      then: shout(() => {
        throw new RangeError("too far");
      }),
      today: shout(),
      difference: { kind: "end", today: "one more step" },
    },
  ])("tells that one ends otherwise: it $why", async ({ then, today, difference }) => {
    const child = (tools: readonly AnyTool[]) =>
      new Agent({ name: "child", mode: "deterministic", defaultTools: [...tools, ender()] });
    const store = await recorded(callerOf(child([then]), callsChild));
    await expect(replayRun(store, "r", callerOf(child([today])))).rejects.toMatchObject({
      code: "core/replay-diverged",
      runId: "r.1",
      difference,
    });
  });

  it("does none of their effects again, and no new ones", async () => {
    let times = 0;
    const charging = (keys: readonly string[], script: readonly MockEntry[] = []) => {
      const charge = tool({
        name: "charge",
        description: "Charge.",
        input: Empty,
        output: Str,
        run: async (_input, { once }) => {
          const receipts: string[] = [];
          for (const key of keys) receipts.push(await once(key, () => `receipt ${(times += 1)}`));
          return Str({ value: receipts.join() });
        },
      });
      return modelled("child", { script, tools: [charge, stop] });
    };
    const store = await recorded(callerOf(charging(["card"], [call("charge"), done]), callsChild));
    await replayRun(store, "r", callerOf(charging(["card"])));
    await expect(replayRun(store, "r", callerOf(charging(["card", "again"])))).rejects.toMatchObject({
      runId: "r.1",
      difference: { kind: "effect" },
    });
    expect(times).toBe(1);
  });

  it("answers what they asked the user", async () => {
    const child = (script: readonly MockEntry[]) => modelled("child", { mode: "steerable", script });
    const asks = call("prompt_user", { value: "Which colour?" });
    const io = apiUserIo({
      requestInput: () => Promise.resolve(Str({ value: "blue" })),
      notify: () => undefined,
    });
    const store = memoryJournalStore();
    const caller = callerOf(child([asks, done]), callsChild);
    await caller.complete(undefined, { journal: store, runId: "r", io });
    expect(await replayRun(store, "r", callerOf(child([])))).toMatchObject({ childRuns: 1, llmCalls: 4 });
  });

  it.each([
    { why: "in the same journal", begun: true },
    { why: "in a journal that begins with the reply", begun: false },
  ])("goes on with one that waited, its effects done ($why)", async ({ begun }) => {
    let times = 0;
    const book = tool({
      name: "book",
      description: "Book a table once somebody approves.",
      input: Empty,
      output: [Str, Suspend],
      suspends: { request: Str.schema, reply: Str },
      run: async (_input, { once }) => {
        await once("hold", () => (times += 1));
        return Suspend({ request: { value: "May I?" } });
      },
    });
    const child = (script: readonly MockEntry[] = []) => modelled("child", { script, tools: [book, stop] });
    const caller = callerOf(child([call("book"), done]), callsChild);
    const store = memoryJournalStore();
    if (begun) {
      await caller.invoke(undefined, { journal: store, runId: "r" });
      await resumeRun(store, "r", caller, { reply: "Yes." });
    } else {
      const waiting = await caller.invoke(undefined, { runId: "r" });
      if (waiting.status !== "suspended") throw new Error(waiting.status);
      await caller.resume(waiting.snapshot, "Yes.", { journal: store });
    }
    const { result } = await replayRun(store, "r", callerOf(child()));
    expect(result).toMatchObject({ status: "completed", output: { value: "done" } });
    expect(times).toBe(1);
  });

  it("does not call one that the record has no run of", async () => {
    const store = await recorded(callerOf(modelled("child", { script: [done] }), callsChild));
    const lines = (await store.read("r")) ?? [];
    const alone: JournalStore = {
      ...memoryJournalStore(),
      read: (runId) => Promise.resolve(runId === "r" ? lines : undefined),
    };
    await expect(replayRun(alone, "r", callerOf(modelled("child")))).rejects.toMatchObject({
      code: "core/replay-diverged",
      runId: "r",
      step: 2,
      difference: { kind: "child", what: "the call of the agent `child`, as the run `r.1`" },
    });
  });

  it("can be stopped while one is at work", async () => {
    const child = (run: () => Promise<Str>) =>
      modelled("child", {
        script: [call("wait"), done],
        tools: [tool({ name: "wait", description: "Wait.", input: Empty, output: Str, run }), stop],
      });
    const store = await recorded(
      callerOf(
        child(() => Promise.resolve(Str({ value: "" }))),
        callsChild,
      ),
    );
    const controller = new AbortController();
    const today = callerOf(
      child(() => {
        controller.abort(new Error("enough"));
        return never();
      }),
    );
    await expect(replayRun(store, "r", today, { signal: controller.signal })).rejects.toThrow("enough");
  });
});

describe("replayRun, for background agents", () => {
  it("starts none, and says what the checks found", async () => {
    let starts = 0;
    const make = (script: readonly MockEntry[]) => {
      const worker = new Agent({
        name: "worker",
        mode: "deterministic",
        defaultTools: [
          tool({
            name: "work",
            description: "Work.",
            input: Empty,
            output: Str,
            run: () => {
              starts += 1;
              return never();
            },
          }),
          ender(),
        ],
      });
      const background = new BackgroundAgent(worker);
      return { background, agent: modelled("caller", { script, defaultTools: [background.asTool()] }) };
    };
    const then = make([call("nothing"), done]);
    const store = await recorded(then.agent);
    await then.background.stop();
    expect(starts).toBe(1);
    const today = make([]);
    expect(await replayRun(store, "r", today.agent)).toMatchObject({ result: { status: "completed" } });
    expect({ starts, isRunning: today.background.isRunning }).toEqual({ starts: 1, isRunning: false });
  });
});

describe("replayRun, for a run that was cut off before it asked its model", () => {
  it("takes the protocol of today's agent", async () => {
    const controller = new AbortController();
    const first = tool({
      name: "first",
      description: "Come first.",
      input: Empty,
      output: Empty,
      run: () => {
        controller.abort();
        return Empty();
      },
    });
    const agent = (protocol: "json" | "tools") => modelled("lone", { protocol, defaultTools: [first] });
    const store = memoryJournalStore();
    await agent("tools").invoke(undefined, { journal: store, runId: "r", signal: controller.signal });
    expect(await replayRun(store, "r", agent("tools"))).toMatchObject({ llmCalls: 0, result: null });
  });
});

function ender(): AnyTool {
  return tool({
    name: "end",
    description: "End.",
    input: Empty,
    output: Stop,
    run: () => Stop({ value: "ended" }),
  });
}
