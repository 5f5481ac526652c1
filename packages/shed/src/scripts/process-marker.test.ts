import { describe, expect, it } from "vitest";

import { findProcesses, lockLimit, newMarker, processFacts } from "./process-marker.ts";

const block = 1n << 32n;

describe("a marker", () => {
  it("is another one each time, and matches its own number", () => {
    const [one, two] = [newMarker("unlimited"), newMarker("unlimited")];
    expect(one.limit).not.toBe(two.limit);
    expect(one.limit !== undefined && one.matches(one.limit)).toBe(true);
    expect(two.limit !== undefined && one.matches(two.limit)).toBe(false);
    expect(one.limit ?? 0n).toBeLessThan(1n << 62n);
  });

  it("of scripts that a script runs is below its own, matched by it, and matches no other", () => {
    const outer = newMarker("unlimited");
    let parent = outer;
    for (let depth = 0; depth < 20; depth += 1) {
      const inner = newMarker(parent.limit);
      const { limit = 0n } = inner;
      expect(limit).toBeLessThan(parent.limit ?? 0n);
      expect(outer.matches(limit)).toBe(true);
      expect(inner.matches(limit)).toBe(true);
      expect(inner.matches(limit - 1n)).toBe(false);
      expect(inner.matches(parent.limit ?? 0n)).toBe(false);
      parent = inner;
    }
  });

  it.each([
    { why: "the limit is unknown", own: undefined },
    { why: "a limit of this machine leaves no room", own: 1000n },
    { why: "nothing is left of the block", own: 7n * block + 5n },
  ])("is none when $why", ({ own }) => {
    const { limit, matches } = newMarker(own);
    expect(limit).toBeUndefined();
    expect(matches(own ?? 0n)).toBe(false);
  });
});

describe.skipIf(process.platform !== "linux")("what Linux says of processes", () => {
  it("has this one in it", () => {
    expect(findProcesses((pid) => pid === process.pid)).toEqual([process.pid]);
    expect(processFacts(process.pid)).toMatchObject({ isOver: false });
    expect(processFacts(process.pid)?.startedAt).toBeGreaterThan(0);
    expect(lockLimit("self")).toBeDefined();
  });

  it("has nothing of one that is not there", () => {
    expect(processFacts(2 ** 30)).toBeUndefined();
    expect(lockLimit(2 ** 30)).toBeUndefined();
  });
});
