import { describe, expect, it } from "vitest";

import { microsOf, stampAfter, stampOf, stampOfFile } from "./stamp.ts";

const micros = Date.UTC(2026, 4, 1, 10, 0, 0, 123) * 1_000 + 456;

describe("a stamp", () => {
  it("is UTC with six digits of microseconds, and read back as the same moment", () => {
    expect(stampOf(micros)).toBe("20260501T100000123456Z");
    expect(microsOf("20260501T100000123456Z")).toBe(micros);
    expect(stampOf(0)).toBe("19700101T000000000000Z");
  });

  it.each([
    { why: "nothing", text: "" },
    { why: "milliseconds alone", text: "20260501T100000123Z" },
    { why: "a day that is none", text: "20260631T100000123456Z" },
    { why: "an hour that is none", text: "20260501T250000123456Z" },
    { why: "no zone", text: "20260501T100000123456" },
    { why: "more behind it", text: "20260501T100000123456Z2" },
    { why: "digits of another script", text: "２０260501T100000123456Z" },
  ])("is not made of $why", ({ text }) => {
    expect(microsOf(text)).toBeUndefined();
    expect(stampOfFile(`${text}.md`)).toBeUndefined();
  });

  it("names a Markdown file and no other", () => {
    expect(stampOfFile("20260501T100000123456Z.md")).toBe("20260501T100000123456Z");
    for (const name of ["20260501T100000123456Z", "20260501T100000123456Z.MD", "x20260501T100000123456Z.md"])
      expect(stampOfFile(name)).toBeUndefined();
  });

  it("is later than the one before, also when the clock was set back", () => {
    const now = Date.UTC(2026, 4, 1);
    expect(stampAfter(now, undefined)).toBe("20260501T000000000000Z");
    expect(stampAfter(now, "20260430T000000000000Z")).toBe("20260501T000000000000Z");
    expect(stampAfter(now, "20260501T000000000000Z")).toBe("20260501T000000000001Z");
    expect(stampAfter(now, "20991231T235959999999Z")).toBe("21000101T000000000000Z");
    expect(stampAfter(now, "no stamp")).toBe("20260501T000000000000Z");
  });
});
