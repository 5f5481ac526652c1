import { describe, expect, it } from "vitest";

import type { OnceOptions } from "../tools/context.ts";
import { OnceEffects, type OnceJournal } from "./once.ts";
import type { RunState } from "./run-state.ts";
import type { OnceEntry } from "./snapshot.ts";

/** Effects of a run with a journal that notes what it is told. */
function effects(journal: Partial<OnceJournal> = {}): {
  readonly once: OnceEffects;
  readonly state: Pick<RunState, "once">;
  readonly told: string[];
} {
  const state = { runId: "run", once: new Map<string, OnceEntry>() };
  const once = new OnceEffects(state);
  const told: string[] = [];
  const tell =
    (what: string) =>
    (key: string, result?: unknown): Promise<void> => {
      told.push(result === undefined ? `${what} ${key}` : `${what} ${key} ${JSON.stringify(result)}`);
      return Promise.resolve();
    };
  once.journal = { intent: tell("intent"), result: tell("result"), failed: tell("failed"), ...journal };
  return { once, state, told };
}

const full = (): Promise<void> => Promise.reject(new Error("full"));

const cyclic: unknown[] = [];
cyclic.push(cyclic);

describe("an effect", () => {
  it("is done between its intent and its result, and not again", async () => {
    const { once, told } = effects();
    const effect = (key: string): unknown => {
      told.push(`effect ${key}`);
      return { paid: true };
    };
    const first = await once.do("charge", effect);
    expect(await once.do("charge", effect)).toEqual(first);
    expect(told).toEqual(["intent charge", "effect run:charge", 'result charge {"paid":true}']);
  });

  it("is done once by those who ask while it is under way", async () => {
    const { once, told } = effects();
    let count = 0;
    const effect = async (): Promise<number> => Promise.resolve((count += 1));
    expect(await Promise.all([once.do("a", effect), once.do("a", effect), once.do("b", effect)])).toEqual([
      1, 1, 2,
    ]);
    expect(told.filter((one) => one.startsWith("intent"))).toEqual(["intent a", "intent b"]);
  });

  it("is not begun when its intent cannot be written, and nothing is uncertain then", async () => {
    const { once, state } = effects({ intent: full });
    let isDone = false;
    await expect(once.do("charge", () => (isDone = true))).rejects.toThrow("full");
    expect({ isDone, known: state.once.size }).toEqual({ isDone: false, known: 0 });
  });

  it("is uncertain when its result cannot be written", async () => {
    const { once } = effects({ result: full });
    await expect(once.do("charge", () => 1)).rejects.toThrow("full");
    await expect(once.do("charge", () => 2)).rejects.toMatchObject({
      code: "core/once-uncertain",
      key: "charge",
      idempotencyKey: "run:charge",
    });
  });

  it("may be tried again after it said itself that it failed", async () => {
    const { once, told } = effects();
    await expect(once.do("charge", () => Promise.reject(new Error("declined")))).rejects.toThrow("declined");
    expect(await once.do("charge", () => "paid")).toBe("paid");
    expect(told).toEqual(["intent charge", "failed charge", "intent charge", 'result charge "paid"']);
  });

  it("is uncertain when it failed and that cannot be written", async () => {
    const { once } = effects({ failed: full });
    await expect(once.do("charge", () => Promise.reject(new Error("declined")))).rejects.toThrow("full");
    await expect(once.do("charge", () => 1)).rejects.toMatchObject({ code: "core/once-uncertain" });
  });

  it.each([
    { why: "nothing", result: undefined },
    { why: "null", result: null },
    { why: "a text", result: "x" },
    { why: "nested data", result: { a: [1, { b: null }] } },
  ])("may give $why", async ({ result }) => {
    const { once } = effects();
    expect(await once.do("key", () => result)).toEqual(result);
    expect(await once.do("key", () => "again")).toEqual(result);
  });

  it("gives at once what a resumed run will be given", async () => {
    const { once } = effects();
    expect(await once.do("key", () => ({ at: new Date(0), left: undefined }))).toEqual({
      at: "1970-01-01T00:00:00.000Z",
    });
  });

  it.each([
    { why: "a number too large for JSON", result: 1n },
    { why: "a function", result: () => 1 },
    { why: "something that holds itself", result: cyclic },
  ])("that gives $why is uncertain from then on: it was done", async ({ result }) => {
    const { once } = effects();
    await expect(once.do("key", () => result)).rejects.toThrow(/no JSON/);
    await expect(once.do("key", () => 1)).rejects.toMatchObject({ code: "core/once-uncertain" });
  });

  it("is kept in the run's state alone without a journal", async () => {
    const { once, state } = effects();
    once.journal = undefined;
    expect(await once.do("key", () => 1)).toBe(1);
    await expect(once.do("other", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect([...state.once]).toEqual([["key", { isDone: true, result: 1 }]]);
  });
});

describe("an effect of which nobody knows whether it happened", () => {
  it.each<{
    readonly why: string;
    readonly options: OnceOptions<unknown>;
    readonly expected: unknown;
    readonly done: number;
  }>([
    { why: "verify found it", options: { verify: () => "found" }, expected: "found", done: 0 },
    { why: "verify found it later", options: { verify: () => Promise.resolve(0) }, expected: 0, done: 0 },
    { why: "verify found nothing", options: { verify: () => undefined }, expected: "done", done: 1 },
    { why: "it may be repeated", options: { onUncertain: "repeat" }, expected: "done", done: 1 },
    {
      why: "it may be repeated but was found",
      options: { onUncertain: "repeat", verify: () => "found" },
      expected: "found",
      done: 0,
    },
  ])("is settled when $why", async ({ options, expected, done }) => {
    const { once, state, told } = effects();
    state.once.set("key", { isDone: false });
    let count = 0;
    const effect = (): string => {
      count += 1;
      return "done";
    };
    expect(await once.do("key", effect, options)).toBe(expected);
    expect(await once.do("key", effect, options)).toBe(expected);
    expect(count).toBe(done);
    expect(told.at(-1)).toBe(`result key ${JSON.stringify(expected)}`);
  });

  it.each<{ readonly why: string; readonly options: OnceOptions<unknown> | undefined }>([
    { why: "nothing else is said", options: undefined },
    { why: "it is to be reported", options: { onUncertain: "throw" } },
  ])("is reported when $why, each time", async ({ options }) => {
    const { once, state, told } = effects();
    state.once.set("key", { isDone: false });
    for (const _ of [1, 2])
      await expect(once.do("key", () => 1, options)).rejects.toMatchObject({ code: "core/once-uncertain" });
    expect(told).toEqual([]);
  });

  it("stays uncertain when it cannot be found out", async () => {
    const { once, state } = effects();
    state.once.set("key", { isDone: false });
    const verify = (): never => {
      throw new Error("away");
    };
    await expect(once.do("key", () => 1, { verify })).rejects.toThrow("away");
    await expect(once.do("key", () => 1)).rejects.toMatchObject({ code: "core/once-uncertain" });
  });
});
