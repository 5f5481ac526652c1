import { describe, expect, it } from "vitest";

import {
  Agent,
  BackgroundAgent,
  BackgroundStatus,
  Empty,
  memoryJournalStore,
  promptUserAtStart,
  Stop,
  stop,
  Str,
  type JournalHandle,
  type RunEvent,
} from "../index.ts";
import { deferred, failureOf, looseTool, never } from "./__fixtures__/runs.ts";

interface Work {
  readonly agent: Agent;
  readonly events: readonly RunEvent[];
}

/** A deterministic agent that does one thing over and over. */
function working(run: (input: unknown, context: { readonly signal: AbortSignal }) => unknown): Work {
  const events: RunEvent[] = [];
  const agent = new Agent({
    name: "worker",
    mode: "deterministic",
    defaultTools: [looseTool({ name: "work", input: Empty, output: [Str, Stop], run })],
    sinks: [(event) => events.push(event)],
  });
  return { agent, events };
}

/** A clock that stands still until it is set, and whose timers go off by hand. */
function handClock() {
  const timers = new Set<() => void>();
  const clock = {
    ms: 0,
    now: () => clock.ms,
    after: (_ms: number, then: () => void) => {
      timers.add(then);
      return () => timers.delete(then);
    },
    goOff: () => {
      for (const then of timers) then();
    },
  };
  return clock;
}

describe("a background agent", () => {
  it("is started by the first check, and alive at the next", async () => {
    const clock = handClock();
    const background = new BackgroundAgent(working(never).agent, { clock });
    expect(background.isRunning).toBe(false);
    expect(await background.check()).toMatchObject({
      status: "started",
      agent: "worker",
      checks: 1,
      uptime: "0s",
    });
    clock.ms = 42_900;
    expect(await background.check()).toMatchObject({ status: "alive", checks: 2, uptime: "42s" });
    expect(background.isRunning).toBe(true);
    await background.stop();
  });

  it.each([
    { ms: 187_000, uptime: "3m07s" },
    { ms: 7_500_000, uptime: "2h05m" },
    { ms: 360_000_000, uptime: "100h00m" },
  ])("says an uptime of $ms ms as $uptime", async ({ ms, uptime }) => {
    const clock = handClock();
    const background = new BackgroundAgent(working(never).agent, { clock });
    await background.check();
    clock.ms = ms;
    expect(await background.check()).toMatchObject({ uptime });
    await background.stop();
  });

  it("core 69: is started and then restarted when it fails at once, and its caller does not fail", async () => {
    const { agent, events } = working(() => {
      throw new TypeError("broken");
    });
    const background = new BackgroundAgent(agent);
    expect(await background.check()).toMatchObject({ status: "started" });
    await background.stop();
    expect(await background.check()).toMatchObject({ status: "restarted", checks: 2 });
    await background.stop();
    const stops = events.filter((event) => event.type === "run-lifecycle" && event.kind === "stopped");
    expect(stops).toMatchObject([{ status: "failed" }, { status: "failed" }]);
  });

  it("core 70: fails the check when it does not report a start in time, and is left alone", async () => {
    const clock = handClock();
    const opened = deferred<never>();
    const journal = { open: () => opened.promise, read: () => Promise.resolve(undefined), list: never };
    const background = new BackgroundAgent(working(never).agent, {
      clock,
      journal,
    });
    const checked = failureOf(background.check());
    clock.goOff();
    expect(await checked).toMatchObject({
      code: "core/background-start",
      agentName: "worker",
      timeoutMs: 5_000,
    });
    expect(background.isRunning).toBe(true);
    opened.reject(new Error("no journal"));
    await background.stop();
  });

  it("starts once when two ask at the same time", async () => {
    const { agent, events } = working(never);
    const background = new BackgroundAgent(agent);
    const both = await Promise.all([background.check(), background.check()]);
    expect(both).toMatchObject([{ status: "started" }, { status: "alive" }]);
    expect(events.filter(({ type }) => type === "run-lifecycle")).toHaveLength(1);
    await background.stop();
  });

  it("ends cleanly when it is stopped, with the reason that was given", async () => {
    const seen = deferred<unknown>();
    const { agent, events } = working((_input, { signal }) => {
      signal.addEventListener("abort", () => {
        seen.resolve(signal.reason);
      });
      return never();
    });
    const background = new BackgroundAgent(agent);
    await background.check();
    await new Promise(setImmediate);
    await background.stop("closing time");
    expect(await seen.promise).toBe("closing time");
    expect(background.isRunning).toBe(false);
    expect(events.at(-1)).toMatchObject({ type: "run-lifecycle", kind: "stopped", status: "cancelled" });
    await background.stop();
  });

  it("tells when its run has ended by itself, and at once when there is none", async () => {
    const gate = deferred();
    const { agent } = working(async () => {
      await gate.promise;
      return Stop({});
    });
    const background = new BackgroundAgent(agent);
    await background.ended();
    await background.check();
    let hasEnded = false;
    const ended = background.ended().then(() => (hasEnded = true));
    await Promise.resolve();
    expect({ hasEnded, isRunning: background.isRunning }).toEqual({ hasEnded: false, isRunning: true });
    gate.resolve();
    await ended;
    expect(background.isRunning).toBe(false);
  });

  it("is nobody's child, and asks no user of its caller", async () => {
    const { agent, events } = working(never);
    const background = new BackgroundAgent(agent);
    const parent = new Agent({
      name: "parent",
      mode: "deterministic",
      defaultTools: [
        background.asTool(),
        looseTool({ name: "end", input: Empty, output: Stop, run: () => Stop({ value: "done" }) }),
      ],
    });
    const heard: RunEvent[] = [];
    const { output, messages } = await parent.complete(undefined, { sinks: [(event) => heard.push(event)] });
    expect(output.value).toBe("done");
    expect(background.isRunning).toBe(true);
    expect(events[0]).toMatchObject({ agentName: "worker", parentAgentName: null });
    expect(heard.every(({ agentName }) => agentName === "parent")).toBe(true);
    expect(messages.map(({ content }) => content).join()).toContain("started");
    await background.stop();
  });

  it("tells its caller's sinks the type of what its last run failed with, and no more", async () => {
    const background = new BackgroundAgent(
      working(() => {
        throw new TypeError("sk-secret");
      }).agent,
    );
    const parent = new Agent({
      name: "parent",
      mode: "deterministic",
      defaultTools: [
        background.asTool({ name: "look_after" }),
        looseTool({ name: "end", input: Empty, output: Stop, run: () => Stop({ value: "done" }) }),
      ],
    });
    const heard: RunEvent[] = [];
    for (const _run of [1, 2]) {
      await parent.complete(undefined, { sinks: [(event) => heard.push(event)] });
      await background.stop();
    }
    const told = heard.filter((event) => event.type === "runtime" && event.level === "warning");
    expect(told).toMatchObject([{ message: "The background agent worker failed with TypeError" }]);
    expect(JSON.stringify(heard)).not.toContain("sk-secret");
  });

  it("says to its caller that its last run waits for a reply, which ended it", async () => {
    const asking = new Agent({
      name: "asking",
      mode: "deterministic",
      defaultTools: [promptUserAtStart("Well?")],
    });
    const background = new BackgroundAgent(asking);
    const look = background.asTool();
    const heard: unknown[] = [];
    for (const _check of [1, 2]) {
      await look.invoke({}, { emit: (event) => heard.push(event) });
      await new Promise(setImmediate);
    }
    expect(background.isRunning).toBe(false);
    expect(heard).toMatchObject([
      {
        level: "warning",
        message: "The background agent asking waits for a reply that nobody here can give",
      },
    ]);
  });

  it("is stopped at once while its journal is being opened, and lets go of a journal that comes later", async () => {
    const opening = deferred<JournalHandle>();
    const closed = deferred();
    const store = memoryJournalStore();
    const background = new BackgroundAgent(working(never).agent, {
      journal: { ...store, open: () => opening.promise },
    });
    const checked = background.check();
    await background.stop("closing time");
    expect(background.isRunning).toBe(false);
    expect(await checked).toMatchObject({ status: "started" });
    const late = await store.open("late");
    const close = (): Promise<void> => {
      closed.resolve();
      return late.close();
    };
    opening.resolve({ ...late, close });
    await closed.promise;
  });

  it("is restarted by a check that comes while it is being stopped", async () => {
    const { agent, events } = working(never);
    const background = new BackgroundAgent(agent);
    await background.check();
    const stopped = background.stop();
    expect(await background.check()).toMatchObject({ status: "restarted" });
    await stopped;
    const kinds = events.flatMap((event) => (event.type === "run-lifecycle" ? event.kind : []));
    expect(kinds).toEqual(["started", "stopped", "started"]);
    await background.stop();
  });

  it("goes on when the caller that restarts it is cancelled meanwhile, and is stopped by its own line", async () => {
    const opening = deferred();
    const store = memoryJournalStore();
    const { agent, events } = working(never);
    let slow = false;
    const background = new BackgroundAgent(agent, {
      journal: {
        ...store,
        open: async (runId) => {
          if (slow) await opening.promise;
          return store.open(runId);
        },
      },
    });
    await background.check();
    await background.stop();
    slow = true;
    const controller = new AbortController();
    const parent = new Agent({ name: "parent", mode: "deterministic", defaultTools: [background.asTool()] });
    const result = parent.invoke(undefined, { signal: controller.signal });
    await new Promise(setImmediate);
    controller.abort("enough");
    expect(await result).toMatchObject({ status: "cancelled", reason: "enough" });
    expect(background.isRunning).toBe(true);
    opening.resolve();
    expect(await background.check()).toMatchObject({ status: "alive" });
    await background.stop("over");
    expect(events.at(-1)).toMatchObject({ kind: "stopped", status: "cancelled" });
    expect(background.isRunning).toBe(false);
  });

  it("ends when the host's signal fires, and so does what a later check starts", async () => {
    const controller = new AbortController();
    const { agent, events } = working(never);
    const background = new BackgroundAgent(agent, { signal: controller.signal });
    await background.check();
    controller.abort("shutting down");
    await background.stop();
    expect(events.at(-1)).toMatchObject({ kind: "stopped", status: "cancelled" });
    await background.check();
    await background.stop();
    expect(background.isRunning).toBe(false);
  });

  it("makes a tool under a name, whose output is a status", async () => {
    const background = new BackgroundAgent(working(never).agent);
    const look = background.asTool({ name: "look", description: "Look." });
    expect(look).toMatchObject({ name: "look", description: "Look." });
    expect(BackgroundStatus.is(await look.invoke({}))).toBe(true);
    await background.stop();
  });
});

describe("an agent's signal", () => {
  it("cancels every run under way with its reason, and those to come", async () => {
    const controller = new AbortController();
    const agent = working(never).agent.copy({ signal: controller.signal });
    const runs = [agent.invoke(), agent.invoke()];
    await new Promise(setImmediate);
    controller.abort("over");
    expect(await Promise.all(runs)).toMatchObject([
      { status: "cancelled", reason: "over" },
      { status: "cancelled", reason: "over" },
    ]);
    expect(await agent.invoke()).toMatchObject({ status: "cancelled", reason: "over" });
  });

  it("stands beside the signal of a run, which cancels that run alone", async () => {
    const all = new AbortController();
    const one = new AbortController();
    const agent = working(never).agent.copy({ signal: all.signal });
    const cancelled = agent.invoke(undefined, { signal: one.signal });
    const other = agent.invoke();
    await new Promise(setImmediate);
    one.abort("this one");
    expect(await cancelled).toMatchObject({ status: "cancelled", reason: "this one" });
    all.abort("all");
    expect(await other).toMatchObject({ status: "cancelled", reason: "all" });
  });

  it("is refused when it is none", () => {
    const settings = { name: "worker", mode: "deterministic", defaultTools: [stop], signal: "now" };
    expect(() => {
      Reflect.construct(Agent, [settings]);
    }).toThrow("`signal` is no AbortSignal");
  });
});
