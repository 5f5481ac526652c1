import { describe, expect, it } from "vitest";

import { encodings } from "./__fixtures__/encodings.ts";
import { redactSecrets } from "./redact.ts";

const none = { environment: {} };
const awkward = "p@ss/w+rd%1";

/** Masks with these secrets and no environment. */
function masked(text: string, ...secrets: readonly string[]): string {
  return redactSecrets(text, { secrets, ...none });
}

describe("redactSecrets", () => {
  it.each([
    { why: "RD-01: plainly", text: `no ${awkward} here` },
    { why: "RD-01: percent-encoded with upper hex", text: "no p%40ss%2Fw%2Brd%251 here" },
    { why: "RD-01: percent-encoded with lower hex", text: "no p%40ss%2fw%2brd%251 here" },
    { why: "RD-01: percent-encoded in part", text: "no p%40ss/w+rd%251 here" },
    { why: "RD-01: with each character percent-encoded", text: "no %70%40%73%73%2f%77%2b%72%64%25%31 here" },
  ])("masks a secret that appears $why", ({ text }) => {
    expect(masked(text, awkward)).toBe("no [redacted] here");
  });

  it("RD-01: masks a secret that appears in a URL as user part, raw or encoded", () => {
    expect(masked(`x https://me:${awkward}@db.example/x`, awkward)).toBe("x https://[redacted]@db.example/x");
    expect(masked("x https://p%40ss%2Fw+rd%1@db.example/x", awkward)).toBe(
      "x https://[redacted]@db.example/x",
    );
  });

  it.each(
    Object.entries(encodings).flatMap(([why, encode]) =>
      [awkward, "correct horse battery", 'quote"and\\slash', "tèst-ключ-鍵", "a%41&<b>+='`x"].map(
        (secret) => ({
          why,
          secret,
          text: encode(secret),
        }),
      ),
    ),
  )("RD-02: leaves nothing of $secret $why", ({ secret, text }) => {
    const shown = masked(`before ${text} after`, secret);
    expect(shown).toMatch(/^before .*\[redacted\].* after$/);
    expect(shown).not.toContain(text);
  });

  it("RD-04: masks a secret that straddles the cut before it cuts", () => {
    const shown = redactSecrets(`${"x".repeat(10)}${awkward}${"y".repeat(50)}`, {
      secrets: [awkward],
      ...none,
      maxCharacters: 12,
    });
    expect(shown).toBe(`${"x".repeat(10)}[redacted]… (50 more characters)`);
  });

  it("RD-04: shows no part of a secret that masks before it bring nearer to the cut", () => {
    const text = `${awkward} `.repeat(20);
    const shown = redactSecrets(text, { secrets: [awkward], ...none, maxCharacters: 40 });
    expect(shown).toMatch(/^(?:\[redacted\] )+\[redacted\]… \(\d+ more characters\)$/);
  });

  it("RD-05: ignores secrets that are empty, blank or too short to be one", () => {
    expect(masked("a banana and a cab", "", " ", "a", "ab")).toBe("a banana and a cab");
  });

  it("takes a text in place of a list for the one secret that it is", () => {
    expect(redactSecrets("key abcdef, bad face", { secrets: "abcdef", ...none })).toBe(
      "key [redacted], bad face",
    );
  });

  it("RD-06: leaves no tail of a longer secret that begins like another", () => {
    expect(masked("x abc123def x", "abc123", "abc123def")).toBe("x [redacted] x");
    expect(masked("x abc123def x", "abc123def", "abc123")).toBe("x [redacted] x");
  });

  it.each([
    { why: "overlap", text: "<abcdefgh>", secrets: ["abcde", "defgh"] },
    { why: "overlap themselves", text: "<aaaaaaa>", secrets: ["aaaa"] },
    { why: "lie in one another", text: "<xabcdx>", secrets: ["abcd", "xabcdx"] },
    { why: "touch", text: "<abcdefgh>", secrets: ["abcd", "efgh"] },
  ])("masks secrets that $why as one", ({ text, secrets }) => {
    expect(masked(text, ...secrets)).toBe("<[redacted]>");
  });

  it.each(["a.c*", "x(y", "a\\d+", "$&$1$`", "[a-z]+", "^.*$", "{2,}|x"])(
    "RD-07: takes the secret %s literally",
    (secret) => {
      expect(masked(`abc ${secret} abcd xyz`, secret)).toBe("abc [redacted] abcd xyz");
    },
  );

  it("RD-08: takes a text of 50 MB without looking at all of it", () => {
    const shown = masked(`${awkward} ${"x".repeat(50_000_000)}`, awkward);
    expect(shown).toMatch(/^\[redacted\] x+… \(\d+ more characters\)$/);
    expect(shown.length).toBeLessThan(110_000);
  });

  it.each([
    {
      why: "a URL",
      text: "at https://bob:hunter2@db.example:5432/x",
      shown: "at https://[redacted]@db.example:5432/x",
    },
    { why: "a URL with an @ in its password", text: "//b:p@ss@db.example", shown: "//[redacted]@db.example" },
    { why: "a bearer header", text: "Authorization: Bearer abc.def", shown: "Authorization: [redacted]" },
    {
      why: "a bearer value alone",
      text: "sent Bearer abc.def to db.example",
      shown: "sent Bearer [redacted] to db.example",
    },
    {
      why: "a basic value",
      text: "Basic dXNlcjpwdw== at db.example",
      shown: "Basic [redacted] at db.example",
    },
    {
      why: "a query",
      text: "GET /x?api_key=abc&host=db.example",
      shown: "GET /x?api_key=[redacted]&host=db.example",
    },
    {
      why: "a pair with a colon",
      text: "password: hunter2 host: db.example",
      shown: "password: [redacted] host: db.example",
    },
    {
      why: "a connection string",
      text: "Password=x1;Server=db.example",
      shown: "Password=[redacted];Server=db.example",
    },
    {
      why: "a list",
      text: "user=bob,password=x1,host=db.example",
      shown: "user=bob,password=[redacted],host=db.example",
    },
    {
      why: "JSON",
      text: '{"api_key":"a b\\"c","host":"db.example"}',
      shown: '{"api_key":"[redacted]","host":"db.example"}',
    },
    {
      why: "a printed object",
      text: "{ token: 'a b', host: 'db.example' }",
      shown: "{ token: '[redacted]', host: 'db.example' }",
    },
    { why: "a variable", text: "export OPENAI_API_KEY=abc", shown: "export OPENAI_API_KEY=[redacted]" },
    {
      why: "a cookie",
      text: "Set-Cookie: a=1; b=2\nHost: db.example",
      shown: "Set-Cookie: [redacted]\nHost: db.example",
    },
    {
      why: "an encoded URL",
      text: "to=https%3A%2F%2Fbob%3Ax%40db.example",
      shown: "to=https%3A%2F%2F[redacted]%40db.example",
    },
    {
      why: "escaped JSON",
      text: '"{\\"password\\":\\"a b\\"}"',
      shown: '"{\\"password\\":\\"[redacted]\\"}"',
    },
    { why: "a command", text: "mysql --password hunter2 db", shown: "mysql --password [redacted] db" },
    {
      why: "a key of a known shape",
      text: "Incorrect key: sk-proj-abcdefgh123",
      shown: "Incorrect key: [redacted]",
    },
  ])("RD-13: masks the value in $why without knowing it", ({ text, shown }) => {
    expect(masked(text)).toBe(shown);
  });

  it.each([
    "connect ECONNREFUSED 127.0.0.1:5432",
    "getaddrinfo ENOTFOUND api.example.com",
    "see https://example.com/path?page=2 for me@example.com",
    "max_tokens: 4096 is more than the model's 2048",
    "Basic authentication is required; a bearer token is missing",
    "the password is wrong",
    "no API key: `OPENAI_API_KEY` is not set",
    "`model-1` at `openai` (HTTP 404)",
  ])("leaves as it is: %s", (text) => {
    expect(masked(text)).toBe(text);
  });

  it("masks the same text again without a change", () => {
    const once = masked(`Bearer abc password: x1y2 https://u:p@h ${awkward} redacted`, awkward, "redacted");
    expect(masked(once, awkward, "redacted")).toBe(once);
  });

  it.each([
    { why: "RD-14 and core 109: its name", environment: { X_TOKEN: awkward } },
    { why: "its name in lower case", environment: { my_api_key: awkward } },
    { why: "its name alone", environment: { PASSWORD: awkward } },
    { why: "RD-14: its encrypted companion", environment: { DB: awkward, DB_ENCRYPTED: "roboz:v2:x" } },
  ])("masks the value of a variable that is a secret by $why", ({ environment }) => {
    const text = `no ${awkward} and no ${encodeURIComponent(awkward)}`;
    expect(redactSecrets(text, { environment })).toBe("no [redacted] and no [redacted]");
  });

  it("leaves the values of other variables", () => {
    expect(redactSecrets("in /home/bob", { environment: { HOME: "/home/bob", TOKENS_PATH: "bob" } })).toBe(
      "in /home/bob",
    );
  });

  const pem =
    "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIU\nYWJjZGVmZ2hpamtsbW5v\n-----END CERTIFICATE-----\n";
  it.each([
    { why: "as it is", text: pem },
    { why: "with \\n escapes", text: pem.replaceAll("\n", "\\n") },
    { why: "with CRLF", text: pem.replaceAll("\n", "\r\n") },
    { why: "with \\r\\n escapes", text: pem.replaceAll("\n", "\\r\\n") },
    {
      why: "line by line",
      text: pem
        .split("\n")
        .map((line) => `> ${line}`)
        .join("\n"),
    },
  ])("RD-15: masks a PEM secret of several lines that appears $why", ({ text }) => {
    for (const secret of [pem, pem.replaceAll("\n", "\r\n"), pem.trim().replaceAll("\n", "\\n")]) {
      const shown = masked(`key ${text} end`, secret);
      expect(shown).toContain("[redacted]");
      expect(shown).not.toMatch(/MIIBs|YWJjZ/);
    }
  });
});
