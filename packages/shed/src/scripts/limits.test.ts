import { describe, expect, it } from "vitest";

import { checkLimits } from "./limits.ts";

describe("the limits of scripts", () => {
  it("are five minutes, 64 KiB and no variables by default", () => {
    expect(checkLimits({})).toEqual({ timeoutMs: 300_000, maxOutputBytes: 65_536, allowEnv: [] });
    const given = { timeoutMs: 0.5, maxOutputBytes: 1, allowEnv: ["FOO", "path", "X Y"] };
    expect(checkLimits(given)).toEqual(given);
  });

  const forbidden = [
    "PATH",
    "BASH_ENV",
    "ENV",
    "SHELLOPTS",
    "BASHOPTS",
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "PYTHONPATH",
  ];

  it.each([
    ...[0, -1, Number.NaN, Infinity, true, "5", null].map((timeoutMs) => ({
      setting: "timeoutMs",
      given: timeoutMs,
    })),
    ...[0, -1, 1.5, Number.NaN, Infinity, true, "5", 2 ** 60].map((bytes) => ({
      setting: "maxOutputBytes",
      given: bytes,
    })),
    ...["", "A=B", "A\0", 5, ...forbidden].map((name) => ({ setting: "allowEnv", given: [name] })),
    { setting: "allowEnv", given: "FOO" },
  ])("refuse $given as $setting", ({ setting, given }) => {
    expect(() => checkLimits({ [setting]: given })).toThrow(
      expect.objectContaining({ code: "shed/script-settings", setting }),
    );
  });

  it("do not show a value that was given in place of a name", () => {
    expect(() => checkLimits({ allowEnv: ["KEY=hunter22"] })).toThrow(/^(?!.*hunter22)/);
  });
});
