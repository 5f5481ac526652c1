import { DependencyFailure, ExecutableDependency } from "@roboz/core";
import { describe, expect, it, vi } from "vitest";

import { fails, never, ok, scripted, service, watched } from "./__fixtures__/watched.ts";
import { DependencyHealthMonitor } from "./monitor.ts";

/** What has nothing of its own. */
function withPrototype(inherited: object): object {
  const made = {};
  Object.setPrototypeOf(made, inherited);
  return made;
}

describe("a health monitor's records", () => {
  it("are pending, in their order and the first of each id, until something is checked", () => {
    const check = vi.fn(ok);
    const { monitor, clock } = watched([service("a", check), service("b", ok), service("a", never)]);
    expect(monitor.records()).toEqual(
      ["a", "b"].map((dependencyId) => ({
        dependencyId,
        kind: "network_service",
        metadata: {},
        status: "pending",
        checkedAt: null,
        latencyMs: null,
        reasonCode: null,
        message: null,
      })),
    );
    expect(monitor.record("c")).toBeNull();
    expect(monitor.isRunning).toBe(false);
    expect(check).not.toHaveBeenCalled();
    expect(clock.now()).toBe(0);
  });

  it("say when a check ended, how long it took with three decimals, and how it ended", async () => {
    const times = [0, 0, 12.345678, 12.345678];
    const clock = { now: () => times.shift() ?? 100, after: () => () => undefined };
    const check = scripted(null, fails("refused"));
    const at = new Date("2026-01-02T03:04:05Z");
    const monitor = new DependencyHealthMonitor([service("a", check)], { clock, now: () => at });
    times.splice(0, times.length, 0, 12.345678);
    expect(await monitor.runOnce()).toMatchObject([
      { status: "available", checkedAt: at, latencyMs: 12.346, reasonCode: null, message: null },
    ]);
    await monitor.runOnce();
    expect(monitor.record("a")).toMatchObject({
      status: "unavailable",
      reasonCode: "connection_failed",
      message: "refused",
    });
  });

  it("are copies", async () => {
    const { monitor } = watched([service("a", ok, { redactedMetadata: () => ({ host: "h" }) })]);
    const [before] = await monitor.runOnce();
    before?.checkedAt?.setTime(5);
    Reflect.set(before?.metadata ?? {}, "host", "changed");
    expect(monitor.record("a")).toMatchObject({ checkedAt: new Date(0), metadata: { host: "h" } });
  });

  it.each([
    {
      why: "shed 128: a password",
      metadata: { host: "mail", password: "hunter22", port: 25 },
      shown: { host: "mail", port: 25 },
    },
    {
      why: "what is no text or number",
      metadata: { host: ["mail"], provider: null, service: "imap", tlsMode: { on: true } },
      shown: { service: "imap" },
    },
    {
      why: "what belongs to another kind",
      metadata: { executable: "rg", displayName: "Mail" },
      shown: { displayName: "Mail" },
    },
    {
      why: "a credential in an address",
      metadata: { host: "https://me:hunter22@mail/" },
      shown: { host: "https://[redacted]@mail/" },
    },
    { why: "what is inherited", metadata: withPrototype({ host: "mail" }), shown: {} },
  ])("hold no metadata such as $why", ({ metadata, shown }) => {
    const { monitor } = watched([service("a", ok, { redactedMetadata: () => metadata })]);
    expect(monitor.record("a")?.metadata).toEqual(shown);
  });

  it("hold no metadata of what fails to give any, or gives none", () => {
    const broken = service("a", ok, {
      redactedMetadata: () => {
        throw new Error("no");
      },
    });
    const none = service("b", ok, { redactedMetadata: () => null });
    const { monitor } = watched([broken, none]);
    expect(monitor.records().map(({ metadata }) => metadata)).toEqual([{}, {}]);
  });

  it("hold what core's own dependencies say", () => {
    const { monitor } = watched([new ExecutableDependency("rg", { displayName: "ripgrep" })]);
    expect(monitor.record("executable:rg")?.metadata).toEqual({ executable: "rg", displayName: "ripgrep" });
  });

  it("show no secret of a failure", async () => {
    const { monitor, entries } = watched([service("a", scripted(fails("no entry for tom-and-jerry")))], {
      secrets: ["tom-and-jerry"],
    });
    await monitor.runOnce();
    expect(monitor.record("a")?.message).toBe("no entry for [redacted]");
    expect(JSON.stringify(entries)).not.toContain("tom-and-jerry");
  });
});

describe("a health monitor's log", () => {
  it.each([
    {
      why: "shed 126: different failures in a row, then the same one",
      results: [fails("one"), fails("two"), fails("two")],
      levels: ["warning", "warning", "debug"],
    },
    {
      why: "shed 127: a recovery, and a first success",
      results: [null, fails("one"), null, null],
      levels: ["debug", "warning", "info", "debug"],
    },
    {
      why: "RD-12: ok, fail A, fail A, fail B, ok after pending",
      results: [null, fails("A"), fails("A"), fails("B"), null],
      levels: ["debug", "warning", "debug", "warning", "info"],
    },
    {
      why: "the same text for another reason",
      results: [fails("A"), new DependencyFailure({ reasonCode: "tls_failed", message: "A" })],
      levels: ["warning", "warning"],
    },
  ])("has the level that the change deserves: $why", async ({ results, levels }) => {
    const { monitor, entries } = watched([service("a", scripted(...results))]);
    for (const _ of results) {
      await monitor.runOnce();
      expect(entries.at(-1)?.data).toEqual(monitor.record("a"));
      expect(entries.at(-1)?.message).toContain(monitor.record("a")?.message ?? "is available");
    }
    expect(entries.map(({ level }) => level)).toEqual(levels);
  });

  it("fails a round by what it throws, once everything was checked", async () => {
    const { monitor } = watched([service("a", ok), service("b", ok)], {
      log: () => {
        throw new Error("disk full");
      },
    });
    await expect(monitor.runOnce()).rejects.toThrow("disk full");
    expect(monitor.records().map(({ status }) => status)).toEqual(["available", "available"]);
  });
});

describe("a health monitor", () => {
  it.each([
    { setting: "intervalMs", given: 0 },
    { setting: "intervalMs", given: Number.NaN },
    { setting: "timeoutMs", given: -1 },
    { setting: "timeoutMs", given: Infinity },
    { setting: "maxConcurrency", given: 0 },
    { setting: "maxConcurrency", given: 1.5 },
    { setting: "maxConcurrency", given: true },
  ])("refuses $given as $setting", ({ setting, given }) => {
    const settings: object = { [setting]: given };
    expect(() => new DependencyHealthMonitor([], settings)).toThrow(
      expect.objectContaining({ code: "shed/health-settings", setting }),
    );
  });

  it("refuses what is no dependency", () => {
    const given: unknown = [service("a", ok), "mail"];
    expect(() => void Reflect.construct(DependencyHealthMonitor, [given])).toThrow(
      expect.objectContaining({ code: "core/dependency" }),
    );
  });

  it("works on the machine's own clock", async () => {
    const monitor = new DependencyHealthMonitor([service("a", ok)], { intervalMs: 1 });
    const rounds = vi.fn();
    const looked = new DependencyHealthMonitor([service("a", ok)], { log: rounds });
    await looked.runOnce();
    monitor.start();
    await monitor.stop();
    expect(rounds).toHaveBeenCalledTimes(1);
  });
});
