import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { useScratchDirectory } from "../../test/scratch.ts";
import { EndpointsError } from "../errors.ts";
import { encryptEnv } from "./encrypt-env.ts";
import { decryptEnvValues, encryptEnvValues } from "./env-values.ts";
import { loadSecrets } from "./load-secrets.ts";

useScratchDirectory();
const password = "pass-hidden";
const quiet = { onWarning: () => undefined };

/** Everything that a log could show of an error. */
function allOf(error: unknown): string {
  const stack = error instanceof Error ? error.stack : "";
  return [
    String(error),
    stack,
    inspect(error, { depth: null, showHidden: true }),
    JSON.stringify(error),
  ].join("\n");
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.unreachable("nothing failed"),
    (error: unknown) => error,
  );
}

const inMemory = { secretNames: ["A"], password, scryptLogN: 15 } as const;
const ofFile = { ...inMemory, ...quiet };
const key = "-----BEGIN KEY-----\nhidden1234567890hidden\nhidden+/hidden\nhid-den==\nhid-den=hidden";

describe("EN-23: an error shows no password, value or key", () => {
  it.each([
    { why: "a NUL", work: () => encryptEnvValues(new Map([["A", "hidden\0"]]), inMemory) },
    {
      why: "half a surrogate pair",
      work: () => encryptEnvValues(new Map([["A", "hidden\uD800"]]), inMemory),
    },
    { why: "existing ciphertext", work: () => encryptEnvValues(new Map([["A", "roboz:hidden"]]), inMemory) },
    {
      why: "a bad password",
      work: () => encryptEnvValues(new Map([["A", "hidden"]]), { ...inMemory, password: "hidden\uD800" }),
    },
    {
      why: "a bad entry beside",
      work: () =>
        encryptEnvValues(
          new Map([
            ["A", "hidden"],
            ["B-C", "hidden"],
          ]),
          inMemory,
        ),
    },
    {
      why: "a wrong password",
      work: async () =>
        decryptEnvValues(await encryptEnvValues(new Map([["A", "hidden"]]), inMemory), {
          password: "wrong-hidden",
        }),
    },
    {
      why: "a broken token",
      work: () => decryptEnvValues(new Map([["A_ENCRYPTED", "roboz:v1:hidden"]]), { password }),
    },
    {
      why: "old ciphertext",
      work: () => decryptEnvValues(new Map([["A", "roboz:v1:hidden"]]), { password }),
    },
    {
      why: "a collision",
      work: () =>
        decryptEnvValues(
          new Map([
            ["A", "hidden"],
            ["A_ENCRYPTED", "hidden"],
          ]),
          { password },
        ),
    },
    { why: "a key whose quote is never closed", work: () => fileWith(`A='${key}\n`) },
    { why: "a key without quotes", work: () => fileWith(`A=${key}\n`) },
    { why: "a key after a stray quote", work: () => fileWith(`A='x'${key}\n`) },
    { why: "a file that is not UTF-8", work: () => fileWith(Buffer.from("A=hidden\xff\n", "latin1")) },
    { why: "a NUL in a file", work: () => fileWith("A=hidden\0\n") },
    { why: "a NUL in a file to load", work: () => loadWith("A=hidden\0\n") },
    { why: "a name with a dash in a file to load", work: () => loadWith("A=hidden\nB-C=hidden\n") },
    { why: "a lone key in a file to load", work: () => loadWith(`${key}\n`) },
    { why: "a variable of another program", work: () => loadWith("A_ENCRYPTED=hidden\n") },
  ])("of $why", async ({ work }) => {
    const error = await failureOf(work());

    expect(EndpointsError.is(error)).toBe(true);
    expect(allOf(error)).not.toMatch(/hid-?den/);
  });

  it("of a password that is no text", async () => {
    const wrongType: unknown = Reflect.apply(encryptEnvValues, undefined, [
      new Map([["A", "x"]]),
      { secretNames: ["A"], password: 987_654_321 },
    ]);

    await expect(wrongType).rejects.toSatisfy((error) => !allOf(error).includes("987"));
  });

  function fileWith(text: string | Buffer): Promise<unknown> {
    writeFileSync(".env", text);
    return encryptEnv({ ...ofFile, secretNames: ["A"] });
  }

  function loadWith(text: string): Promise<unknown> {
    writeFileSync(".env.encrypt", text);
    return loadSecrets({ password, ...quiet });
  }
});

describe("the modules of secrets", () => {
  it("import nothing of the package but its errors, and no package but Argon2", () => {
    const folder = new URL("./", import.meta.url);
    const files = readdirSync(folder).filter((name) => name.endsWith(".ts") && !name.includes(".test"));
    const imported = files.flatMap((name) =>
      [...readFileSync(new URL(name, folder), "utf8").matchAll(/(?:from |import\()"([^"]+)"/g)].map(
        ([, from]) => from,
      ),
    );
    const others = new Set(imported.filter((from) => !/^(?:node:|\.\/)/.test(from ?? "")));

    expect(files.length).toBeGreaterThan(10);
    expect([...others].sort()).toEqual(["../errors.ts", "@node-rs/argon2"]);
  });
});
