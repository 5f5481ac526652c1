import { readFileSync } from "node:fs";
import { scriptedProvider, type ScriptedAnswer } from "@roboz/endpoints/testing";
import { describe, expect, it } from "vitest";

import { runApp } from "../../../tools/run-app.ts";

const run = runApp.bind(undefined, "lunch");

describe("npm start -- lunch", () => {
  it("ends with what chains saved, beside the same work without them", async () => {
    const { code, stdout, stderr } = await run();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/\n {2}without chains {15}6 +[\d,]+\n {2}with chains {18}1 +\d+\n/);
    expect(stdout).toMatch(/\n\nmodel calls: 1, skipped: 5\n$/);
    expect(stdout).not.toContain("\u001b");
  });

  it.each([
    { why: "Bob declines", args: ["--bob", "no"], text: "Bob declines", last: "model calls: 2, skipped: 0" },
    { why: "no table is free", args: ["--no-table"], text: "no table", last: "model calls: 2, skipped: 7" },
  ])("takes another way when $why", async ({ args, text, last }) => {
    const { code, stdout } = await run(args);
    expect(code).toBe(0);
    expect(stdout).toContain(text);
    expect(stdout.trimEnd().split("\n").at(-1)).toBe(last);
  });

  it("prints nothing but the reports as JSON", async () => {
    const { code, stdout } = await run(["--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: "Lunch is at 12:30, at The Copper Pot.",
      llmCalls: 1,
      skippedCalls: 5,
      withoutChains: { llmCalls: 6, skippedCalls: 0 },
    });
  });

  it("draws the graph that the README shows", async () => {
    const { code, stdout } = await run(["--graph"]);
    expect(code).toBe(0);
    expect(readFileSync(new URL("../README.md", import.meta.url), "utf8")).toContain(
      `\`\`\`mermaid\n${stdout}\`\`\`\n`,
    );
  });

  it("explains itself", async () => {
    const { code, stdout } = await run(["--help"]);
    expect(code).toBe(0);
    expect(stdout).toContain("--bob <yes|no>");
  });

  it("refuses a wrong option in one line, with exit code 2", async () => {
    const { code, stdout, stderr } = await run(["--bob", "maybe"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^[^\n]*maybe[^\n]*\n$/);
  });
});

const key = "key-of-the-test";
const calls = [
  { name: "ask_bob", arguments: { rationale: "a", time: "12:30" } },
  { name: "find_restaurant", arguments: { rationale: "b", dish: "dumplings", time: "12:30" } },
  {
    name: "book_table",
    arguments: { rationale: "c", name: "The Copper Pot", street: "4 Basil Lane", time: "12:30" },
  },
  {
    name: "add_to_calendar",
    arguments: { rationale: "d", status: "confirmed", restaurant: "The Copper Pot", time: "12:30" },
  },
  { name: "notify", arguments: { rationale: "e", title: "Lunch", time: "12:30", place: "The Copper Pot" } },
  { name: "stop", arguments: { rationale: "f", value: "Done." } },
  // The lunch with chains comes after the other.
  { name: "ask_bob", arguments: { rationale: "g", time: "12:30" } },
];

describe("npm start -- lunch --model", () => {
  it.each<{ protocol: string; answers: readonly ScriptedAnswer[] }>([
    {
      protocol: "json",
      answers: calls.map(({ name, arguments: given }) => ({
        text: JSON.stringify({ action: name, ...given }),
      })),
    },
    { protocol: "tools", answers: calls.map((call) => ({ toolCalls: [call] })) },
  ])(
    "arranges both lunches with the protocol $protocol, and reports what was billed",
    async ({ protocol, answers }) => {
      const script = answers.map((answer) => ({ ...answer, usage: { prompt: 1000, completion: 10 } }));
      await using provider = await scriptedProvider(script, { apiKey: key });
      const { code, stdout, stderr } = await run(["--model", "local.chat", "--protocol", protocol], {
        baseUrl: provider.baseUrl,
        env: { LOCAL_API_KEY: key },
      });
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toMatch(/\n {2}without chains +6 +6,000\n {2}with chains +1 +1,000\n/);
      expect(stdout).toContain("what the service counted");
      expect(stdout).toMatch(/\n\nmodel calls: 1, skipped: 5\n$/);
      provider.assertUsedUp();
    },
  );

  it.each([
    { why: "there is no key", env: {}, says: /`LOCAL_API_KEY`.*leave out --model/ },
    { why: "the service refuses the key", env: { LOCAL_API_KEY: key }, says: /./ },
  ])("prints no report and one line, with exit code 1, when $why", async ({ env, says }) => {
    await using provider = await scriptedProvider([], { apiKey: "another key" });
    const args = ["--model", "local.chat", "--json"];
    const { code, stdout, stderr } = await run(args, { baseUrl: provider.baseUrl, env });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^[^\n]+\n$/);
    expect(stderr).toMatch(says);
    expect(stderr).not.toContain(key);
  });
});
