import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import type * as fsPromises from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it, vi } from "vitest";
import { useScratchDirectory } from "../../test/scratch.ts";
import { encryptEnv, type EncryptEnvOptions } from "./encrypt-env.ts";
import { parseEnv } from "./env-text.ts";
import { decryptEnvValues } from "./env-values.ts";

const rename = vi.hoisted(() => ({ fails: false }));
vi.mock("node:fs/promises", async (importOriginal) => {
  const original = await importOriginal<typeof fsPromises>();
  return {
    ...original,
    rename: (from: string, to: string) =>
      rename.fails
        ? Promise.reject(Object.assign(new Error("EIO: disk error"), { code: "EIO" }))
        : original.rename(from, to),
  };
});

useScratchDirectory();
const isWindows = process.platform === "win32";
const kills = process.env["ROBOZ_LONG"] === undefined ? 15 : 500;
const source = "# comment\nexport OPENAI_API_KEY = sk-plain-1 # mine\nDB='pass \\'word\\''\nMODE=dev\nBARE\n";
const options: EncryptEnvOptions = { secretNames: ["OPENAI_API_KEY", "DB"], password: "pw", scryptLogN: 15 };

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}

afterEach(() => {
  rename.fails = false;
});

describe("encryptEnv", () => {
  it("writes nothing once it is given up, with the reason it was given", async () => {
    writeFileSync(".env", source);
    const giveUp = new AbortController();
    const encrypting = encryptEnv({ ...options, signal: giveUp.signal });
    giveUp.abort("enough");
    await expect(encrypting).rejects.toBe("enough");
    expect(readdirSync(".")).toEqual([".env"]);
  });

  it("46: writes an owner-only copy beside an unchanged source, with every setting and no plain secret", async () => {
    writeFileSync(".env", source, { mode: 0o644 });

    expect(await encryptEnv(options)).toBe(".env.encrypt");

    const text = readFileSync(".env.encrypt", "utf8");
    expect(readFileSync(".env", "utf8")).toBe(source);
    expect(text).not.toMatch(/sk-plain-1|pass|word|comment/);
    expect([...parseEnv(text).values.keys()]).toEqual([
      "OPENAI_API_KEY_ENCRYPTED",
      "DB_ENCRYPTED",
      "MODE",
      "BARE",
    ]);
    expect([...(await decryptEnvValues(parseEnv(text).values, { password: "pw" }))]).toEqual([
      ["OPENAI_API_KEY", "sk-plain-1"],
      ["DB", "pass 'word'"],
      ["MODE", "dev"],
      ["BARE", undefined],
    ]);
    if (!isWindows) expect(modeOf(".env.encrypt")).toBe(0o600);
    expect(readdirSync(".").sort()).toEqual([".env", ".env.encrypt"]);
  });

  it("writes beside the source it is given, and returns a relative path for a relative one", async () => {
    mkdirSync("conf");
    writeFileSync("conf/other.env", "A=1\n");

    expect(await encryptEnv({ path: "conf/other.env", secretNames: [] })).toBe("conf/other.env.encrypt");
    expect(readFileSync("conf/other.env.encrypt", "utf8")).toBe("A='1'\n");
  });

  it("EN-24: leaves bytes, mode and times of the source as they were", async () => {
    writeFileSync(".env", source, { mode: 0o640 });
    utimesSync(".env", 1_000_000_000, 1_600_000_000);
    const before = statSync(".env", { bigint: true });

    await encryptEnv(options);

    const { mode, mtimeNs, ctimeNs, atimeNs, ino } = statSync(".env", { bigint: true });
    expect({ mode, mtimeNs, ctimeNs, ino }).toEqual({
      mode: before.mode,
      mtimeNs: before.mtimeNs,
      ctimeNs: before.ctimeNs,
      ino: before.ino,
    });
    if (process.platform === "linux") expect(atimeNs).toBe(before.atimeNs);
    expect(readFileSync(".env", "utf8")).toBe(source);
  });

  it.runIf(!isWindows).each([
    { why: "umask 000", umask: 0o000 },
    { why: "umask 077", umask: 0o077 },
    { why: "umask 777", umask: 0o777 },
  ])("EN-07: writes 0600 under $why, also over a wider output", async ({ umask }) => {
    writeFileSync(".env", source);
    writeFileSync(".env.encrypt", "old");
    chmodSync(".env.encrypt", 0o644);
    const before = process.umask(umask);
    try {
      await encryptEnv(options);
    } finally {
      process.umask(before);
    }

    expect(modeOf(".env.encrypt")).toBe(0o600);
  });

  it.each([
    { why: "48: the source is a link", path: "link", fault: "link" },
    { why: "the source is a link to nothing", path: "dangling", fault: "link" },
    { why: "48, EN-08: the output is a link", path: "linked-output", fault: "link" },
    { why: "EN-08: the output is a link to nothing", path: "dangling-output", fault: "link" },
    { why: "EN-08: the output is a directory", path: "directory-output", fault: "not-a-file" },
    { why: "the source is a directory", path: "directory", fault: "not-a-file" },
    { why: "the source is missing", path: "missing", fault: "missing" },
    { why: "the folder is missing", path: "missing/.env", fault: "missing" },
    { why: "the folder is a file", path: "target/.env", fault: "unreadable" },
    { why: "EV-15: the source is not UTF-8", path: "latin1", fault: "not-utf8" },
  ])("$why: refuses and changes nothing", async ({ path, fault }) => {
    writeFileSync("target", source);
    symlinkSync("target", "link");
    symlinkSync("nowhere", "dangling");
    for (const name of ["linked-output", "dangling-output", "directory-output"]) writeFileSync(name, source);
    symlinkSync("target", "linked-output.encrypt");
    symlinkSync("nowhere", "dangling-output.encrypt");
    mkdirSync("directory-output.encrypt");
    mkdirSync("directory");
    writeFileSync("latin1", Buffer.from([0x41, 0x3d, 0xe9, 0x0a]));
    const before = readdirSync(".").sort();

    await expect(encryptEnv({ ...options, path })).rejects.toMatchObject({
      code: "endpoints/env-file",
      fault,
    });

    expect(readdirSync(".").sort()).toEqual(before);
    expect(readFileSync("target", "utf8")).toBe(source);
    expect(readlinkSync("linked-output.encrypt")).toBe("target");
    expect(lstatSync("dangling-output.encrypt").isSymbolicLink()).toBe(true);
  });

  it.each([
    { why: "47: a rename that fails leaves the old output", old: "old output" },
    { why: "47: a rename that fails leaves no output where there was none", old: undefined },
  ])("$why, and no temporary file", async ({ old }) => {
    writeFileSync(".env", source);
    if (old !== undefined) writeFileSync(".env.encrypt", old);
    const before = readdirSync(".").sort();
    rename.fails = true;

    await expect(encryptEnv(options)).rejects.toMatchObject({ fault: "unwritable", path: ".env.encrypt" });

    expect(readdirSync(".").sort()).toEqual(before);
    if (old !== undefined) expect(readFileSync(".env.encrypt", "utf8")).toBe(old);
    rename.fails = false;
    await expect(encryptEnv(options)).resolves.toBe(".env.encrypt");
  });

  it("EN-09: two runs at once leave exactly one of the two results", async () => {
    writeFileSync("a.env", "A=1\n");
    const password = "pw";

    await Promise.all(
      Array.from({ length: 6 }, () =>
        encryptEnv({ path: "a.env", secretNames: ["A"], password, scryptLogN: 15 }),
      ),
    );

    const { values } = parseEnv(readFileSync("a.env.encrypt", "utf8"));
    expect([...(await decryptEnvValues(values, { password }))]).toEqual([["A", "1"]]);
    expect(readdirSync(".").sort()).toEqual(["a.env", "a.env.encrypt"]);
  });

  it("EV-07: encrypts the last of two values under one name", async () => {
    writeFileSync(".env", "A=first\nA=last\n");

    await encryptEnv({ ...options, secretNames: ["A"] });

    const { values } = parseEnv(readFileSync(".env.encrypt", "utf8"));
    expect([...(await decryptEnvValues(values, { password: "pw" }))]).toEqual([["A", "last"]]);
  });

  it.each([
    {
      why: "EN-15: a secret that is not there",
      text: "A=1\n",
      secretNames: ["B"],
      fact: { envName: "B", fault: "missing" },
    },
    {
      why: "EN-15: an invalid name",
      text: "A=1\nB-C=2\n",
      secretNames: ["A"],
      fact: { envName: "B-C", line: 2 },
    },
    {
      why: "EN-15: a reserved name",
      text: "A=1\nB_encrypted=2\n",
      secretNames: ["A"],
      fact: { envName: "B_encrypted" },
    },
    {
      why: "EN-15: a value that is ciphertext",
      text: "A=1\nB=roboz:v1:x\n",
      secretNames: ["A"],
      fact: { envName: "B" },
    },
    {
      why: "EN-10: an empty password",
      text: "A=1\n",
      secretNames: ["A"],
      fact: { fault: "empty" },
      password: "",
    },
    {
      why: "a secret on a line that is no setting",
      text: "A='open\n",
      secretNames: ["A"],
      fact: { envName: "A" },
    },
  ])("refuses $why and writes nothing", async ({ text, secretNames, fact, password = "pw" }) => {
    writeFileSync(".env", text);

    await expect(
      encryptEnv({ ...options, secretNames, password, onWarning: () => undefined }),
    ).rejects.toMatchObject(fact);

    expect(readdirSync(".")).toEqual([".env"]);
  });

  it("EN-11: takes the password variable away as it reads it, also when it is empty or the work fails", async () => {
    writeFileSync(".env", source);
    const { password: _given, ...withoutPassword } = options;

    process.env["ROBOZ_ENV_PASSWORD"] = "from process";
    await encryptEnv(withoutPassword);
    expect(process.env).not.toHaveProperty("ROBOZ_ENV_PASSWORD");

    process.env["ROBOZ_ENV_PASSWORD"] = "";
    await expect(encryptEnv(withoutPassword)).rejects.toMatchObject({ fault: "empty" });
    expect(process.env).not.toHaveProperty("ROBOZ_ENV_PASSWORD");

    process.env["ROBOZ_ENV_PASSWORD"] = "from process";
    await expect(encryptEnv({ ...withoutPassword, secretNames: ["NONE"] })).rejects.toMatchObject({
      fault: "missing",
    });
    expect(process.env).not.toHaveProperty("ROBOZ_ENV_PASSWORD");

    await expect(encryptEnv(withoutPassword)).rejects.toMatchObject({ code: "endpoints/secret-password" });
  });

  it("leaves the password variable alone when a password is given or nothing is selected", async () => {
    writeFileSync(".env", source);
    process.env["ROBOZ_ENV_PASSWORD"] = "from process";

    await encryptEnv(options);
    await encryptEnv({ secretNames: [] });

    expect(process.env["ROBOZ_ENV_PASSWORD"]).toBe("from process");
  });

  it("tells of lines that are left out, by file and line only", async () => {
    writeFileSync(".env", "A=1\nhello there\n");
    const warnings: unknown[] = [];

    await encryptEnv({ secretNames: [], onWarning: (warning) => warnings.push(warning) });

    expect(warnings).toEqual([{ path: ".env", line: 2, fault: "syntax" }]);
  });

  it.runIf(process.platform === "linux")("does not wait for a pipe", async () => {
    const made = spawn("mkfifo", [".env"], { stdio: "ignore" });
    await once(made, "close");

    await expect(encryptEnv(options)).rejects.toMatchObject({ fault: "not-a-file" });
  });

  it.runIf(!isWindows)(
    "EN-06: a kill at any moment leaves the old file or the new one",
    { timeout: kills * 20_000 },
    async () => {
      const writer = fileURLToPath(new URL("../../test/endless-writer.ts", import.meta.url));
      const tsx = import.meta.resolve("tsx");
      const seen = new Set<string>();
      let leftovers = 0;
      for (let kill = 0; kill < kills; kill++) {
        const child = spawn(process.execPath, ["--import", tsx, writer, "target.encrypt"], {
          stdio: ["ignore", "pipe", "inherit"],
        });
        await once(child.stdout, "data");
        // A different number of event loop turns each time: the kill hits another step of the writing.
        for (let turn = 0; turn < (kill * 7) % 50; turn++)
          await new Promise((resolve) => setImmediate(resolve));
        child.kill("SIGKILL");
        await once(child, "close");

        seen.add(readFileSync("target.encrypt", "utf8"));
        for (const name of readdirSync(".")) {
          expect(modeOf(name), name).toBe(0o600);
          if (name === "target.encrypt") continue;
          expect(name).toMatch(/^\.target\.encrypt\.[0-9a-f]{16}\.tmp$/);
          leftovers++;
          rmSync(name);
        }
      }
      const whole = ["A", "B"].map((letter) => letter.repeat(200_000));

      expect([...seen].filter((text) => !whole.includes(text))).toEqual([]);
      expect(leftovers, "no kill hit the writing; the test shows nothing").toBeGreaterThan(0);
      expect(existsSync("target.encrypt")).toBe(true);
    },
  );
});
