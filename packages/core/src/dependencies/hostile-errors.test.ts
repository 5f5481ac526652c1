import { describe, expect, it } from "vitest";

import { DependencyFailure } from "./failure.ts";
import { redactSecrets } from "./redact.ts";

const secret = "p@ss/w+rd%1";
const options = { secrets: [secret], environment: {} };

function throwing(name: string): Error {
  return Object.defineProperty(new Error("x"), name, {
    get: () => {
      throw new Error(`the getter of ${name} was called, ${secret}`);
    },
  });
}

/** Errors of which each is the cause of the one before. */
function chainOf(length: number): Error {
  let error = Object.assign(new Error("innermost"), { code: "ECONNREFUSED" });
  for (let depth = 1; depth < length; depth += 1)
    error = Object.assign(new Error(`level ${depth}`, { cause: error }), { code: "" });
  return error;
}

/** Something of which every property is another such thing. */
function endless(): object {
  return new Proxy(new Error("endless"), { get: () => endless() });
}

describe("DependencyFailure.fromError", () => {
  it.each([
    "name",
    "message",
    "cause",
    "errors",
    "code",
    "status",
    "response",
    "body",
    "error",
    "reasonCode",
  ])("RD-08: takes an error whose `%s` throws when it is read", (name) => {
    const failure = DependencyFailure.fromError(throwing(name), options);
    expect(failure.reasonCode).toBe("check_failed");
    expect(failure.message).toMatch(/^Error: (?:x|something without a message was thrown)$/);
  });

  it("RD-08: tells each error of a ring once", () => {
    const [one, two, three]: [Error, Error, Error] = [new Error("one"), new Error("two"), new Error("three")];
    one.cause = two;
    two.cause = three;
    three.cause = one;
    const { message } = DependencyFailure.fromError(one, options);
    expect(message.split("\n")).toEqual(["Error: one", "Caused by: Error: two", "Caused by: Error: three"]);
    one.cause = one;
    expect(DependencyFailure.fromError(one, options).message).toBe("Error: one");
  });

  it("RD-08: tells each member of an aggregate that holds itself once", () => {
    const members: Error[] = [new Error("a")];
    const aggregate = new AggregateError([], "all");
    aggregate.errors = members;
    members.push(aggregate, ...members);
    const { message } = DependencyFailure.fromError(aggregate, options);
    expect(message.split("\n")).toEqual(["AggregateError: all", "Among them: Error: a"]);
  });

  it("tells the first of an aggregate of 10 000, and how many are left", () => {
    const members = Array.from({ length: 10_000 }, (_, index) =>
      Object.assign(new Error(`${index}, ${secret}`), { code: index === 3 ? "ETIMEDOUT" : "" }),
    );
    const failure = DependencyFailure.fromError(new AggregateError(members, "all"), options);
    expect(failure.reasonCode).toBe("timeout");
    expect(failure.message).toContain("AggregateError: all (9990 more errors are not shown)");
    expect(failure.message.split("\n")).toHaveLength(11);
    expect(failure.message).not.toContain(secret);
  });

  it("tells the first of a long chain, and takes the reason of its innermost as far as it looks", () => {
    const failure = DependencyFailure.fromError(chainOf(50), options);
    expect(failure.reasonCode).toBe("connection_failed");
    expect(failure.message.split("\n")).toHaveLength(17);
    expect(failure.message).toContain("… and 34 more");
    expect(DependencyFailure.fromError(chainOf(10_000), options).reasonCode).toBe("check_failed");
  });

  it("RD-08: takes a proxy whose every property is another one", () => {
    expect(DependencyFailure.fromError(endless(), options).reasonCode).toBe("check_failed");
  });

  it.each([
    { why: "a proxy that was revoked", thrown: revoked({}) },
    { why: "a list that was revoked as members", thrown: { message: "x", errors: revoked([]) } },
    { why: "a function", thrown: () => secret },
    { why: "an object without a prototype", thrown: { __proto__: null, message: "x" } },
    { why: "a symbol", thrown: Symbol(secret) },
    { why: "a message that is no text", thrown: { message: { toString: (): string => secret } } },
    { why: "a list of sparse members", thrown: Object.assign(new Error("x"), { errors: Array(5) }) },
    {
      why: "a list as long as can be",
      thrown: Object.assign(new Error("x"), { errors: Array(2 ** 32 - 1) }),
    },
  ])("makes a failure of $why", ({ thrown }) => {
    const failure = DependencyFailure.fromError(thrown, options);
    expect(failure.reasonCode).toBe("check_failed");
    expect(failure.message).not.toContain(secret);
  });

  it("RD-08: shows the beginning of a message of 10 MB, and no secret at its end or at the cut", () => {
    const text = `${"x".repeat(995)}${secret}${"y".repeat(10_000_000)}${secret}`;
    const { message } = DependencyFailure.fromError(new Error(text), options);
    expect(message).toMatch(/^Error: x{995}\[redacted\]… \(\d+ more characters\)$/);
  });

  it("keeps its reason when the error's words are secrets themselves", () => {
    const error = Object.assign(new Error("connect refused"), { code: "ECONNREFUSED" });
    const failure = DependencyFailure.fromError(error, { secrets: ["connect", "Error"], environment: {} });
    expect(failure).toMatchObject({
      reasonCode: "connection_failed",
      message: "[redacted]: [redacted] refused",
    });
  });
});

describe("redactSecrets", () => {
  it("masks a secret that is a common word wherever it stands, and leaves the rest", () => {
    expect(redactSecrets("the test of the latest", { secrets: ["test"], environment: {} })).toBe(
      "the [redacted] of the la[redacted]",
    );
  });

  it.each([
    { why: "slashes", text: "/".repeat(100_000) },
    { why: "users of URLs", text: "//a@".repeat(25_000) },
    { why: "beginnings of private keys", text: "-----BEGIN PRIVATE KEY-----".repeat(4000) },
    { why: "names of credentials", text: "password=".repeat(11_000) },
    { why: "quotes that do not end", text: `password='${"\\'".repeat(50_000)}` },
    { why: "commas", text: `password=${`,${"a".repeat(79)}`.repeat(1250)}` },
    { why: "schemes", text: "bearer ".repeat(14_000) },
    { why: "blanks", text: `password${" ".repeat(100_000)}` },
    { why: "dashes", text: ` --${"a-".repeat(50_000)}` },
    { why: "escapes of escapes", text: "\\".repeat(100_000) },
    { why: "percent signs", text: "%25".repeat(33_000) },
    { why: "ampersands", text: "&amp;".repeat(20_000) },
    { why: "tokens", text: "eyJaaaaaaaa.".repeat(8000) },
  ])("RD-08: comes to an end with a text of 100 000 $why", ({ text }) => {
    expect(redactSecrets(`${text} ${secret}`, options)).not.toContain(secret);
  });
});

function revoked<T extends object>(target: T): T {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}
