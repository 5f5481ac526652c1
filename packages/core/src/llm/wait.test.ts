import { describe, expect, it } from "vitest";

import { EventPipe } from "../runtime/pipe.ts";
import { ManualClock } from "./__fixtures__/manual-clock.ts";
import { throwIfGivenUp, waitFor } from "./wait.ts";

const never = new Promise<never>(() => undefined);
const operation = "The script";
const pipeOf = () => new EventPipe({ runId: "r", agentName: "a" });

describe("a wait for outside work", () => {
  it("gives what the work gives", async () => {
    const clock = new ManualClock();
    expect(await waitFor(Promise.resolve(1), { pipe: pipeOf(), clock, timeoutMs: 5, operation })).toBe(1);
    expect(clock.pending).toEqual([]);
    const mine = new Error("mine");
    await expect(waitFor(Promise.reject(mine), { operation })).rejects.toBe(mine);
  });

  it("names the work that was cancelled, and keeps why", async () => {
    const pipe = pipeOf();
    const reason = new Error("the user left");
    const waiting = waitFor(never, { pipe, operation });
    pipe.cancel(reason);
    await expect(waiting).rejects.toMatchObject({
      code: "core/external-call-cancelled",
      message: "The script was cancelled",
      cause: reason,
    });
    expect(() => {
      throwIfGivenUp({ pipe, operation });
    }).toThrow(expect.objectContaining({ code: "core/external-call-cancelled" }));
  });

  it("names the work that was interrupted", async () => {
    const pipe = pipeOf();
    pipe.interrupt();
    await expect(waitFor(never, { pipe, operation })).rejects.toMatchObject({
      code: "core/external-call-interrupted",
    });
  });

  it("names the work that took too long, and says so before it throws", async () => {
    const clock = new ManualClock();
    let isGivenUp = false;
    const waiting = waitFor(never, {
      clock,
      timeoutMs: 7,
      operation,
      onGiveUp: () => {
        isGivenUp = true;
      },
    });
    await Promise.all([
      expect(waiting).rejects.toMatchObject({ code: "core/external-call-timeout", timeoutMs: 7 }),
      clock.advance(7),
    ]);
    expect(isGivenUp).toBe(true);
  });
});
