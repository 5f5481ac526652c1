import { inspect } from "node:util";

import { describe, expect, it, vi } from "vitest";

import { LLMAuthError } from "../llm/errors.ts";
import { DependencyFailure } from "./failure.ts";

const secret = "p@ss/w+rd%1";
const options = { secrets: [secret], environment: {} };

function coded(message: string, code: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { code });
}

describe("DependencyFailure.fromError", () => {
  it("core 108: takes the code of a refused connection behind a wrapper, and has both texts", () => {
    const refused = coded("connect ECONNREFUSED 127.0.0.1:1", "ECONNREFUSED");
    expect(DependencyFailure.fromError(new TypeError("fetch failed", { cause: refused }))).toMatchObject({
      reasonCode: "connection_failed",
      message: "TypeError: fetch failed\nCaused by: Error: connect ECONNREFUSED 127.0.0.1:1",
    });
  });

  it("core 109: masks a secret of the environment, in its URL-encoded form too", () => {
    const error = new Error(`no ${secret}, no ${encodeURIComponent(secret)}`);
    expect(DependencyFailure.fromError(error, { environment: { X_TOKEN: secret } }).message).toBe(
      "Error: no [redacted], no [redacted]",
    );
  });

  it("reads the environment of the process", () => {
    vi.stubEnv("ROBOZ_TEST_API_KEY", secret);
    expect(DependencyFailure.fromError(new Error(`no ${secret}`)).message).toBe("Error: no [redacted]");
    vi.unstubAllEnvs();
  });

  it.each([
    { why: "a missing file", error: coded("x", "ENOENT"), reasonCode: "not_found" },
    { why: "a time-out of a socket", error: coded("x", "ETIMEDOUT"), reasonCode: "timeout" },
    { why: "a signal's time-out", error: new DOMException("x", "TimeoutError"), reasonCode: "timeout" },
    { why: "a name that is not known", error: coded("x", "ENOTFOUND"), reasonCode: "connection_failed" },
    { why: "an expired certificate", error: coded("x", "CERT_HAS_EXPIRED"), reasonCode: "tls_failed" },
    {
      why: "a self-signed certificate",
      error: coded("x", "DEPTH_ZERO_SELF_SIGNED_CERT"),
      reasonCode: "tls_failed",
    },
    {
      why: "a certificate of another host",
      error: coded("x", "ERR_TLS_CERT_ALTNAME_INVALID"),
      reasonCode: "tls_failed",
    },
    { why: "text that is no JSON", error: new SyntaxError("x"), reasonCode: "protocol_error" },
    {
      why: "an answer that is no HTTP",
      error: coded("x", "HPE_INVALID_CONSTANT"),
      reasonCode: "protocol_error",
    },
    {
      why: "a status of 401",
      error: Object.assign(new Error("x"), { status: 401 }),
      reasonCode: "authentication_failed",
    },
    {
      why: "a status of 403 in a response",
      error: Object.assign(new Error("x"), { response: { status: 403 } }),
      reasonCode: "authentication_failed",
    },
    {
      why: "a refusal of this package",
      error: new LLMAuthError({ message: "x" }),
      reasonCode: "authentication_failed",
    },
    { why: "a refusal of PostgreSQL", error: coded("x", "28P01"), reasonCode: "authentication_failed" },
    {
      why: "an error that says so",
      error: Object.assign(new Error("x"), { reasonCode: "missing_credentials" }),
      reasonCode: "missing_credentials",
    },
    {
      why: "an error that says so without a code",
      error: new Error("Connection refused"),
      reasonCode: "connection_failed",
    },
    {
      why: "an error that says what is none",
      error: Object.assign(new Error("x"), { reasonCode: "bad" }),
      reasonCode: "check_failed",
    },
    {
      why: "a status of 500",
      error: Object.assign(new Error("x"), { status: 500 }),
      reasonCode: "check_failed",
    },
    { why: "any other error", error: new Error("x"), reasonCode: "check_failed" },
    {
      why: "the innermost of two that say so",
      error: Object.assign(new Error("x", { cause: coded("y", "EPROTO") }), { status: 401 }),
      reasonCode: "tls_failed",
    },
    {
      why: "the inner one that says so, behind one that does not",
      error: new Error("x", { cause: coded("y", "ETIMEDOUT", new Error("z")) }),
      reasonCode: "timeout",
    },
    {
      why: "a member of an aggregate",
      error: new AggregateError([new Error("x"), coded("y", "ECONNRESET")]),
      reasonCode: "connection_failed",
    },
  ])("RD-10: gives $why the code $reasonCode", ({ error, reasonCode }) => {
    expect(DependencyFailure.fromError(error, options).reasonCode).toBe(reasonCode);
  });

  it.each([
    { why: "a text", thrown: "no luck", message: "string: no luck" },
    { why: "null", thrown: null, message: "null: nothing was thrown as an error" },
    { why: "undefined", thrown: undefined, message: "undefined: nothing was thrown as an error" },
    { why: "a plain object", thrown: { a: 1 }, message: "Error: something without a message was thrown" },
    { why: "a number", thrown: 4, message: "number: a number was thrown" },
  ])("RD-10: makes a failure of $why", ({ thrown, message }) => {
    expect(DependencyFailure.fromError(thrown, options)).toMatchObject({
      reasonCode: "check_failed",
      message,
    });
  });

  it.each([
    { why: "in `error`", carried: { error: { message: "No such model" } } },
    { why: "in `error` of a body", carried: { body: { error: { message: "No such model" } } } },
    { why: "in a body that is text", carried: { body: '{"error":{"message":"No such model"}}' } },
    { why: "in a body that says it at the top", carried: { body: { message: "No such model" } } },
    { why: "in a response", carried: { response: { data: { error: "No such model" } } } },
  ])("prefers the provider's own words $why, and tells the status", ({ carried }) => {
    const error = Object.assign(new RangeError(`404 {"everything":"${secret}"}`), {
      status: 404,
      ...carried,
    });
    expect(DependencyFailure.fromError(error, options).message).toBe("RangeError (HTTP 404): No such model");
  });

  it("tells the code of an error without a message", () => {
    const error = Object.assign(
      new AggregateError([coded("connect ECONNREFUSED ::1:1", "ECONNREFUSED")], ""),
      {
        code: "ECONNREFUSED",
      },
    );
    expect(DependencyFailure.fromError(error, options).message).toBe(
      "AggregateError: ECONNREFUSED\nAmong them: Error: connect ECONNREFUSED ::1:1",
    );
  });

  it("RD-03: keeps linked causes and members, and shows the secret in no part", () => {
    let error: Error = new AggregateError([new Error(`member ${secret}`)], `aggregate ${secret}`);
    for (let depth = 1; depth <= 5; depth += 1) {
      error = Object.assign(new Error(`level ${depth} ${encodeURIComponent(secret)}`, { cause: error }), {
        config: { headers: { Authorization: secret } },
        request: `GET / HTTP/1.1\r\nAuthorization: ${secret}`,
        stack: `Error: ${secret}\n at ${secret}`,
      });
    }
    const { message } = DependencyFailure.fromError(error, options);
    expect(message.split("\n")).toEqual([
      "Error: level 5 [redacted]",
      ...[4, 3, 2, 1].map((depth) => `Caused by: Error: level ${depth} [redacted]`),
      "Caused by: AggregateError: aggregate [redacted]",
      "Among them: Error: member [redacted]",
    ]);
  });

  it("RD-04: masks a message before it cuts it", () => {
    const { message } = DependencyFailure.fromError(new Error(`${"x".repeat(995)}${secret}yyy`), options);
    expect(message).toBe(`Error: ${"x".repeat(995)}[redacted]… (3 more characters)`);
  });

  it("RD-09: shows no secret by any printer, and leaves the error as it was", () => {
    const error = new Error(`no ${secret}`, { cause: new Error(secret) });
    const before = inspect(error, { depth: 9, showHidden: true });
    const failure = DependencyFailure.fromError(error, options);
    const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
    console.log(failure);
    const logged = inspect(log.mock.calls);
    log.mockRestore();
    for (const shown of [
      inspect(failure, { showHidden: true, depth: 9 }),
      JSON.stringify(failure),
      String(failure),
      logged,
    ]) {
      expect(shown).toContain("[redacted]");
      expect(shown).not.toContain("p@ss");
    }
    expect(inspect(error, { depth: 9, showHidden: true })).toBe(before);
    expect(error.message).toBe(`no ${secret}`);
  });
});

describe("a DependencyFailure", () => {
  it("RD-14: is masked when it is made from a text, too", () => {
    const failure = new DependencyFailure({ reasonCode: "timeout", message: `no ${secret}` }, options);
    expect(failure).toEqual(new DependencyFailure({ reasonCode: "timeout", message: "no [redacted]" }));
    expect(String(failure)).toBe("timeout: no [redacted]");
  });

  it("is told by a mark, not by its looks", () => {
    expect(DependencyFailure.is(new DependencyFailure({ reasonCode: "timeout", message: "x" }))).toBe(true);
    for (const other of [null, true, {}, { reasonCode: "timeout", message: "x" }, new Error("x")]) {
      expect(DependencyFailure.is(other)).toBe(false);
    }
  });
});
