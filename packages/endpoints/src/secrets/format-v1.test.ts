import { describe, expect, it } from "vitest";
import { deriveArgon2id } from "./argon2id.ts";
import { encryptEnvValues, decryptEnvValues } from "./env-values.ts";
import { readV1, sealV1 } from "./format-v1.ts";

const salt = Buffer.from(Array.from({ length: 16 }, (_, index) => index));
const iv = Buffer.from(Array.from({ length: 16 }, (_, index) => 0x20 + index));

describe("format v1", () => {
  it("derives and writes the reference vector of the Python release", async () => {
    const key = await deriveArgon2id("correct horse", salt);
    const text = await sealV1("sk-test-123", "correct horse", { salt, iv, unixSeconds: 1_700_000_000 });

    expect(key.toString("hex")).toBe("577f1ff37e9a3e52c97d39f8e83891c1b73b0e87ffe0429cee8ede2fb005fe44");
    expect(text).toBe(
      "roboz:v1:AAECAwQFBgcICQoLDA0ODw==:gAAAAABlU_EAICEiIyQlJicoKSorLC0uL_8-FldbRKXBCauUUencjqAAtH9Ibd0sgzpWcdhXKIpIppnF9s23Vmg9dvezaD_Qtw==",
    );
  });

  it("is written on request, with a salt, time and IV of its own for every value", async () => {
    const values = new Map([
      ["A", "same"],
      ["B", "same"],
    ]);
    const before = Math.floor(Date.now() / 1000);

    const encrypted = await encryptEnvValues(values, {
      secretNames: ["A", "B"],
      password: "p",
      format: "v1",
    });
    const [a, b] = [...encrypted.values()].map((text) => readV1(text ?? ""));
    const seconds = Number(a?.token.readBigUInt64BE(1));

    expect(a?.salt.equals(b?.salt ?? salt)).toBe(false);
    expect(a?.token.subarray(9, 25).equals(b?.token.subarray(9, 25) ?? iv)).toBe(false);
    expect(seconds).toBeGreaterThanOrEqual(before);
    expect(seconds).toBeLessThanOrEqual(Date.now() / 1000);
    expect([...(await decryptEnvValues(encrypted, { password: "p" }))]).toEqual([...values]);
  });
});
