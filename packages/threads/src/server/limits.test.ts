import { describe, expect, it } from "vitest";
import { ServerLimitError } from "../store/errors.ts";
import { limitsWith, serverLimits } from "./limits.ts";

describe("the limits of a server", () => {
  it.each([
    { given: undefined, made: serverLimits },
    { given: {}, made: serverLimits },
    {
      given: { concurrency: 1, requests: null, clientToolTtlMs: 0, seededMessages: 0 },
      made: { ...serverLimits, concurrency: 1, requests: null, clientToolTtlMs: 0, seededMessages: 0 },
    },
    {
      given: { wallMs: 1.5, requests: { burst: 2, perSecond: 0.5 } },
      made: { ...serverLimits, wallMs: 1.5, requests: { burst: 2, perSecond: 0.5 } },
    },
  ])("are its own where none are given: $given", ({ given, made }) => {
    expect(limitsWith(given)).toEqual(made);
  });

  it.each([
    { given: { concurrency: 0 }, limit: "concurrency" },
    { given: { perOrg: -1 }, limit: "perOrg" },
    { given: { steps: 1.5 }, limit: "steps" },
    { given: { wallMs: 0 }, limit: "wallMs" },
    { given: { wallMs: 2 ** 31 }, limit: "wallMs" },
    { given: { wallMs: Number.NaN }, limit: "wallMs" },
    { given: { streams: Number.POSITIVE_INFINITY }, limit: "streams" },
    { given: { requests: { burst: 0, perSecond: 1 } }, limit: "requests.burst" },
    { given: { delta: { entries: 0, bytes: 1 } }, limit: "delta.entries" },
    { given: { concurrency: 4, concurency: 4 }, limit: "concurency" },
  ])("are refused by name when they are none: $given", ({ given, limit }) => {
    expect(() => limitsWith(given)).toThrow(expect.objectContaining({ code: "threads/server-limit", limit }));
    expect(() => limitsWith(given)).toThrow(`limits.${limit}`);
    expect(() => limitsWith(given)).toThrow(ServerLimitError);
  });
});
