import type { CheckOptions } from "@roboz/core";
import { describe, expect, it, vi } from "vitest";

import { ManualClock } from "./__fixtures__/manual-clock.ts";
import { never, ok, service, watched, type Check } from "./__fixtures__/watched.ts";
import { DependencyHealthMonitor, type HealthLogEntry } from "./monitor.ts";

describe("a health monitor's checks", () => {
  it("shed 129, RD-11: are not begun again while one that outlived its time goes on, and others are", async () => {
    let end: (failure: null) => void = () => undefined;
    const slow = vi.fn<Check>(() => new Promise((resolve) => (end = resolve)));
    const quick = vi.fn(ok);
    const { monitor, clock } = watched([service("slow", slow), service("quick", quick)]);
    const first = monitor.runOnce();
    await clock.pass(20_000);
    expect(await first).toMatchObject([
      { status: "unavailable", reasonCode: "timeout", latencyMs: 20_000 },
      { status: "available" },
    ]);
    await monitor.runOnce();
    expect([slow.mock.calls.length, quick.mock.calls.length]).toEqual([1, 2]);
    end(null);
    await clock.pass(0);
    expect(monitor.record("slow")).toMatchObject({ status: "unavailable" });
    const last = monitor.runOnce();
    await clock.pass(0);
    end(null);
    await last;
    expect(slow).toHaveBeenCalledTimes(2);
    expect(monitor.record("slow")).toMatchObject({ status: "available" });
  });

  it("are told by their signal that their time is over, and free their place by ending then", async () => {
    const obedient = vi.fn<Check>(
      (options) =>
        new Promise((_resolve, reject) => {
          options?.signal?.addEventListener("abort", () => {
            reject(new Error("told to end"));
          });
        }),
    );
    const { monitor, clock, entries } = watched([service("a", obedient)], { maxConcurrency: 1 });
    for (let round = 0; round < 2; round += 1) {
      const looked = monitor.runOnce();
      await clock.pass(20_000);
      await looked;
    }
    expect(obedient).toHaveBeenCalledTimes(2);
    expect(entries.map(({ level }) => level)).toEqual(["warning", "debug"]);
  });

  it("go on at most four at once", async () => {
    const ends: (() => void)[] = [];
    const check: Check = () =>
      new Promise((resolve) => {
        ends.push(() => {
          resolve(null);
        });
      });
    const names = ["a", "b", "c", "d", "e", "f"];
    const { monitor, clock } = watched(names.map((name) => service(name, check)));
    const looked = monitor.runOnce();
    await clock.pass(0);
    expect(ends).toHaveLength(4);
    ends[2]?.();
    await clock.pass(0);
    expect(ends).toHaveLength(5);
    for (const round of [0, 1, 2]) {
      for (const end of ends) end();
      await clock.pass(round);
    }
    expect((await looked).map(({ status }) => status)).toEqual(names.map(() => "available"));
  });

  it("are waited for by others as long as any of them ends", async () => {
    const slow: Check = (options) =>
      new Promise((resolve) => {
        options?.signal?.addEventListener("abort", () => {
          resolve(null);
        });
      });
    const { monitor, clock } = watched(
      ["a", "b", "c", "d"].map((name) => service(name, slow)),
      { maxConcurrency: 1 },
    );
    const looked = monitor.runOnce();
    await clock.pass(80_000);
    expect((await looked).map(({ reasonCode }) => reasonCode)).toEqual(Array(4).fill("timeout"));
  });

  it("are said not to have been made when all places are taken by checks that do not end", async () => {
    const { monitor, clock, entries } = watched([service("stuck", never), service("other", ok)], {
      maxConcurrency: 1,
    });
    const looked = monitor.runOnce();
    await clock.pass(40_000);
    expect(await looked).toMatchObject([{ reasonCode: "timeout" }, { status: "pending" }]);
    expect(entries.at(-1)).toMatchObject({
      level: "error",
      data: { dependencyId: "other", status: "pending" },
    });
  });

  it("may be of any number of dependencies, without a warning of too many listeners", async () => {
    const warned = vi.fn();
    process.on("warning", warned);
    const { monitor } = watched(Array.from({ length: 50 }, (_, index) => service(String(index), ok)));
    await monitor.runOnce();
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", warned);
    expect(warned).not.toHaveBeenCalled();
  });

  it("are shared by rounds that overlap", async () => {
    const check = vi.fn(ok);
    const { monitor } = watched([service("a", check)]);
    const [one, two] = await Promise.all([monitor.runOnce(), monitor.runOnce()]);
    expect(check).toHaveBeenCalledTimes(1);
    expect(two).toEqual(one);
  });

  it.each([
    { why: "throws", check: () => Promise.reject(new Error("ECONNREFUSED")), reasonCode: "check_failed" },
    {
      why: "returns true, as checks once did",
      check: () => Promise.resolve(true),
      reasonCode: "protocol_error",
    },
  ])("have failed when one $why", async ({ check, reasonCode }) => {
    const { monitor } = watched([service("a", check)]);
    expect(await monitor.runOnce()).toMatchObject([{ status: "unavailable", reasonCode }]);
  });
});

describe("a health monitor's schedule", () => {
  it("begins a round at each interval, counted from start to start, until it is stopped", async () => {
    const begun: number[] = [];
    const check: Check = () => {
      begun.push(clock.now());
      return new Promise((resolve) => {
        clock.after(10_000, () => {
          resolve(null);
        });
      });
    };
    const { monitor, clock } = watched([service("a", check)]);
    monitor.start();
    monitor.start();
    expect(monitor.isRunning).toBe(true);
    await clock.pass(125_000);
    expect(begun).toEqual([0, 60_000, 120_000]);
    await monitor.stop();
    expect(monitor.isRunning).toBe(false);
    await clock.pass(600_000);
    expect(begun).toHaveLength(3);
    monitor.start();
    // The check that was under way at the stop has ended, so it is begun again.
    await clock.pass(0);
    expect(begun).toEqual([0, 60_000, 120_000, 725_000]);
    await monitor.stop();
  });

  it("RD-16: goes on after a round that failed, which it reports without secrets", async () => {
    const entries: HealthLogEntry[] = [];
    let isBroken = true;
    const { monitor, clock } = watched([service("a", ok)], {
      secrets: ["hunter22"],
      log: (entry) => {
        if (isBroken && entry.data !== null) throw new Error("log lost at hunter22");
        entries.push(entry);
      },
    });
    monitor.start();
    await clock.pass(0);
    expect(entries).toMatchObject([{ level: "error", data: null }]);
    expect(entries[0]?.message).toMatch(/log lost at \[redacted\]/);
    isBroken = false;
    await clock.pass(60_000);
    expect(entries.at(-1)).toMatchObject({ level: "debug", data: { status: "available" } });
    await monitor.stop();
  });

  it("goes on when not even the failure of a round can be reported", async () => {
    const log = vi.fn(() => {
      throw new Error("gone");
    });
    const { monitor, clock } = watched([service("a", ok)], { log });
    monitor.start();
    await clock.pass(120_000);
    expect(log).toHaveBeenCalledTimes(6);
    await monitor.stop();
  });

  it("can be started again when its clock ended it", async () => {
    let isBroken = true;
    const clock = new ManualClock();
    const check = vi.fn(ok);
    const monitor = new DependencyHealthMonitor([service("a", check)], {
      clock: {
        now: clock.now,
        after: (ms, then) => {
          if (isBroken && ms === 60_000) throw new Error("no timers");
          return clock.after(ms, then);
        },
      },
    });
    monitor.start();
    await clock.pass(0);
    expect(monitor.isRunning).toBe(false);
    isBroken = false;
    monitor.start();
    await clock.pass(60_000);
    expect(check).toHaveBeenCalledTimes(3);
    await monitor.stop();
  });

  it("is stopped without waiting for a check that does not end, and records nothing of it", async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const { monitor, clock, entries } = watched([
      service("a", (options?: CheckOptions) => {
        signals.push(options?.signal);
        return new Promise(() => undefined);
      }),
    ]);
    monitor.start();
    const once = monitor.runOnce();
    await clock.pass(5);
    await monitor.stop();
    await once;
    await monitor.stop();
    expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
    expect(monitor.records()).toMatchObject([{ status: "pending" }]);
    expect(entries).toEqual([]);
  });
});
