import { readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { decryptEnvValues, parseEnv } from "@roboz/endpoints/env";
import { expect, it } from "vitest";

import type { InstalledRoboz } from "../installed-roboz.ts";

const password = "correct horse battery";
const plain = "A=alpha-secret\nB='beta secret'\n# a comment\nC=plain\n";

export function envCases(roboz: () => InstalledRoboz): void {
  /** Encrypts with the password in the environment. */
  const encrypt = (cwd: string, ...args: readonly string[]) =>
    roboz().run(["env", "encrypt", ...args], { cwd, env: { ROBOZ_ENV_PASSWORD: password } });
  const folderWithEnv = async (text = plain, name = ".env"): Promise<string> => {
    const cwd = await roboz().emptyFolder();
    await writeFile(join(cwd, name), text);
    return cwd;
  };
  const opened = async (file: string) =>
    Object.fromEntries(await decryptEnvValues(parseEnv(await readFile(file, "utf8")).values, { password }));

  it("cli 28, 30: encrypts the named values without a prompt, and leaves the source alone", async () => {
    const cwd = await folderWithEnv();
    const before = await stat(join(cwd, ".env"), { bigint: true });
    const { code, stdout, stderr } = await encrypt(cwd, "--secret", "A", "--secret", "B");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/\.env\.encrypt\n$/);
    const text = await readFile(join(cwd, ".env.encrypt"), "utf8");
    expect(text).toMatch(/^A_ENCRYPTED='roboz:v2:[^\n]*'\nB_ENCRYPTED='roboz:v2:[^\n]*'\nC='plain'\n$/);
    expect(await opened(join(cwd, ".env.encrypt"))).toEqual({
      A: "alpha-secret",
      B: "beta secret",
      C: "plain",
    });
    const after = await stat(join(cwd, ".env"), { bigint: true });
    expect([after.mode, after.mtimeNs, after.ino]).toEqual([before.mode, before.mtimeNs, before.ino]);
    expect(await readFile(join(cwd, ".env"), "utf8")).toBe(plain);
    expect((await stat(join(cwd, ".env.encrypt"))).mode & 0o777).toBe(0o600);
  });

  it("writes what the Python release reads with --format v1", async () => {
    const cwd = await folderWithEnv();
    expect((await encrypt(cwd, "--secret=A", "--format", "v1")).code).toBe(0);
    expect(await readFile(join(cwd, ".env.encrypt"), "utf8")).toMatch(/^A_ENCRYPTED='roboz:v1:/);
    expect(await opened(join(cwd, ".env.encrypt"))).toMatchObject({ A: "alpha-secret" });
  });

  it("cli 32: writes beside the given path", async () => {
    const cwd = await folderWithEnv(plain, "other.env");
    const { code, stdout } = await encrypt(cwd, "--path", "other.env", "--secret", "A");
    expect(code).toBe(0);
    expect(stdout).toMatch(/ other\.env\.encrypt\n$/);
    expect((await readdir(cwd)).sort()).toEqual(["other.env", "other.env.encrypt"]);
  });

  it("cli 34: takes a name given twice once", async () => {
    const cwd = await folderWithEnv();
    expect((await encrypt(cwd, "--secret", "A", "--secret", "A")).code).toBe(0);
    expect(await opened(join(cwd, ".env.encrypt"))).toMatchObject({ A: "alpha-secret" });
  });

  it("replaces an older copy", async () => {
    const cwd = await folderWithEnv();
    await writeFile(join(cwd, ".env.encrypt"), "old", { mode: 0o644 });
    expect((await encrypt(cwd, "--secret", "A")).code).toBe(0);
    expect((await stat(join(cwd, ".env.encrypt"))).mode & 0o777).toBe(0o600);
    expect(await opened(join(cwd, ".env.encrypt"))).toMatchObject({ A: "alpha-secret" });
  });

  it.each([
    {
      why: "cli 31: a name that is not there",
      text: plain,
      args: ["--secret", "MISSING"],
      says: "`MISSING`",
    },
    { why: "EN-15: a reserved name", text: plain, args: ["--secret", "A_ENCRYPTED"], says: "`A_ENCRYPTED`" },
    { why: "EN-15: ciphertext in the source", text: "A=roboz:v1:x:y", args: ["--secret", "A"], says: "`A`" },
    { why: "EN-15: a bare name", text: "A\n", args: ["--secret", "A"], says: "`A`" },
    {
      why: "a path that is not there",
      text: plain,
      args: ["--secret=A", "--path=no.env"],
      says: "`no.env` does not exist",
    },
    { why: "CL-03: a name like an option", text: plain, args: ["--secret=-x"], says: "`-x`" },
  ])("refuses $why and writes nothing", async ({ text, args, says }) => {
    const cwd = await folderWithEnv(text);
    const { code, stdout, stderr } = await encrypt(cwd, ...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^Error: [^\n]*\n$/);
    expect(stderr).toContain(says);
    expect(stderr).not.toMatch(/secret'|alpha-secret|correct horse/);
    expect(await readdir(cwd)).toEqual([".env"]);
  });

  it("EN-08: refuses a link as the source and as the output", async () => {
    const cwd = await folderWithEnv(plain, "real.env");
    await symlink("real.env", join(cwd, ".env"));
    expect(await encrypt(cwd, "--secret", "A")).toMatchObject({ code: 1, stdout: "" });
    await symlink("elsewhere", join(cwd, "real.env.encrypt"));
    expect(await encrypt(cwd, "--secret", "A", "--path", "real.env")).toMatchObject({ code: 1, stdout: "" });
    expect((await readdir(cwd)).sort()).toEqual([".env", "real.env", "real.env.encrypt"]);
  });

  it.each([
    { why: "EN-12: no terminal", env: {}, says: "set `ROBOZ_ENV_PASSWORD`" },
    { why: "EN-10: an empty password", env: { ROBOZ_ENV_PASSWORD: "" }, says: "password is empty" },
  ])("refuses at once with $why", async ({ env, says }) => {
    const cwd = await folderWithEnv();
    const input = `${password}\n${password}\n`;
    const { code, stdout, stderr } = await roboz().run(["env", "encrypt", "--secret", "A"], {
      cwd,
      env,
      input,
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^Error: [^\n]*\n$/);
    expect(stderr).toContain(says);
    expect(await readdir(cwd)).toEqual([".env"]);
  });

  it("EV-13: warns of a line that is no setting without showing it", async () => {
    const cwd = await folderWithEnv(`A=1\nB="never closed hunter2\nC=3\n`);
    const { code, stderr } = await encrypt(cwd, "--secret", "A");
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: "Warning: line 2 of `.env` was skipped: a quote is never closed\n",
    });
    expect(await opened(join(cwd, ".env.encrypt"))).toEqual({ A: "1", C: "3" });
  });

  it("says which names are present, missing or locked, and no value", async () => {
    const cwd = await folderWithEnv("A=alpha-secret\nLOCKED=beta-secret\n", "source.env");
    await encrypt(cwd, "--path", "source.env", "--secret", "LOCKED");
    const copy = await readFile(join(cwd, "source.env.encrypt"), "utf8");
    await writeFile(join(cwd, ".env.encrypt"), copy);
    await writeFile(join(cwd, ".env"), "EMPTY=\nBARE\n");
    const check = (...args: readonly string[]) =>
      roboz().run(["env", "check", ...args], { cwd, env: { FROM_PROCESS: "gamma-secret" } });

    expect(await check("--name=FROM_PROCESS", "--name=A", "--name=LOCKED")).toMatchObject({
      code: 0,
      stdout:
        "FROM_PROCESS  present  process\nA             present  encrypted file\nLOCKED        locked   encrypted file\n",
      stderr: "",
    });
    expect(await check("--name", "NOWHERE", "--name", "EMPTY")).toMatchObject({
      code: 1,
      stdout: "NOWHERE  missing\nEMPTY    present  .env  (its value is empty)\n",
      stderr: "Error: 2 of 2 names cannot be used as they are: `NOWHERE`, `EMPTY`\n",
    });
    const all = await check();
    expect(all.code).toBe(1);
    expect(all.stderr).toBe("Error: 1 of 4 names cannot be used as they are: `BARE`\n");
    expect(JSON.parse((await check("--json", "--name=LOCKED")).stdout)).toEqual([
      { name: "LOCKED", status: "locked", source: "encrypted-file", problem: null },
    ]);
    expect(all.stdout + all.stderr).not.toMatch(/alpha|beta|gamma/);
  });

  it("finds nothing where there is nothing", async () => {
    const cwd = await roboz().emptyFolder();
    expect(await roboz().run(["env", "check"], { cwd })).toMatchObject({
      code: 0,
      stdout: "No names were found.\n",
    });
  });
}
