import { scriptedProvider } from "@roboz/endpoints/testing";
import { describe, expect, it } from "vitest";

import { runApp } from "../../../tools/run-app.ts";
import { sayings } from "./sayings.ts";

const run = runApp.bind(undefined, "quotes");
const onModel = ["--model", "local.chat"];
const env = { LOCAL_API_KEY: "key-of-the-test" };

describe("npm start -- quotes", () => {
  it("prints one saying", async () => {
    const { code, stdout, stderr } = await run();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^“.+”\n$/);
    expect(sayings).toContain(stdout.slice(1, -2));
  });

  it("explains itself", async () => {
    const { code, stdout } = await run(["--help"]);
    expect(code).toBe(0);
    expect(stdout).toContain("--help");
  });

  it.each([["--fast"], ["now"]])("refuses `%s` in one line, with exit code 2", async (given) => {
    const { code, stdout, stderr } = await run([given]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^[^\n]+--help[^\n]+\n$/);
  });
});

describe("npm start -- quotes --model", () => {
  it("asks the model of the catalogue, with the key of its variable", async () => {
    await using provider = await scriptedProvider(
      [JSON.stringify({ action: "get_quote", rationale: "Why not." })],
      {
        apiKey: env.LOCAL_API_KEY,
      },
    );
    const { code, stdout, stderr } = await run(onModel, { baseUrl: provider.baseUrl, env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(sayings).toContain(stdout.slice(1, -2));
    provider.assertUsedUp();
  });

  it.each([
    { why: "there is no key", args: onModel, env: {}, says: /`LOCAL_API_KEY`.*leave out --model/ },
    { why: "there is no such model", args: ["--model", "local.ear"], env, says: /"local.ear".*`local.chat`/ },
    { why: "the service refuses the key", args: onModel, env, says: /./ },
  ])("says in one line, with exit code 1, that $why", async ({ args, env: given, says }) => {
    await using provider = await scriptedProvider([], { apiKey: "another key" });
    const { code, stdout, stderr } = await run(args, { baseUrl: provider.baseUrl, env: given });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^[^\n]+\n$/);
    expect(stderr).toMatch(says);
    expect(stderr).not.toContain(env.LOCAL_API_KEY);
  });
});
