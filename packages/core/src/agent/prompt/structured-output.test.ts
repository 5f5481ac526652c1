import { describe, expect, it } from "vitest";
import * as z from "zod";

import { value } from "../../values/value.ts";
import { structuredOutputPrompt } from "./structured-output.ts";

const Verdict = value("verdict", { accepted: z.boolean(), reason: z.string().optional() });

describe("structuredOutputPrompt", () => {
  it.each([
    { why: "a value type", output: Verdict },
    { why: "a zod schema", output: Verdict.schema },
  ])("shows the schema of $why in a fenced block, after what is configured", ({ output }) => {
    const prompt = structuredOutputPrompt({ prompt: " Judge. ", output });
    const [, schema = ""] = /^Judge\.\n\n[^]*```json\n(.*)\n```/.exec(prompt) ?? [];
    expect(JSON.parse(schema)).toMatchObject({
      type: "object",
      properties: { accepted: { type: "boolean" }, reason: { type: "string" } },
      required: ["accepted"],
    });
    expect(prompt).toMatch(/parsed strictly/);
    expect(prompt).toMatch(/Check last:/);
    expect(prompt).not.toMatch(/action|rationale|Example/);
  });

  it("shows an example that fits", () => {
    const prompt = structuredOutputPrompt({ prompt: "Judge.", output: Verdict, example: { accepted: true } });
    expect(prompt).toContain('Example: {"accepted":true}');
  });

  it.each([
    { output: Verdict, kind: "verdict" },
    { output: Verdict.schema, kind: "output" },
  ])("refuses an example that does not fit the $kind", ({ output, kind }) => {
    const make = () => structuredOutputPrompt({ prompt: "Judge.", output, example: { accepted: "yes" } });
    expect(make).toThrow(expect.objectContaining({ code: "core/value", kind }));
  });

  it("needs no configured text", () => {
    expect(structuredOutputPrompt({ prompt: "", output: Verdict })).toMatch(
      /^Reply with a single JSON object/,
    );
  });
});
