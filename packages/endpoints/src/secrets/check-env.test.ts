import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { useScratchDirectory } from "../../test/scratch.ts";
import { checkEnv } from "./check-env.ts";

useScratchDirectory();
const salt = "A".repeat(22);
// Of the right form; no password opens it.
const ciphertext = `roboz:v2:scrypt:17:8:1:${salt}:${salt}:${"A".repeat(16)}:${"A".repeat(44)}`;

describe("checkEnv", () => {
  it("says which names are present, locked and missing, from where, and never a value", async () => {
    process.env["IN_PROCESS"] = "hidden";
    process.env["IN_BOTH"] = "hidden";
    process.env["OF_PROCESS_ENCRYPTED"] = ciphertext;
    process.env["ROBOZ_ENV_PASSWORD"] = "hidden";
    writeFileSync(
      ".env.encrypt",
      `LOCKED_ENCRYPTED='${ciphertext}'\nIN_BOTH_ENCRYPTED='${ciphertext}'\nSTAGE=hidden\n`,
    );
    writeFileSync(".env", "OVERLAY=hidden\nBARE\n");
    const names = [
      "IN_PROCESS",
      "IN_BOTH",
      "OF_PROCESS",
      "LOCKED",
      "STAGE",
      "OVERLAY",
      "BARE",
      "NOWHERE",
      "STAGE",
    ];

    const statuses = await checkEnv({ names });

    expect(statuses.map(({ name, status, source }) => [name, status, source])).toEqual([
      ["IN_PROCESS", "present", "process"],
      ["IN_BOTH", "present", "process"],
      ["OF_PROCESS", "locked", "process"],
      ["LOCKED", "locked", "encrypted-file"],
      ["STAGE", "present", "encrypted-file"],
      ["OVERLAY", "present", "overlay"],
      ["BARE", "missing", null],
      ["NOWHERE", "missing", null],
    ]);
    expect(statuses.map(({ problem }) => problem)).toEqual(Array.from({ length: 8 }, () => null));
    expect(JSON.stringify(statuses)).not.toMatch(/hidden|roboz:/);
    expect(process.env["ROBOZ_ENV_PASSWORD"]).toBe("hidden");
  });

  it.each([
    { why: "an empty value", file: "A=\n", status: "present", problem: "empty" },
    {
      why: "ciphertext under the plain name",
      file: "A=roboz:v1:x\n",
      status: "present",
      problem: "not-unlocked",
    },
    {
      why: "a variable of another program",
      file: "A_ENCRYPTED=yes\n",
      status: "locked",
      problem: "unreadable",
    },
    { why: "a bare encrypted name", file: "A_ENCRYPTED\n", status: "locked", problem: "unreadable" },
    {
      why: "a name in plain and encrypted",
      file: `A=1\nA_ENCRYPTED=${ciphertext}\n`,
      status: "locked",
      problem: "collision",
    },
  ])("names the problem of $why", async ({ file, status, problem }) => {
    writeFileSync("some.encrypt", file);

    expect(await checkEnv({ path: "some.encrypt", names: ["A"] })).toEqual([
      { name: "A", status, source: "encrypted-file", problem },
    ]);
  });

  it("lists the names of the files and the encrypted variables, sorted, when none are given", async () => {
    process.env["B_ENCRYPTED"] = ciphertext;
    writeFileSync(".env.encrypt", "C=1\n");
    writeFileSync(".env", "A=1\n");

    expect((await checkEnv()).map(({ name }) => name)).toEqual(["A", "B", "C"]);
    expect((await checkEnv({ path: ".env.encrypt" })).map(({ name }) => name)).toEqual(["B", "C"]);
  });

  it("refuses what is not a base name", async () => {
    await expect(checkEnv({ names: ["A_ENCRYPTED"] })).rejects.toMatchObject({ envName: "A_ENCRYPTED" });
  });
});
