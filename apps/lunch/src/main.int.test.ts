import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

import { runToEnd } from "../../../tools/run-to-end.ts";

const cwd = fileURLToPath(new URL("..", import.meta.url));
const run = (...args: string[]) =>
  runToEnd("node", ["--conditions=@roboz/source", "--import", "tsx", "src/main.ts", ...args], { cwd });

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
    const { code, stdout } = await run(...args);
    expect(code).toBe(0);
    expect(stdout).toContain(text);
    expect(stdout.trimEnd().split("\n").at(-1)).toBe(last);
  });

  it("prints nothing but the reports as JSON", async () => {
    const { code, stdout } = await run("--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: "Lunch is at 12:30, at The Copper Pot.",
      llmCalls: 1,
      skippedCalls: 5,
      withoutChains: { llmCalls: 6, skippedCalls: 0 },
    });
  });

  it("draws the graph that the README shows", async () => {
    const { code, stdout } = await run("--graph");
    expect(code).toBe(0);
    expect(readFileSync(new URL("../README.md", import.meta.url), "utf8")).toContain(
      `\`\`\`mermaid\n${stdout}\`\`\`\n`,
    );
  });

  it("explains itself", async () => {
    const { code, stdout } = await run("--help");
    expect(code).toBe(0);
    expect(stdout).toContain("--bob <yes|no>");
  });

  it("refuses a wrong option in one line, with exit code 2", async () => {
    const { code, stdout, stderr } = await run("--bob", "maybe");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^[^\n]*maybe[^\n]*\n$/);
  });
});
