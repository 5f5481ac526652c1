import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it } from "vitest";

import { root } from "../../../../../tools/workspace.mjs";
import type { InstalledRoboz } from "../installed-roboz.ts";

/** A module of agents that wait in their model call, and stop when they are asked again. */
export const exampleAgent = `
import { Agent, MockLLMEndpoint, stop } from "@roboz/core";

function agent(mode) {
  const waits = () => {
    process.stdout.write("waits_started\\n");
    return new Promise((resolve) => setTimeout(resolve, 60_000, "too late"));
  };
  const endpoint = new MockLLMEndpoint([waits, { action: "stop", rationale: "", value: "the end" }]);
  return new Agent({ name: "waits", mode, systemPrompt: "Wait.", endpoint, tools: [stop] });
}
export const steerable = agent("steerable");
export const autonomous = agent("autonomous");
`;

/** A TypeScript module, with types that have to be taken out. */
const quotesModule = `
import { Agent, Empty, MockLLMEndpoint, Stop, tool } from "@roboz/core";

interface Quote { readonly text: string }
const quotes: readonly Quote[] = [{ text: "All chained up." }];
const getQuote = tool({
  name: "get_quote", description: "Return a quote.", input: Empty, output: Stop,
  run: () => Stop({ value: quotes[0]?.text ?? null }),
});
export default new Agent({
  name: "demo", mode: "autonomous", systemPrompt: "You produce quotes.",
  endpoint: new MockLLMEndpoint([{ action: "get_quote", rationale: "A quote is wanted." }]),
  tools: [getQuote],
});
`;

const asksModule = `
import { Agent, MockLLMEndpoint, stop } from "@roboz/core";
export const agent = new Agent({
  name: "asks", systemPrompt: "Ask.", tools: [stop],
  endpoint: new MockLLMEndpoint([
    { action: "prompt_user", rationale: "", value: "Which colour?" },
    { action: "stop", rationale: "", value: "Thanks." },
  ]),
});
`;

const endlessModule = `
import { Agent, Empty, Stop, tool } from "@roboz/core";
const wait = tool({ name: "wait", description: "", input: Empty, output: Stop, run: () => new Promise(() => {}) });
export default new Agent({ name: "endless", mode: "deterministic", defaultTools: [wait] });
`;

const readsTypeScript = "typescript" in process.features && process.features.typescript !== false;

export function agentCases(roboz: () => InstalledRoboz): void {
  const folderWith = async (name: string, text: string): Promise<string> => {
    const cwd = await roboz().emptyFolder();
    await writeFile(join(cwd, name), text);
    return cwd;
  };

  it.skipIf(readsTypeScript)("says what a TypeScript module needs that nothing here reads", async () => {
    const cwd = await folderWith("agent.ts", quotesModule);
    const { code, stdout, stderr } = await roboz().run(["graph", "agent.ts"], { cwd });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(
      /^Error: `agent\.ts` is TypeScript, which Node [\d.]+ does not read [^\n]*`npm install tsx`[^\n]*\n$/,
    );
  });

  it("draws and runs a TypeScript module with the tsx beside it, as a module and in a CommonJS package", async () => {
    const modules = join(roboz().project, "node_modules");
    await symlink(join(root, "node_modules", "tsx"), join(modules, "tsx"));
    const cwd = await folderWith("agent.ts", quotesModule);
    const drawn = await roboz().run(["graph", "./agent.ts"], { cwd });
    expect(drawn).toMatchObject({ code: 0, stderr: "" });
    expect(drawn.stdout).toMatch(/^flowchart TD\n[\s\S]*get_quote/);
    await writeFile(join(cwd, "package.json"), "{}");
    const { code, stdout, stderr } = await roboz().run(["run", "agent.ts"], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("All chained up.");
    expect(stdout).toMatch(/\nmodel calls: 1, skipped: 0, tools run: 1, /);
  });

  it.each([
    { format: "svg", starts: /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"[\s\S]*<\/svg>\n$/ },
    { format: "json", starts: /^\{\n {2}"agentName": "asks"/ },
    { format: "mermaid", starts: /^flowchart TD\n/ },
  ])("draws as $format", async ({ format, starts }) => {
    const cwd = await folderWith("agent.mjs", asksModule);
    const { code, stdout } = await roboz().run(["graph", "agent.mjs", "--format", format], { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(starts);
  });

  it("asks whoever writes to its input", async () => {
    const cwd = await folderWith("agent.mjs", asksModule);
    const { code, stdout } = await roboz().run(["run", "agent.mjs"], { cwd, input: "blue\n" });
    expect(code).toBe(0);
    expect(stdout).toContain("Which colour?\n> blue\n");
  });

  it("prints one JSON document, and questions beside it", async () => {
    const cwd = await folderWith("agent.mjs", asksModule);
    const args = ["run", "agent.mjs", "--json", "--input", "Hello."];
    const { code, stdout, stderr } = await roboz().run(args, { cwd, input: "blue\n" });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ status: "completed", output: { value: "Thanks." } });
    expect(stdout).toContain("Hello.");
    expect(stderr).toContain("Which colour?");
  });

  it.each([
    {
      why: "a module that is not there",
      name: "x.mjs",
      text: "",
      args: ["nope.mjs"],
      says: "`nope.mjs` does not exist",
    },
    {
      why: "a file that is no module",
      name: ".env",
      text: "K=hunter2",
      args: [".env"],
      says: "`.env` is no module",
    },
    {
      why: "text that is no program",
      name: "x.mjs",
      text: "const = hunter2",
      args: ["x.mjs"],
      says: "`x.mjs` could not be loaded",
    },
    { why: "no agent", name: "x.mjs", text: "export const a = 1", args: ["x.mjs"], says: "exports no agent" },
    {
      why: "two agents",
      name: "x.mjs",
      text: exampleAgent,
      args: ["x.mjs"],
      says: "--export: `autonomous`, `steerable`",
    },
    {
      why: "an agent that is put together wrongly",
      name: "x.mjs",
      text: `import { Agent } from "@roboz/core"; export default new Agent({ name: "no model" });`,
      args: ["x.mjs"],
      says: "`x.mjs` could not be loaded: ",
    },
  ])("refuses $why in one line", async ({ name, text, args, says }) => {
    const cwd = await folderWith(name, text);
    for (const command of ["graph", "run"]) {
      const { code, stdout, stderr } = await roboz().run([command, ...args], { cwd });
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(/^Error: [^\n]*\n$/);
      expect(stderr).toContain(says);
      expect(stderr).not.toContain("hunter2");
    }
  });

  it("prints a stack only for whoever sets ROBOZ_DEBUG", async () => {
    const cwd = await folderWith("x.mjs", "throw new Error('broken')");
    const { stderr } = await roboz().run(["graph", "x.mjs"], { cwd, env: { ROBOZ_DEBUG: "1" } });
    expect(stderr).toMatch(/^Error: [^\n]*broken\n[\s\S]*\n {4}at /);
  });

  it("says in one line what an agent's module leaves unhandled", async () => {
    const cwd = await folderWith(
      "x.mjs",
      `${asksModule}\nsetImmediate(() => { Promise.reject(new Error("nobody\\nlistens")); });`,
    );
    const { code, stderr } = await roboz().run(["run", "x.mjs"], { cwd, input: "" });
    expect(code).toBe(1);
    expect(stderr).toContain("Error: nobody listens\n");
    expect(stderr).not.toMatch(/\n {4}at /);
  });

  it.each([
    { why: "loading", text: `${asksModule}\nawait new Promise(() => {});` },
    { why: "a tool", text: endlessModule },
  ])("says so when $why waits for what can no longer come", async ({ text }) => {
    const cwd = await folderWith("x.mjs", text);
    const { code, stderr } = await roboz().run(["run", "x.mjs"], { cwd });
    expect(stderr).toBe("Error: the command waits for something that can no longer come\n");
    expect(code).toBe(1);
  });

  it("ends although the agent's module holds the process open", async () => {
    const cwd = await folderWith(
      "x.mjs",
      `${quotesModule.replace(/interface.*|: readonly Quote\[\]/g, "")}\nsetInterval(() => {}, 1000);`,
    );
    expect(await roboz().run(["run", "x.mjs"], { cwd })).toMatchObject({ code: 0, stderr: "" });
  });

  it("runs the bundled examples without a key or a terminal", async () => {
    const cwd = await roboz().emptyFolder();
    for (const name of ["simple", "complex"]) {
      const { code, stdout, stderr } = await roboz().run(["example", name], { cwd });
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toContain("stopped: completed");
    }
  });
}
