import { describe, expect, it } from "vitest";

import { SpeechReader } from "./speech-reader.ts";

const said = (pieces: readonly string[]): string[] => {
  const reader = new SpeechReader();
  return pieces.map((piece) => reader.take(piece));
};

describe("what a model says while its reply comes", () => {
  it.each([
    { why: "the action first", json: { action: "stop", rationale: "r", value: 'Say "hi"\n\\ 🚲' } },
    { why: "the value first", json: { value: 'Say "hi"\n\\ 🚲', action: "prompt_user" } },
    {
      why: "other fields around",
      json: { a: { value: "no", b: ['"}]'] }, n: 1.5, action: "stop", value: 'Say "hi"\n\\ 🚲', z: null },
    },
  ])("is read with $why, cut anywhere", ({ json }) => {
    const text = JSON.stringify(json);
    for (let cut = 0; cut <= text.length; cut += 1)
      expect(said([text.slice(0, cut), text.slice(cut)]).join("")).toBe(json.value);
    expect(said(text.split("")).join("")).toBe(json.value);
  });

  it("is never half a character", () => {
    const text = JSON.stringify({ action: "stop", value: "a🚲b" }).replace("🚲", "\\ud83d\\udeb2");
    for (const piece of said(text.split(""))) expect(piece).not.toMatch(/\p{Surrogate}/u);
    expect(said(text.split("")).join("")).toBe("a🚲b");
  });

  it.each([
    { why: "a call of another tool", text: '{"action":"search","value":"secret"}' },
    { why: "no JSON", text: "Well, hello there" },
    { why: "a value that is no text", text: '{"action":"stop","value":7}' },
    { why: "a broken escape", text: '{"action":"stop","value":"\\q"}' },
  ])("is nothing for $why", ({ text }) => {
    expect(said([text]).join("")).toBe("");
  });
});
