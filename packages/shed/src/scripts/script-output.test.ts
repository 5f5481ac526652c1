import { describe, expect, it } from "vitest";

import { ScriptOutput } from "./script-output.ts";

function texts(maxBytes: number, ...chunks: readonly Buffer[]) {
  const output = new ScriptOutput(maxBytes);
  const heard = [...chunks.map((chunk) => output.add(chunk)), output.end()];
  expect(heard.join("")).toBe(output.text);
  return { text: output.text, isOver: output.isOver, heard };
}

const smile = Buffer.from("😀");

describe("a script's output", () => {
  it.each([
    { why: "a character in two pieces", chunks: [smile.subarray(0, 2), smile.subarray(2)], text: "😀" },
    { why: "bytes that are no text", chunks: [Buffer.from([0x61, 0xff, 0x62])], text: "a\ufffdb" },
    { why: "a character that never ends", chunks: [smile.subarray(0, 3)], text: "\ufffd" },
    { why: "a byte order mark", chunks: [Buffer.from("\ufeffa")], text: "\ufeffa" },
    { why: "nothing", chunks: [], text: "" },
  ])("is decoded as it comes: $why", ({ chunks, text }) => {
    expect(texts(100, ...chunks)).toMatchObject({ text, isOver: false });
  });

  it.each([
    { why: "as many bytes as the limit", chunks: ["abcd"], text: "abcd", isOver: false },
    { why: "one more", chunks: ["abcde"], text: "abcd", isOver: true },
    { why: "one more in a second piece", chunks: ["abcd", "e", "f"], text: "abcd", isOver: true },
    { why: "a limit within a character", chunks: ["ab😀"], text: "ab\ufffd", isOver: true },
  ])("ends at the limit: $why", ({ chunks, text, isOver }) => {
    expect(texts(4, ...chunks.map((chunk) => Buffer.from(chunk)))).toMatchObject({ text, isOver });
  });

  it("is heard as it comes", () => {
    expect(texts(4, Buffer.from("a"), Buffer.from("b"), Buffer.from("cde")).heard).toEqual([
      "a",
      "b",
      "cd",
      "",
    ]);
  });
});
