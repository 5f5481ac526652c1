import { describe, expect, it } from "vitest";
import { EndpointsError } from "./errors.ts";
import { InvalidSecretError, SecretNameError } from "./secrets/errors.ts";

describe("EndpointsError", () => {
  it("tells its own errors from others, also those of another installed copy", () => {
    const foreign = Object.assign(new Error("of another copy"), {
      [Symbol.for("@roboz/endpoints/error")]: true,
    });

    expect(EndpointsError.is(new InvalidSecretError())).toBe(true);
    expect(EndpointsError.is(foreign)).toBe(true);
    expect(EndpointsError.is(new Error("any"))).toBe(false);
    expect(EndpointsError.is({ code: "endpoints/invalid-secret" })).toBe(false);
  });

  it("carries the class name, the code and the facts", () => {
    expect(new SecretNameError({ envName: "A-B", fault: "not-base-name" })).toMatchObject({
      name: "SecretNameError",
      code: "endpoints/secret-name",
      envName: "A-B",
      fault: "not-base-name",
    });
  });
});
