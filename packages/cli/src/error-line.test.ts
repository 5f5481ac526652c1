import { afterEach, describe, expect, it, vi } from "vitest";

import { errorLine } from "./error-line.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("errorLine", () => {
  it.each([
    {
      why: "line breaks",
      given: new Error("one\n- two\r\n- three\u2028four"),
      line: "one - two - three four",
    },
    { why: "escape sequences", given: new Error("a\u001b[2Jb\u009bc"), line: "a [2Jb c" },
    { why: "an error without a message", given: new TypeError(), line: "TypeError" },
    { why: "a thrown text", given: "plain", line: "plain" },
    { why: "a thrown thing", given: { secret: "x" }, line: "something that is no error was thrown" },
    {
      why: "the system's reason in place of the advice to look for it",
      given: new Error("`x` could not be read; see `cause`", {
        cause: Object.assign(new Error("no"), { code: "EACCES" }),
      }),
      line: "`x` could not be read (EACCES)",
    },
    {
      why: "no reason that the message gives already",
      given: new Error("`x` does not exist", { cause: Object.assign(new Error("no"), { code: "ENOENT" }) }),
      line: "`x` does not exist",
    },
    {
      why: "user and password of an address",
      given: new Error("GET https://me:hunter2@example.org/v1 failed"),
      line: "GET https://[redacted]@example.org/v1 failed",
    },
  ])("makes one line of $why", ({ given, line }) => {
    expect(errorLine(given)).toBe(line);
  });

  it("masks credentials of the process, the longer first", () => {
    vi.stubEnv("SHORT_API_KEY", "abc123");
    vi.stubEnv("LONG_TOKEN", "abc123/def");
    vi.stubEnv("PLAIN_NAME", "opened-value");
    vi.stubEnv("PLAIN_NAME_ENCRYPTED", "roboz:v2:x");
    expect(errorLine("abc123/def abc123%2Fdef abc123 opened-value")).toBe(
      "[redacted] [redacted] [redacted] [redacted]",
    );
  });

  it.each(["", " ", "a"])("does not destroy the text for a credential of %j", (value) => {
    vi.stubEnv("X_API_KEY", value);
    expect(errorLine("a banana")).toBe("a banana");
  });

  it("cuts what is far too long", () => {
    expect(errorLine("x".repeat(50_000))).toHaveLength(2001);
  });
});
