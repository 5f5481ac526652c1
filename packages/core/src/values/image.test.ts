import { describe, expect, it } from "vitest";

import { image, imageFromBytes, type ImageMediaType } from "./image.ts";

describe("an image", () => {
  it.each([
    { why: "core 12: an address that nobody answers at", url: "https://unreachable.invalid/cat.png" },
    { why: "an address without encryption", url: "http://example.org/cat" },
    { why: "an address in capitals", url: "HTTPS://EXAMPLE.ORG/CAT.PNG" },
    { why: "a data URL", url: "data:image/png;base64,AAAA" },
    { why: "a padded data URL", url: "data:image/svg+xml;base64,AA==" },
    { why: "a data URL padded by one", url: "data:image/jpeg;base64,AAA=" },
  ])("may be $why", ({ url }) => {
    expect(image.parse({ url })).toEqual({ url });
    expect(image.parse({ url, detail: "high" })).toEqual({ url, detail: "high" });
  });

  it.each([
    { why: "a file", url: "file:///etc/passwd" },
    { why: "a script", url: "javascript:alert(1)" },
    { why: "a path", url: "cat.png" },
    { why: "an address that is none", url: "https://" },
    { why: "nothing", url: "" },
    { why: "a data URL of text", url: "data:text/html;base64,AAAA" },
    { why: "a data URL that is not base64", url: "data:image/png,AAAA" },
    { why: "an empty data URL", url: "data:image/png;base64," },
    { why: "base64 of a wrong length", url: "data:image/png;base64,AAA" },
    { why: "base64 with too much padding", url: "data:image/png;base64,A===" },
    { why: "base64 that is all padding", url: "data:image/png;base64,====" },
    { why: "base64 padded in the middle", url: "data:image/png;base64,AA==AAAA" },
    { why: "base64 for addresses", url: "data:image/png;base64,AA-_" },
    { why: "base64 with a line break", url: "data:image/png;base64,AAAA\nAAA" },
  ])("may not be $why", ({ url }) => {
    expect(image.safeParse({ url }).success).toBe(false);
  });

  it("has no other fields", () => {
    expect(image.safeParse({ url: "https://example.org", size: 1 }).success).toBe(false);
    expect(image.safeParse({ url: "https://example.org", detail: 1 }).success).toBe(false);
  });

  it("may be of any size", () => {
    const url = `data:image/png;base64,${"A".repeat(40_000_000)}`;
    expect(image.safeParse({ url }).success).toBe(true);
    expect(image.safeParse({ url: `${url}!AAA` }).success).toBe(false);
  });
});

describe("an image of bytes", () => {
  it.each<{ mediaType: ImageMediaType }>([
    { mediaType: "image/png" },
    { mediaType: "image/jpeg" },
    { mediaType: "image/webp" },
    { mediaType: "image/gif" },
  ])("may be $mediaType", ({ mediaType }) => {
    const made = imageFromBytes(new Uint8Array([255, 0, 1]), mediaType);
    expect(made).toEqual({ url: `data:${mediaType};base64,/wAB` });
    expect(image.parse(made)).toEqual(made);
    expect(Object.isFrozen(made)).toBe(true);
  });

  it("keeps a hint", () => {
    expect(imageFromBytes(new Uint8Array(1), "image/png", "low")).toEqual({
      url: "data:image/png;base64,AA==",
      detail: "low",
    });
  });

  it("is of the part that a view shows", () => {
    const view = new Uint8Array(new Uint8Array([1, 2, 3, 4]).buffer, 1, 2);
    expect(imageFromBytes(view, "image/png").url).toBe("data:image/png;base64,AgM=");
  });

  it("needs bytes, of a type that providers take", () => {
    expect(() => imageFromBytes(new Uint8Array(), "image/png")).toThrow(
      expect.objectContaining({ code: "core/value", kind: "image" }),
    );
    expect(() => void Reflect.apply(imageFromBytes, undefined, [new Uint8Array(1), "image/tiff"])).toThrow(
      /image\/png, image\/jpeg/,
    );
  });
});
