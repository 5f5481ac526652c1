import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { useScratchDirectory } from "../../test/scratch.ts";
import { encryptEnv } from "./encrypt-env.ts";
import { serializeEnv } from "./env-text.ts";
import { encryptEnvValues, type EnvValues } from "./env-values.ts";
import { loadSecrets } from "./load-secrets.ts";

const password = "correct horse";
const secretNames = ["X", "Y"];
let sealed: EnvValues = new Map();

beforeAll(async () => {
  sealed = await encryptEnvValues(
    new Map([
      ["X", "secret x"],
      ["Y", "secret y"],
      ["STAGE", "dev"],
    ]),
    {
      secretNames,
      password,
      scryptLogN: 15,
    },
  );
});

useScratchDirectory();

function writeEncrypted(values: EnvValues = sealed, path = ".env.encrypt"): void {
  writeFileSync(path, serializeEnv(values));
}

function unlock(): void {
  process.env["ROBOZ_ENV_PASSWORD"] = password;
}

/** What the process has of the given names. */
function found(...names: string[]): Record<string, string | undefined> {
  return Object.fromEntries(
    names.flatMap((name) => (name in process.env ? [[name, process.env[name]]] : [])),
  );
}

describe("loadSecrets", () => {
  it("46: loads secrets and ordinary values of an encrypted file whose source is gone", async () => {
    writeFileSync(".env", "X=secret x\nSTAGE=dev\nEMPTY=\nBARE\n");
    await encryptEnv({ secretNames: ["X"], password, scryptLogN: 15 });
    rmSync(".env");
    unlock();

    expect(await loadSecrets()).toEqual(["X", "STAGE", "EMPTY"]);

    expect(found("X", "STAGE", "EMPTY", "BARE")).toEqual({ X: "secret x", STAGE: "dev", EMPTY: "" });
    expect(process.env["X_ENCRYPTED"]).toMatch(/^roboz:v2:/);
    expect(process.env).not.toHaveProperty("ROBOZ_ENV_PASSWORD");
  });

  it("takes a password as an argument and leaves the variable alone", async () => {
    writeEncrypted();
    process.env["ROBOZ_ENV_PASSWORD"] = "another";

    await loadSecrets({ password });

    expect(found("X", "Y")).toEqual({ X: "secret x", Y: "secret y" });
    expect(process.env["ROBOZ_ENV_PASSWORD"]).toBe("another");
  });

  it("does nothing where there is no file and no encrypted variable", async () => {
    expect(await loadSecrets()).toEqual([]);
    expect(await loadSecrets({ path: "missing" })).toEqual([]);
  });

  it("49: an empty value in .env wins over ciphertext and needs no password", async () => {
    writeEncrypted(new Map([["X_ENCRYPTED", sealed.get("X_ENCRYPTED")]]));
    writeFileSync(".env", "X=\n");

    await loadSecrets();

    expect(found("X", "X_ENCRYPTED")).toEqual({ X: "" });
  });

  it("50: a process value wins over .env", async () => {
    process.env["X"] = "process";
    writeFileSync(".env", "X=manual\nZ=manual\n");

    expect(await loadSecrets()).toEqual(["Z"]);
    expect(found("X", "Z")).toEqual({ X: "process", Z: "manual" });
  });

  it("51, EN-01: a wrong password sets nothing, and only the password variable is gone", async () => {
    writeEncrypted();
    process.env["ROBOZ_ENV_PASSWORD"] = "wrong";
    const { ROBOZ_ENV_PASSWORD: _consumed, ...before } = process.env;

    await expect(loadSecrets()).rejects.toMatchObject({ code: "endpoints/invalid-secret" });

    expect({ ...process.env }).toEqual(before);
  });

  it("52, EN-26: four loads at once set each name once and none fails", async () => {
    process.env["X_ENCRYPTED"] = sealed.get("X_ENCRYPTED");
    unlock();

    const loads = await Promise.all([loadSecrets(), loadSecrets(), loadSecrets(), loadSecrets()]);

    expect(loads).toEqual([["X"], [], [], []]);
    expect(found("X", "X_ENCRYPTED")).toEqual({ X: "secret x", X_ENCRYPTED: sealed.get("X_ENCRYPTED") });
  });

  it("goes on with the next load after one that failed", async () => {
    writeEncrypted();
    const failing = loadSecrets({ password: "wrong" });
    const working = loadSecrets({ password });

    await expect(failing).rejects.toMatchObject({ code: "endpoints/invalid-secret" });
    expect(await working).toEqual(["X", "Y", "STAGE"]);
  });

  it("53, EN-25: asks for no password when nothing encrypted is left to load", async () => {
    writeEncrypted();
    process.env["X"] = "";
    process.env["Y"] = "process";
    unlock();

    expect(await loadSecrets()).toEqual(["STAGE"]);
    expect(found("X", "Y", "ROBOZ_ENV_PASSWORD")).toEqual({
      X: "",
      Y: "process",
      ROBOZ_ENV_PASSWORD: password,
    });
  });

  it("needs no password the second time and changes nothing", async () => {
    writeEncrypted();
    await loadSecrets({ password });
    const before = { ...process.env };

    expect(await loadSecrets()).toEqual([]);
    expect({ ...process.env }).toEqual(before);
  });

  it("54, EN-18: ignores .env for an explicit path, and overlays it for the default", async () => {
    writeEncrypted(new Map([["A", "of the file"]]), "other.encrypt");
    writeEncrypted(new Map([["A", "of the file"]]));
    writeFileSync(".env", "A=of the overlay\nB=of the overlay\n");

    await loadSecrets({ path: "other.encrypt" });
    expect(found("A", "B")).toEqual({ A: "of the file" });

    Reflect.deleteProperty(process.env, "A");
    await loadSecrets();
    expect(found("A", "B")).toEqual({ A: "of the overlay", B: "of the overlay" });
  });

  it("EV-07: the last of two entries wins, also of two encrypted ones", async () => {
    writeFileSync(".env.encrypt", `A=first\n${serializeEnv(sealed)}A=last\n`);

    await loadSecrets({ password });

    expect(found("A", "X")).toEqual({ A: "last", X: "secret x" });
  });

  it("EN-17: does not open the ciphertext of a value the process has", async () => {
    process.env["X"] = "";
    writeEncrypted(
      new Map([
        ["X_ENCRYPTED", "roboz:v2:broken"],
        ["STAGE", "dev"],
      ]),
    );

    expect(await loadSecrets()).toEqual(["STAGE"]);
    expect(found("X", "X_ENCRYPTED")).toEqual({ X: "" });
  });

  it("EN-16: sets none of five values when the fifth is broken", async () => {
    const broken = (sealed.get("Y_ENCRYPTED") ?? "").slice(0, -4);
    writeEncrypted(
      new Map([
        ["A", "1"],
        ["B", "2"],
        ["X_ENCRYPTED", sealed.get("X_ENCRYPTED")],
        ["C", "3"],
        ["Y_ENCRYPTED", broken],
      ]),
    );
    const before = { ...process.env };

    await expect(loadSecrets({ password })).rejects.toMatchObject({ code: "endpoints/invalid-secret" });
    expect({ ...process.env }).toEqual(before);
  });

  it.each([
    { why: "inside the ciphertext", cut: (text: string) => text.slice(0, -20) },
    { why: "before the closing quote", cut: (text: string) => text.slice(0, -2) },
    {
      why: "below a line that is no setting, inside the ciphertext",
      cut: (text: string) => `no setting\n${text.slice(0, -20)}`,
    },
    { why: "after the opening quote", cut: (text: string) => text.slice(0, text.lastIndexOf("'roboz") + 1) },
    { why: "before the opening quote", cut: (text: string) => text.slice(0, text.lastIndexOf("'roboz")) },
    { why: "after the name", cut: (text: string) => text.slice(0, text.lastIndexOf("='roboz")) },
  ])("EN-05: refuses a file cut $why of its last secret, and sets nothing", async ({ cut }) => {
    const text = serializeEnv(new Map([...sealed].reverse()));
    writeFileSync(".env.encrypt", cut(text));
    const before = { ...process.env };

    await expect(loadSecrets({ password, onWarning: () => undefined })).rejects.toMatchObject({
      code: "endpoints/invalid-secret",
    });
    expect({ ...process.env }).toEqual(before);
    writeFileSync(".env.encrypt", text.slice(0, -1));
    expect(await loadSecrets({ password })).toEqual(["STAGE", "Y", "X"]);
  });

  it("EV-13: skips a plain line that is cut, warns of it, and loads the rest", async () => {
    writeFileSync(".env", "A=1\nB='hidden\nC=3\n");
    const warnings: unknown[] = [];

    expect(await loadSecrets({ onWarning: (warning) => warnings.push(warning) })).toEqual(["A", "C"]);
    expect(warnings).toEqual([{ path: ".env", line: 2, fault: "unclosed-quote", envName: "B" }]);
  });

  it.each([
    { why: "a name of the file that is not loaded", file: "A-B=1\n", fact: { envName: "A-B", line: 2 } },
    { why: "a reserved name", file: "A_encrypted=1\n", fact: { envName: "A_encrypted" } },
    {
      why: "a doubled suffix",
      file: "A_ENCRYPTED_ENCRYPTED=1\n",
      fact: { envName: "A_ENCRYPTED_ENCRYPTED" },
    },
    {
      why: "43: ciphertext under a plain name",
      file: "A_SECRET=roboz:v1:old\n",
      fact: { code: "endpoints/legacy-secret" },
    },
    {
      why: "44: a name in plain and encrypted",
      file: "A=1\nA_ENCRYPTED=roboz:v1:x\n",
      fact: { code: "endpoints/secret-collision" },
    },
    { why: "a value that no process can hold", file: "A='1\0'\n", fact: { envName: "A", fault: "nul" } },
  ])("refuses $why and sets nothing", async ({ file, fact }) => {
    writeFileSync(".env.encrypt", `FINE=1\n${file}`);
    const before = { ...process.env };

    await expect(loadSecrets({ password })).rejects.toMatchObject(fact);
    expect({ ...process.env }).toEqual(before);
  });

  it("checks the names of variables that end in _ENCRYPTED, also where the value is there already", async () => {
    process.env["A_ENCRYPTED_ENCRYPTED"] = "roboz:v1:x";
    process.env["A_ENCRYPTED"] = "there";

    await expect(loadSecrets()).rejects.toMatchObject({ envName: "A_ENCRYPTED_ENCRYPTED" });
  });

  it("takes every variable that ends in _ENCRYPTED, whoever set it", async () => {
    process.env["DISK_ENCRYPTED"] = "yes";

    await expect(loadSecrets({ password })).rejects.toMatchObject({ code: "endpoints/invalid-secret" });
  });

  it("prefers the ciphertext of the process to that of the file, and plain text of .env to both", async () => {
    process.env["X_ENCRYPTED"] = sealed.get("X_ENCRYPTED");
    writeEncrypted(new Map([["X_ENCRYPTED", "roboz:v2:broken"]]));

    await loadSecrets({ password });
    expect(found("X")).toEqual({ X: "secret x" });

    Reflect.deleteProperty(process.env, "X");
    process.env["X_ENCRYPTED"] = "roboz:v2:broken too";
    writeFileSync(".env", "X=plain\n");
    await loadSecrets();
    expect(found("X")).toEqual({ X: "plain" });
  });

  it("follows links to files, and refuses what is no file", async () => {
    writeFileSync("real", "A=1\n");
    symlinkSync("real", ".env");
    mkdirSync(".env.encrypt");

    await expect(loadSecrets()).rejects.toMatchObject({ code: "endpoints/env-file", fault: "not-a-file" });
    rmSync(".env.encrypt", { recursive: true });
    expect(await loadSecrets()).toEqual(["A"]);
  });

  it("takes a folder called .env for no overlay", async () => {
    mkdirSync(".env");
    writeFileSync(".env.encrypt", "A=1\n");

    expect(await loadSecrets()).toEqual(["A"]);
  });

  it("EV-15: refuses a file that is not UTF-8", async () => {
    writeFileSync(".env", Buffer.from([0x41, 0x3d, 0xff, 0x0a]));

    await expect(loadSecrets()).rejects.toMatchObject({ fault: "not-utf8", path: ".env" });
  });

  it("PB-23: sets names that objects inherit", async () => {
    writeFileSync(".env", "constructor=a\ntoString=b\nhasOwnProperty=c\n");

    expect(await loadSecrets()).toEqual(["constructor", "toString", "hasOwnProperty"]);
    expect(Object.entries(process.env)).toContainEqual(["constructor", "a"]);
  });
});
