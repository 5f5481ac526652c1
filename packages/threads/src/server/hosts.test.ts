import { describe, expect, it } from "vitest";

import { checkHost, loopbackHosts } from "./hosts.ts";
import { RateLimit } from "./rate.ts";

const request = (url: string, origin?: string): Request =>
  new Request(url, origin === undefined ? {} : { headers: { origin } });

describe("TH-30: a server on this machine alone", () => {
  const settings = { hosts: loopbackHosts, origins: ["https://app.example"] };

  it.each([
    { why: "a foreign host name", url: "http://evil.example/v1", origin: undefined },
    { why: "a page of another origin", url: "http://localhost:8080/v1", origin: "https://evil.example" },
    { why: "a page of another port", url: "http://localhost:8080/v1", origin: "http://localhost:9090" },
    { why: "a page without an origin", url: "http://localhost:8080/v1", origin: "null" },
  ])("refuses $why", ({ url, origin }) => {
    expect(() => checkHost(request(url, origin), settings)).toThrow(expect.objectContaining({ status: 403 }));
  });

  it.each([
    { why: "a program", url: "http://127.0.0.1:8080/v1", origin: undefined, allowed: undefined },
    {
      why: "a page of its own",
      url: "http://localhost:8080/v1",
      origin: "http://localhost:8080",
      allowed: undefined,
    },
    {
      why: "a page that may",
      url: "http://localhost:8080/v1",
      origin: "https://app.example",
      allowed: "https://app.example",
    },
  ])("answers $why", ({ url, origin, allowed }) => {
    expect(checkHost(request(url, origin), settings)["access-control-allow-origin"]).toBe(allowed);
  });
});

describe("the requests of a principal", () => {
  it("come back with time, and are nobody else's", () => {
    let now = 0;
    const rate = new RateLimit({ burst: 2, perSecond: 1 }, () => now);
    expect([rate.take("a"), rate.take("a"), rate.take("a"), rate.take("b")]).toEqual([0, 0, 1, 0]);
    now = 1000;
    expect([rate.take("a"), rate.take("a")]).toEqual([0, 1]);
  });
});
