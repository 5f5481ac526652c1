import { describe, expect, it } from "vitest";

import { checkDependency } from "./check-dependency.ts";
import type { CheckOptions, ExternalDependency } from "./external-dependency.ts";
import { DependencyFailure } from "./failure.ts";

/** A service whose check does this, whatever its type says. */
function service(check: (options?: CheckOptions) => unknown): ExternalDependency {
  const made: unknown = { dependencyId: "x", kind: "network_service", redactedMetadata: () => ({}), check };
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- checks that keep no promise are what is tested
  return made as ExternalDependency;
}

describe("checkDependency", () => {
  it("gives null for what can be used, and the check's own failure for what cannot", async () => {
    const failure = new DependencyFailure({ reasonCode: "timeout", message: "x" });
    expect(await checkDependency(service(() => Promise.resolve(null)))).toBeNull();
    expect(await checkDependency(service(() => Promise.resolve(failure)))).toBe(failure);
  });

  it.each([
    { why: "true", given: true },
    { why: "false", given: false },
    { why: "undefined", given: undefined },
    { why: "an object", given: {} },
    { why: "an object that looks like a failure", given: { reasonCode: "timeout", message: "x" } },
    { why: "a text", given: "ok" },
  ])("RD-10: takes $why as a failure of the check", async ({ given }) => {
    expect(await checkDependency(service(() => given))).toMatchObject({ reasonCode: "protocol_error" });
    expect(await checkDependency(service(() => Promise.resolve(given)))).toMatchObject({
      reasonCode: "protocol_error",
    });
  });

  it.each([
    {
      why: "an error",
      thrown: Object.assign(new Error("x"), { code: "ECONNREFUSED" }),
      reasonCode: "connection_failed",
    },
    { why: "a text", thrown: "x", reasonCode: "check_failed" },
    { why: "null", thrown: null, reasonCode: "check_failed" },
    { why: "undefined", thrown: undefined, reasonCode: "check_failed" },
    { why: "an object", thrown: {}, reasonCode: "check_failed" },
  ])("RD-10: makes a failure of $why that a check throws or rejects with", async ({ thrown, reasonCode }) => {
    const throws = service(() => {
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- a check may throw anything
      throw thrown;
    });
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- a check may reject with anything
    const rejects = service(() => Promise.reject(thrown));
    expect(await checkDependency(throws)).toMatchObject({ reasonCode });
    expect(await checkDependency(rejects)).toMatchObject({ reasonCode });
  });

  it("stops waiting for a check that never ends when its signal fires", async () => {
    const controller = new AbortController();
    const reason = new Error("enough");
    const given: unknown[] = [];
    const waiting = checkDependency(
      service((options) => {
        given.push(options?.signal);
        return new Promise(() => undefined);
      }),
      { signal: controller.signal },
    );
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    expect(given).toEqual([controller.signal]);
  });

  it("does not begin a check whose signal has fired", async () => {
    const reason = new Error("enough");
    const asked = service(() => {
      throw new Error("was asked");
    });
    await expect(checkDependency(asked, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});
