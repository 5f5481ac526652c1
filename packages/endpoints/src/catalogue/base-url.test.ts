import { expect, it } from "vitest";

import { baseUrlProblem } from "./base-url.ts";

it.each([
  "https://api.example.com/v1",
  "http://localhost",
  "HTTPS://Example.com/",
  "http://localhost:11434/v1/",
  "http://127.0.0.1:0",
  "http://127.0.0.1:65535/v1",
  "http://[::1]:8080/v1",
  "http://[2001:db8::1]",
  "https://example.com/a/b/c/",
  "https://müller.example/v1",
  "https://example.com/a@b:c",
])("takes %s", (url) => {
  expect(baseUrlProblem(url)).toBeUndefined();
});

it.each([
  { why: "another scheme", url: "file:///models/x" },
  { why: "a scheme that only starts right", url: "httpsx://example.com" },
  { why: "no scheme", url: "example.com/v1" },
  { why: "no host", url: "https:///v1" },
  { why: "a port without a host", url: "https://:8080/v1" },
  { why: "one slash", url: "https:/example.com" },
  { why: "backslashes", url: "https:\\\\example.com" },
  { why: "a backslash in the path", url: "https://example.com\\@secret.example/" },
  { why: "a user and a password", url: "https://user:secret@host/v1" },
  { why: "a user", url: "https://secret@host/v1" },
  { why: "an empty user", url: "https://@host/v1" },
  { why: "a query", url: "https://host/v1?key=secret" },
  { why: "an empty query", url: "https://host/v1?" },
  { why: "a query right after the host", url: "https://host?key=secret" },
  { why: "a fragment", url: "https://host/v1#secret" },
  { why: "a port that is no number", url: "https://host:wrong/v1" },
  { why: "a port above 65535", url: "https://host:65536/v1" },
  { why: "a signed port", url: "https://host:+80/v1" },
  { why: "two ports", url: "https://host:80:80/v1" },
  { why: "an open IPv6 bracket", url: "https://[::1/v1" },
  { why: "a bracket that holds no address", url: "https://[example]/v1" },
  { why: "an IPv6 address without brackets", url: "https://::1/v1" },
  { why: "text after the bracket", url: "https://[::1]x/v1" },
  { why: "an IPv6 zone", url: "https://[fe80::1%25eth0]/v1" },
  { why: "white space around", url: " https://host/v1" },
  { why: "a line break at the end", url: "https://host/v1\n" },
  { why: "a tab inside", url: "https://ho\tst/v1" },
  { why: "an encoded at sign in the host", url: "https://user%40host/v1" },
])("refuses $why without repeating it", ({ url }) => {
  const problem = baseUrlProblem(url);
  expect(problem).toMatch(/^(must|has|is) /);
  expect(problem).not.toContain("secret");
});
