import { Agent, Stop, type Clock, type Message, userMessage } from "@roboz/core";
import { rmSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { called, makeProject, type Project } from "./__fixtures__/project.ts";
import { cadenceTools } from "./cadence-tools.ts";

/** A clock that goes as far as it is waited for, with what happens meanwhile. */
function travelling(then: (ms: number) => void = () => undefined): Clock & { readonly waits: number[] } {
  const waits: number[] = [];
  let ms = 0;
  return {
    waits,
    now: () => ms,
    after: (delay, fire) => {
      waits.push(delay);
      ms += delay;
      then(ms);
      queueMicrotask(fire);
      return () => undefined;
    },
  };
}

function cadence(project: Project, { clock = travelling(), names = ["clerk", "guest"] } = {}) {
  const [check, sleep] = cadenceTools({
    records: project.records,
    watchedAgentNames: new Set(names),
    intervalMs: 120_000,
    clock,
  });
  if (check === undefined || sleep === undefined) throw new Error("There are not two tools");
  return { check, sleep };
}

const marker = "logs/clerk/.lifecycle/active/r1.run";
const checked = (status: string): Message =>
  userMessage(JSON.stringify({ caller: "stop_when_watched_agents_inactive", status }));
const other = userMessage(JSON.stringify({ caller: "purge_logs", status: "final_sweep_required" }));

describe("the look whether to stop", () => {
  it.each([
    {
      why: "shed 124: at first, with nobody at work, asks for a final sweep",
      before: [],
      isBusy: false,
      status: "final_sweep_required",
    },
    { why: "goes on while somebody is at work", before: [], isBusy: true, status: "active" },
    {
      why: "asks for a sweep after somebody was at work",
      before: [checked("final_sweep_required"), checked("active")],
      isBusy: false,
      status: "final_sweep_required",
    },
    {
      why: "goes on when somebody came back after all",
      before: [checked("final_sweep_required")],
      isBusy: true,
      status: "active",
    },
    {
      why: "does not take another tool's word for its own",
      before: [other],
      isBusy: false,
      status: "final_sweep_required",
    },
  ])("$why", async ({ before, isBusy, status }) => {
    const project = makeProject();
    if (isBusy) project.put(marker, "");
    expect((await called(cadence(project).check, { messages: before })).fields).toEqual({ status });
  });

  it("shed 124: stops at the second time in a row", async () => {
    const messages = [checked("active"), checked("final_sweep_required"), other];
    const { fields } = await called(cadence(makeProject()).check, { messages });
    expect(fields["value"]).toMatch(/swept/);
  });

  it("looks at watched agents alone", async () => {
    const project = makeProject();
    project.put("logs/librarian/.lifecycle/active/r1.run", "");
    project.put("logs/.lifecycle/active/r1.run", "");
    const { check } = cadence(project, { names: ["clerk", "../logs", "."] });
    expect((await called(check)).fields).toEqual({ status: "final_sweep_required" });
  });

  it("ends a run after exactly one more pass", async () => {
    const { check, sleep } = cadence(makeProject());
    const agent = new Agent({ name: "keeper", mode: "deterministic", defaultTools: [check, sleep] });
    const { output, report } = await agent.complete();
    expect(Stop.is(output)).toBe(true);
    expect(report.steps).toBe(3);
  });
});

describe("the wait", () => {
  it("is over at once when nobody is at work", async () => {
    const clock = travelling();
    expect((await called(cadence(makeProject(), { clock }).sleep)).fields).toEqual({
      reason: "nobody_active",
    });
    expect(clock.waits).toEqual([]);
  });

  it("takes the whole interval while everybody goes on working, in steps of a second at most", async () => {
    const project = makeProject();
    project.put(marker, "");
    const clock = travelling();
    expect((await called(cadence(project, { clock }).sleep)).fields).toEqual({ reason: "time_over" });
    expect(clock.now()).toBe(120_000);
    expect(Math.max(...clock.waits)).toBeLessThanOrEqual(1_000);
  });

  it("shed 125: ends within a second after a watched run has ended, also when others go on", async () => {
    const project = makeProject();
    const gone = project.put(marker, "");
    project.put("logs/guest/.lifecycle/active/r2.run", "");
    const clock = travelling((ms) => {
      if (ms >= 5_000) rmSync(gone, { force: true });
      // A run that starts meanwhile ends no wait.
      if (ms >= 2_000) project.put("logs/guest/.lifecycle/active/r3.run", "");
    });
    expect((await called(cadence(project, { clock }).sleep)).fields).toEqual({ reason: "activity_ended" });
    expect(clock.now()).toBeGreaterThanOrEqual(5_000);
    expect(clock.now()).toBeLessThanOrEqual(6_000);
  });

  it("ends when a run was followed by another one at once", async () => {
    const project = makeProject();
    const gone = project.put(marker, "");
    const clock = travelling(() => {
      rmSync(gone, { force: true });
      project.put("logs/clerk/.lifecycle/active/r2.run", "");
    });
    expect((await called(cadence(project, { clock }).sleep)).fields).toEqual({ reason: "activity_ended" });
  });

  it("passes a cancellation on, before it begins and in the middle", async () => {
    const project = makeProject();
    project.put(marker, "");
    const reason = new Error("shutting down");
    const { sleep } = cadence(project);
    await expect(called(sleep, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const cancel = new AbortController();
    const held: Clock = { now: () => 0, after: () => () => undefined };
    const waiting = called(cadence(project, { clock: Object.assign(held, { waits: [] }) }).sleep, {
      signal: cancel.signal,
    });
    setImmediate(() => {
      cancel.abort(reason);
    });
    await expect(waiting).rejects.toBe(reason);
  });
});
