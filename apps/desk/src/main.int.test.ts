import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";

import { scriptedProvider } from "@roboz/endpoints/testing";
import { describe, expect, it } from "vitest";

import { runApp } from "../../../tools/run-app.ts";

const run = runApp.bind(undefined, "desk");

function foldersLeft(): readonly string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith("roboz-desk-"));
}

describe("npm start -- desk", () => {
  it("searches, edits and shares with a yes, is denied the password, and leaves nothing behind", async () => {
    const before = foldersLeft();
    const { code, stdout, stderr } = await run();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("projects/desk/notes/tuesday.md:4:TODO: thank Ada for the biscuits");
    expect(stdout).toContain("Replaced 2 occurrences in 'projects/desk/notes/tuesday.md'");
    expect(stdout).toMatch(/\? Allow create for '[^']+\/shared\/summary\.md'\? \(yes\/no\) yes\n/);
    expect(stdout).toMatch(/✗ deny read +\S+\/projects\/desk\/\.env\n/);
    expect(stdout).not.toContain("not-for-models");
    expect(stdout).toMatch(
      /\nshared, afterwards:\n {2}summary\.md: Three things were to do, and three are done\. > .+\n/,
    );
    expect(stdout).toMatch(/\n\nmodel calls: 8, skipped: 16\n$/);
    expect(foldersLeft()).toEqual(before);
  });

  it("shares nothing after a no, and goes on", async () => {
    const { code, stdout } = await run(["--approve", "no"]);
    expect(code).toBe(0);
    expect(stdout).toContain("The user declined create");
    expect(stdout).toMatch(/shared, afterwards:\n {2}welcome\.md: [^\n]+\n\nmodel calls: 8, skipped: \d+\n$/);
  });

  it("is suspended when nobody is there, and resumed with the yes", async () => {
    const { code, stdout } = await run(["--approve", "later", "--no-sayings"]);
    expect(code).toBe(0);
    expect(stdout).toContain('… suspended: {"type":"permission-request"');
    expect(stdout).toContain("summary.md: Three things were to do, and three are done.\n");
    expect(stdout).toMatch(/\n\nmodel calls: 6, skipped: 16\n$/);
  });

  it("asks on standard input when told to", async () => {
    const { code, stdout } = await run(["--approve", "ask"], { input: "yes\n" });
    expect(code).toBe(0);
    expect(stdout).toContain("summary.md: Three things");
  });

  it("draws its tools", async () => {
    const { code, stdout } = await run(["--graph"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^flowchart TD\n/);
  });

  it.each([
    { why: "an unknown answer", args: ["--approve", "maybe"], says: /maybe/ },
    { why: "an unknown option", args: ["--fast"], says: /--fast/ },
  ])("refuses $why in one line, with exit code 2", async ({ args, says }) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^[^\n]+--help[^\n]+\n$/);
    expect(stderr).toMatch(says);
  });
});

describe("npm start -- desk --model", () => {
  it("works with the model of the catalogue", async () => {
    const answer = JSON.stringify({ action: "stop", rationale: "Enough.", value: "Nothing was done." });
    await using provider = await scriptedProvider([answer], { apiKey: "key-of-the-test" });
    const { code, stdout } = await run(["--model", "local.chat"], {
      baseUrl: provider.baseUrl,
      env: { LOCAL_API_KEY: "key-of-the-test" },
    });
    expect(code).toBe(0);
    expect(stdout).toContain("\nNothing was done.\n");
    provider.assertUsedUp();
  });

  it("says in one line which key is missing, and leaves no folder behind", async () => {
    const before = foldersLeft();
    await using provider = await scriptedProvider([]);
    const { code, stderr } = await run(["--model", "local.chat"], { baseUrl: provider.baseUrl });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^[^\n]*`LOCAL_API_KEY`[^\n]*leave out --model[^\n]*\n$/);
    expect(foldersLeft()).toEqual(before);
  });
});
