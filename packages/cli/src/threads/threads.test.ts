import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { recordedTerminal } from "../__fixtures__/recorded-terminal.ts";
import { main } from "../main.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "roboz-threads-"));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

async function roboz(...args: readonly string[]) {
  const terminal = recordedTerminal();
  const status = await main(["threads", ...args], { terminal });
  return { status, ...terminal.printed };
}

describe("roboz threads token", () => {
  it("makes a token that is printed alone, and revokes it once", async () => {
    const db = `sqlite:${join(folder, "threads.db")}`;
    const made = await roboz("token", "create", "--user", "us_1", "--org", "og_1", "--db", db);
    expect(made).toMatchObject({ status: 0 });
    expect(made.output).toMatch(/^rbt_\S+\n$/);
    const [, id = ""] = /^Token (\S+) for us_1 in og_1\./.exec(made.errors) ?? [];
    expect(await roboz("token", "revoke", id, "--db", db)).toEqual({
      status: 0,
      output: `Revoked: ${id}\n`,
      errors: "",
    });
    expect(await roboz("token", "revoke", id, "--db", db)).toMatchObject({
      status: 1,
      errors: `Error: there is no token \`${id}\` that could be revoked; \`threads token create\` prints the id of each\n`,
    });
  });

  it("says as JSON whom a token speaks for and when it ends, in the store that the environment names", async () => {
    vi.stubEnv("ROBOZ_THREADS_DB", `sqlite:${join(folder, "named.db")}`);
    const made = await roboz(
      ...[
        "token",
        "create",
        "--user",
        "us_1",
        "--org",
        "og_1",
        "--org",
        "og_2",
        "--admin",
        "--days",
        "2",
        "--json",
      ],
    );
    expect(made.errors).toBe("");
    const printed: unknown = JSON.parse(made.output);
    expect(printed).toMatchObject({ userId: "us_1", orgs: ["og_1", "og_2"], admin: true });
    expect(printed).toHaveProperty("expires", expect.stringMatching(/^\d{4}-\d\d-\d\dT/));
    expect((await roboz("migrate")).output).toBe("The tables are those of this release.\n");
  });

  it.each([
    { why: "no organisation", args: ["token", "create", "--user", "us_1"] },
    { why: "no user", args: ["token", "create", "--org", "og_1"] },
    {
      why: "a word that is no number of days",
      args: ["token", "create", "--user", "u", "--org", "o", "--days", "x"],
    },
    { why: "no id to revoke", args: ["token", "revoke"] },
  ])("takes $why for wrong usage", async ({ args }) => {
    expect(await roboz(...args)).toMatchObject({ status: 2, output: "" });
  });

  it("repeats no address that is none", async () => {
    const { status, output, errors } = await roboz("migrate", "--db", "mysql://root:secret@localhost");
    expect([status, output]).toEqual([1, ""]);
    expect(errors).toContain("`sqlite:PATH`");
    expect(errors).not.toContain("secret");
  });
});
