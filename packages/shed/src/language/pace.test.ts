import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Pace } from "./pace.ts";

let nowMs: number;
let looks: number;

beforeEach(() => {
  nowMs = 1_000;
  looks = 0;
  vi.spyOn(performance, "now").mockImplementation(() => {
    looks++;
    return nowMs;
  });
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** Does steps until a pause is due, and gives how long that took. */
function stretch(pace: Pace, stepMs: number): number {
  const start = nowMs;
  do nowMs += stepMs;
  while (!pace.isDue);
  return nowMs - start;
}

describe("the pace of long work", () => {
  it.each([
    { stepMs: 0.01, atMostMs: 12.2 },
    { stepMs: 0.5, atMostMs: 20 },
    { stepMs: 5, atMostMs: 15 },
    { stepMs: 100, atMostMs: 100 },
  ])("lets others work after steps of $stepMs ms that take $atMostMs ms", async ({ stepMs, atMostMs }) => {
    const pace = new Pace();
    for (let pauses = 0; pauses < 3; pauses++) {
      expect(stretch(pace, stepMs)).toBeGreaterThanOrEqual(12);
      expect(pace.isDue).toBe(true);
      await pace.pause(new AbortController().signal);
      expect(stretch(pace, stepMs)).toBeLessThanOrEqual(atMostMs);
      await pace.pause(new AbortController().signal);
    }
  });

  it("looks at the clock once in many small steps", () => {
    const pace = new Pace();
    for (let step = 0; step < 1_600; step++) expect(pace.isDue).toBe(false);
    expect(looks).toBeLessThan(110);
  });

  it("sees at once when steps take longer than before, but for those between two looks", async () => {
    const pace = new Pace();
    for (let step = 0; step < 100; step++) expect(pace.isDue).toBe(false);
    expect(stretch(pace, 3)).toBeLessThanOrEqual(48);
    await pace.pause(new AbortController().signal);
    stretch(pace, 3);
    await pace.pause(new AbortController().signal);
    expect(stretch(pace, 3)).toBe(12);
  });

  it("ends with the reason of a signal", async () => {
    const reason = new Error("Enough");
    await expect(new Pace().pause(AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});
