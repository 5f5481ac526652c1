import { expect, it } from "vitest";

import { CapturedOutput } from "./captured-output.ts";
import { OutputTooLarge } from "./spool.ts";

it("keeps what was written, whatever becomes of the memory that it came in", () => {
  const output = new CapturedOutput();
  const passing = new Uint8Array(3);
  for (const byte of [97, 98, 99]) {
    passing.fill(byte);
    void output.sink(byte === 98 ? "stderr" : "stdout").write(passing);
  }
  expect(output.texts()).toEqual({ stdout: "aaaccc", stderr: "bbb" });
});

it.each([
  {
    why: "as many characters as may be shown",
    stdout: "é".repeat(60_000),
    stderr: "€".repeat(40_000),
    fits: true,
  },
  { why: "one more", stdout: "é".repeat(60_000), stderr: "€".repeat(40_001), fits: false },
])("takes both streams together: $why", ({ stdout, stderr, fits }) => {
  const output = new CapturedOutput();
  void output.sink("stdout").write(Buffer.from(stdout));
  void output.sink("stderr").write(Buffer.from(stderr));
  if (fits) expect(output.texts()).toEqual({ stdout, stderr });
  else expect(() => output.texts()).toThrow(OutputTooLarge);
});
