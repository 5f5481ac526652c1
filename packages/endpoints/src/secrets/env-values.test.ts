import { describe, expect, it } from "vitest";
import { parseEnv, serializeEnv } from "./env-text.ts";
import { decryptEnvValues, encryptEnvValues, type EnvValues } from "./env-values.ts";
import { readV2, V2Opener } from "./format-v2.ts";

const password = "correct horse";
const cheap = { password, scryptLogN: 15 } as const;

function envOf(entries: Record<string, string | undefined>): EnvValues {
  return new Map(Object.entries(entries));
}

/** One environment for all tests that only read it: a derivation takes a while. */
const sealedTwo = encryptEnvValues(envOf({ A: "first", B: "second" }), { ...cheap, secretNames: ["A", "B"] });

async function ciphertextOf(name: string): Promise<string> {
  return (await sealedTwo).get(name) ?? "";
}

describe("encryptEnvValues", () => {
  it("40: any value survives encrypting, writing, reading and opening, and the process is untouched", async () => {
    const values = envOf({
      QUOTES: `'"'`,
      BACKSLASHES: "\\\\'\\",
      LITERAL: "$HOME ${x}",
      LINES: "a\nb\r\nc",
      EMPTY: "",
      BARE: undefined,
      PLAIN: "p q # r",
    });
    const before = { ...process.env };

    const encrypted = await encryptEnvValues(values, {
      ...cheap,
      secretNames: ["QUOTES", "LINES", "EMPTY", "LITERAL"],
    });
    const opened = await decryptEnvValues(parseEnv(serializeEnv(encrypted)).values, { password });

    expect([...opened]).toEqual([...values]);
    expect([...encrypted.keys()]).toEqual([
      "QUOTES_ENCRYPTED",
      "BACKSLASHES",
      "LITERAL_ENCRYPTED",
      "LINES_ENCRYPTED",
      "EMPTY_ENCRYPTED",
      "BARE",
      "PLAIN",
    ]);
    expect({ ...process.env }).toEqual(before);
  });

  it("takes a name given twice as given once, and a set as a list", async () => {
    const secretNames = new Set(["A"]);
    const values = envOf({ A: "x" });

    const byList = await encryptEnvValues(values, { ...cheap, secretNames: ["A", "A"] });
    const bySet = await encryptEnvValues(values, { ...cheap, secretNames });

    expect([...byList.keys()]).toEqual(["A_ENCRYPTED"]);
    expect([...bySet.keys()]).toEqual(["A_ENCRYPTED"]);
  });

  it("needs no password when nothing is selected, whatever the names look like", async () => {
    const values = envOf({ API_KEY: "sk-1", DB_PASSWORD: "p", BARE: undefined });

    const encrypted = await encryptEnvValues(values, { secretNames: [] });

    expect([...encrypted]).toEqual([...values]);
    expect(encrypted).not.toBe(values);
  });

  it.each([
    { why: "41: a name with a dash", values: envOf({ "INVALID-NAME": "x", A: "a" }) },
    { why: "41: a reserved ending", values: envOf({ A_ENCRYPTED: "x", A: "a" }) },
    { why: "41: a reserved ending in lower case", values: envOf({ A_encrypted: "x", A: "a" }) },
    { why: "EN-15: a name that is only the ending", values: envOf({ _ENCRYPTED: "x", A: "a" }) },
    { why: "a name that begins with a digit", values: envOf({ "1A": "x", A: "a" }) },
    { why: "a name with a line end after it", values: envOf({ "B\n": "x", A: "a" }) },
    { why: "an empty name", values: envOf({ "": "x", A: "a" }) },
  ])("refuses $why, although it is not selected", async ({ values }) => {
    const [envName] = values.keys();

    await expect(encryptEnvValues(values, { ...cheap, secretNames: ["A"] })).rejects.toMatchObject({
      code: "endpoints/secret-name",
      fault: "not-base-name",
      envName,
    });
  });

  it.each([
    { why: "42: a selected bare name", value: undefined, secretNames: ["A"], fault: "no-value" },
    { why: "42: a selected value with a NUL", value: "a\0b", secretNames: ["A"], fault: "nul" },
    { why: "42: a NUL in a value that is not selected", value: "a\0b", secretNames: ["B"], fault: "nul" },
    { why: "42: selected ciphertext", value: "roboz:v1:x", secretNames: ["A"], fault: "ciphertext" },
    { why: "42: ciphertext that is not selected", value: "roboz:", secretNames: [], fault: "ciphertext" },
    {
      why: "half a surrogate pair to encrypt",
      value: "a\uD800",
      secretNames: ["A"],
      fault: "malformed-text",
    },
  ])("refuses $why", async ({ value, secretNames, fault }) => {
    const values = envOf({ B: "b", A: value });

    await expect(encryptEnvValues(values, { ...cheap, secretNames })).rejects.toMatchObject({
      code: "endpoints/secret-value",
      envName: "A",
      fault,
    });
  });

  it("EN-15: names a secret that is not there, before it looks at anything else", async () => {
    const values = envOf({ "BAD-NAME": "x" });

    await expect(encryptEnvValues(values, { secretNames: ["MISSING"] })).rejects.toMatchObject({
      code: "endpoints/secret-name",
      fault: "missing",
      envName: "MISSING",
    });
  });

  it.each([
    { why: "a missing password", password: undefined, fault: "missing" },
    { why: "EN-10: an empty password", password: "", fault: "empty" },
    { why: "a password that UTF-8 cannot write", password: "\uDC00", fault: "malformed-text" },
  ])("refuses $why when something is selected", async ({ password: given, fault }) => {
    const options = { secretNames: ["A"], password: given };

    await expect(encryptEnvValues(envOf({ A: "x" }), options)).rejects.toMatchObject({
      code: "endpoints/secret-password",
      fault,
    });
    await expect(encryptEnvValues(envOf({ A: "x" }), { ...options, secretNames: [] })).resolves.toBeDefined();
  });

  it.each([
    { why: "a cost below the floor", given: { scryptLogN: 14 }, setting: "scryptLogN" },
    { why: "a cost above the ceiling", given: { scryptLogN: 19 }, setting: "scryptLogN" },
    { why: "a broken cost", given: { scryptLogN: 15.5 }, setting: "scryptLogN" },
    { why: "an unknown format", given: { format: "v3" }, setting: "format" },
  ])("refuses $why from untyped code", async ({ given, setting }) => {
    const options = { secretNames: ["A"], password, ...given };
    const encrypting: unknown = Reflect.apply(encryptEnvValues, undefined, [envOf({ A: "x" }), options]);

    await expect(encrypting).rejects.toMatchObject({
      code: "endpoints/secret-setting",
      setting,
    });
  });

  it("EN-20: repeats no salt, nonce or sealed part, within a file and between files", async () => {
    const values = envOf({ A: "same", B: "same", C: "same" });
    const files = await Promise.all(
      Array.from({ length: 8 }, () => encryptEnvValues(values, { ...cheap, secretNames: ["A", "B", "C"] })),
    );
    const parts = files.map((file) => [...file.values()].map((text) => readV2(text ?? "")));
    const salts = new Set(parts.map((file) => file[0]?.salt.toString("hex")));
    const nonces = new Set(parts.flat().map((entry) => entry?.nonce.toString("hex")));
    const sealed = new Set(parts.flat().map((entry) => entry?.sealed.toString("hex")));

    expect([salts.size, nonces.size, sealed.size]).toEqual([8, 24, 24]);
  });

  it("derives one key for a file: all values share everything before the nonce", async () => {
    const headers = new Set([...(await sealedTwo).values()].map((text) => readV2(text ?? "")?.header));

    expect(headers.size).toBe(1);
    expect([...headers][0]).toMatch(/^roboz:v2:scrypt:15:8:1:/);
  });
});

describe("decryptEnvValues", () => {
  it("EN-14: tells a composed é in a password from a decomposed one", async () => {
    const encrypted = await encryptEnvValues(envOf({ A: "x" }), {
      ...cheap,
      password: "caf\u00E9",
      secretNames: ["A"],
    });

    await expect(decryptEnvValues(encrypted, { password: "cafe\u0301" })).rejects.toMatchObject({
      code: "endpoints/invalid-secret",
    });
    expect([...(await decryptEnvValues(encrypted, { password: "caf\u00E9" }))]).toEqual([["A", "x"]]);
  });

  it.each([
    {
      why: "43: ciphertext of the old scheme",
      values: envOf({ A_SECRET: "roboz:v1:old" }),
      code: "endpoints/legacy-secret",
    },
    {
      why: "EN-19: ciphertext under a plain name",
      values: envOf({ A: "roboz:v2:x" }),
      code: "endpoints/legacy-secret",
    },
    {
      why: "43: a bare encrypted name",
      values: envOf({ A_ENCRYPTED: undefined }),
      code: "endpoints/invalid-secret",
    },
    {
      why: "43: a doubled suffix",
      values: envOf({ A_ENCRYPTED_ENCRYPTED: "roboz:v1:x" }),
      code: "endpoints/secret-name",
    },
    {
      why: "43: a suffix in lower case",
      values: envOf({ A_encrypted: "roboz:v1:x" }),
      code: "endpoints/secret-name",
    },
    {
      why: "44: a name in plain and encrypted",
      values: envOf({ A: "x", A_ENCRYPTED: "roboz:v1:x" }),
      code: "endpoints/secret-collision",
    },
    {
      why: "44: the same in the other order, bare",
      values: envOf({ A_ENCRYPTED: "roboz:v1:x", A: undefined }),
      code: "endpoints/secret-collision",
    },
    {
      why: "55: an unknown version",
      values: envOf({ A_ENCRYPTED: "roboz:v2:anything" }),
      code: "endpoints/invalid-secret",
    },
  ])("refuses $why", async ({ values, code }) => {
    await expect(decryptEnvValues(values, { password })).rejects.toMatchObject({ code });
  });

  it("45: says the same for a wrong password as for a flipped byte", async () => {
    const text = await ciphertextOf("A_ENCRYPTED");
    const messageFor = async (value: string, given: string): Promise<string> => {
      try {
        await decryptEnvValues(envOf({ A_ENCRYPTED: value }), { password: given });
      } catch (error) {
        return error instanceof Error ? `${error.message} ${Object.keys(error).join(" ")}` : "";
      }
      return "opened";
    };
    const flipped = (at: number): string =>
      text.slice(0, at) + (text[at] === "A" ? "B" : "A") + text.slice(at + 1);
    const salt = text.indexOf(":", "roboz:v2:scrypt:15:8:1".length) + 1;

    const wrong = await messageFor(text, "wrong");

    expect(wrong).toContain("could not be opened");
    expect(await messageFor(flipped(salt), password)).toBe(wrong);
    expect(await messageFor(flipped(text.length - 3), password)).toBe(wrong);
    expect(await messageFor("roboz:v9:", password)).toBe(wrong);
  });

  it("EN-02: refuses every change of one character of nonce and sealed part", async () => {
    const text = await ciphertextOf("A_ENCRYPTED");
    const opener = new V2Opener(password);
    const from = text.split(":", 8).join(":").length + 1;
    const changed = Array.from({ length: text.length - from }, (_, index) => from + index)
      .filter((at) => text[at] !== ":")
      .flatMap((at) => ["A", "z", "_"].map((other) => text.slice(0, at) + other + text.slice(at + 1)))
      .filter((other) => other !== text);

    let refused = 0;
    for (const other of changed) {
      const entry = readV2(other);
      const isRefused =
        entry === undefined ||
        (await opener.open(entry, "A").then(
          () => false,
          () => true,
        ));
      if (isRefused) refused++;
    }

    expect(changed.length).toBeGreaterThan(100);
    expect(refused).toBe(changed.length);
    await expect(decryptEnvValues(envOf({ A_ENCRYPTED: text }), { password })).resolves.toEqual(
      envOf({ A: "first" }),
    );
  });

  it("EN-04: refuses swapped values in format v2", async () => {
    const swapped = envOf({
      A_ENCRYPTED: await ciphertextOf("B_ENCRYPTED"),
      B_ENCRYPTED: await ciphertextOf("A_ENCRYPTED"),
    });

    await expect(decryptEnvValues(swapped, { password })).rejects.toMatchObject({
      code: "endpoints/invalid-secret",
    });
    expect([...(await decryptEnvValues(await sealedTwo, { password }))]).toEqual([
      ["A", "first"],
      ["B", "second"],
    ]);
  });

  it("EN-21: opens an empty secret of either format as empty", async () => {
    for (const format of ["v1", "v2"] as const) {
      const encrypted = await encryptEnvValues(envOf({ A: "" }), { ...cheap, format, secretNames: ["A"] });

      expect([...(await decryptEnvValues(encrypted, { password }))]).toEqual([["A", ""]]);
    }
  });

  it("asks for a password only where something is encrypted, and before it looks at ciphertext", async () => {
    await expect(decryptEnvValues(envOf({ A: "x", B: undefined }))).resolves.toEqual(
      envOf({ A: "x", B: undefined }),
    );
    await expect(decryptEnvValues(envOf({ A_ENCRYPTED: "no" }))).rejects.toMatchObject({ fault: "missing" });
    await expect(decryptEnvValues(envOf({ A_ENCRYPTED: "no" }), { password: "" })).rejects.toMatchObject({
      fault: "empty",
    });
  });

  it("PB-23: takes names that objects inherit for plain names", async () => {
    const values = new Map([
      ["__proto__", "a"],
      ["constructor", "b"],
      ["toString", "c"],
    ]);
    const encrypted = await encryptEnvValues(values, { ...cheap, secretNames: ["__proto__", "constructor"] });

    expect([...(await decryptEnvValues(encrypted, { password }))]).toEqual([...values]);
  });

  it("is not moved by changes of the map while it works", async () => {
    const values = new Map([
      ["A", "x"],
      ["B", "y"],
    ]);
    const encrypting = encryptEnvValues(values, { ...cheap, secretNames: ["A"] });
    values.clear();

    expect([...(await encrypting).keys()]).toEqual(["A_ENCRYPTED", "B"]);
  });
});
