import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { encryptEnv } from "../secrets/encrypt-env.ts";
import { ENV_PASSWORD_VARIABLE } from "../secrets/names.ts";
import { environmentKey } from "./credential.ts";

const variable = "ADAPTER_TEST_API_KEY";
const startFolder = process.cwd();
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "roboz-credential-"));
  process.chdir(folder);
  vi.stubEnv(variable, undefined);
  vi.stubEnv(`${variable}_ENCRYPTED`, undefined);
  vi.stubEnv(ENV_PASSWORD_VARIABLE, undefined);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  process.chdir(startFolder);
  await rm(folder, { recursive: true, force: true });
});

describe("a key from the environment", () => {
  it("endpoints 14: is missing by the variable's name, and found once it is set", async () => {
    const findKey = environmentKey(variable);

    await expect(findKey()).rejects.toMatchObject({
      code: "endpoints/missing-credential",
      envName: variable,
      fault: "missing",
    });
    await expect(findKey()).rejects.toThrow(variable);

    vi.stubEnv(variable, "sk-later");
    expect(await findKey()).toBe("sk-later");
  });

  it("stays empty when it is there and empty, since loading replaces nothing", async () => {
    await writeFile(join(folder, ".env"), `${variable}=sk-file\n`);
    vi.stubEnv(variable, "");

    await expect(environmentKey(variable)()).rejects.toMatchObject({ fault: "empty" });
  });

  it("is not sent as ciphertext", async () => {
    vi.stubEnv(variable, "roboz:v1:opaque");

    await expect(environmentKey(variable)()).rejects.toMatchObject({ fault: "encrypted" });
  });

  it("endpoints 16: is decrypted from the encrypted file, and the password is gone then", async () => {
    const path = join(folder, ".env");
    await writeFile(path, `${variable}=sk-sealed\n`);
    await encryptEnv({ path, secretNames: [variable], password: "correct horse", scryptLogN: 15 });
    await rm(path);
    vi.stubEnv(ENV_PASSWORD_VARIABLE, "correct horse");

    expect(await environmentKey(variable)()).toBe("sk-sealed");
    expect(process.env[ENV_PASSWORD_VARIABLE]).toBeUndefined();
  });

  it("endpoints 17: loads nothing when the variable is usable", async () => {
    await writeFile(join(folder, ".env"), `${variable}_OTHER=from-file\n`);
    vi.stubEnv(variable, "sk-process");

    expect(await environmentKey(variable)()).toBe("sk-process");
    expect(process.env[`${variable}_OTHER`]).toBeUndefined();
  });
});
