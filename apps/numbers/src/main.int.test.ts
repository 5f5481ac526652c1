import { scriptedProvider } from "@roboz/endpoints/testing";
import { describe, expect, it } from "vitest";

import { runApp } from "../../../tools/run-app.ts";

const run = runApp.bind(undefined, "numbers");

describe("npm start -- numbers", () => {
  it("reads numbers that are piped in, a line each", async () => {
    const { code, stdout, stderr } = await run([], { input: "7\nx\n4\n6\n1\n" });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe(`● model: ask_number
An integer, please.
> 7
→ give_praise
7: odd, and all the better for it.
● model: ask_number
An integer, please.
> x
That is no integer.
An integer, please.
> 4
→ escalate
4: even! That has to be judged.
Refused, but a first time is forgiven.
● model: ask_number
An integer, please.
> 6
→ escalate
6: even! That has to be judged.

Refused again. That is enough even numbers for one day.
model calls: 3, skipped: 4, numbers judged: 2
`);
  });

  it("says goodbye when there is no input", async () => {
    const { code, stdout, stderr } = await run();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("\nNo more numbers? Then that was it.\n");
  });

  it("explains itself", async () => {
    const { code, stdout } = await run(["--help"]);
    expect(code).toBe(0);
    expect(stdout).toContain("--help");
  });

  it.each(["--fast", "7"])("refuses `%s` in one line, with exit code 2", async (given) => {
    const { code, stdout, stderr } = await run([given]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^[^\n]+--help[^\n]+\n$/);
  });
});

const key = "key-of-the-test";
const env = { LOCAL_API_KEY: key };
const askNumber = JSON.stringify({ action: "ask_number", rationale: "Because." });

describe("npm start -- numbers --model", () => {
  it("asks the model of the catalogue what to do, and about even numbers", async () => {
    const stop = JSON.stringify({ action: "stop", rationale: "Enough.", value: "Goodbye." });
    await using provider = await scriptedProvider([askNumber, "Y", stop], { apiKey: key });
    const args = ["--model", "local.chat"];
    const { code, stdout, stderr } = await run(args, { baseUrl: provider.baseUrl, env, input: "4\n" });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("\n4: even! That has to be judged.\nAccepted.\n");
    expect(stdout).toMatch(/\nGoodbye\.\nmodel calls: 2, skipped: 1, numbers judged: 1\n$/);
    provider.assertUsedUp();
  });

  it("lets another model judge", async () => {
    await using provider = await scriptedProvider(["n", "n"], { apiKey: key });
    const args = ["--guard", "local.chat"];
    const { code, stdout } = await run(args, { baseUrl: provider.baseUrl, env, input: "4\n6\n" });
    expect(code).toBe(0);
    expect(stdout).toMatch(/\nRefused again.*\nmodel calls: 2, skipped: 3, numbers judged: 2\n$/);
    provider.assertUsedUp();
  });

  it("tells of a service's refusal, and asks how to go on", async () => {
    await using provider = await scriptedProvider([], { apiKey: "another key" });
    const args = ["--model", "local.chat"];
    const { code, stdout, stderr } = await run(args, { baseUrl: provider.baseUrl, env, input: "again\n" });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^! .*auth.*\n.*try again\.\n> again\n! /);
    expect(stderr).toMatch(/^[^\n]+\n$/);
    expect(stdout + stderr).not.toContain(key);
  });

  it.each([{ option: "--model" }, { option: "--guard" }])(
    "refuses $option without a key",
    async ({ option }) => {
      await using provider = await scriptedProvider();
      const { code, stdout, stderr } = await run([option, "local.chat"], { baseUrl: provider.baseUrl });
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(/^[^\n]*`LOCAL_API_KEY`[^\n]*leave out --model and --guard[^\n]*\n$/);
    },
  );
});
