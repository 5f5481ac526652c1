import { describe, expect, it } from "vitest";

import { recordedTerminal } from "./__fixtures__/recorded-terminal.ts";
import { main } from "./main.ts";

async function run(...args: readonly string[]) {
  const terminal = recordedTerminal();
  const status = await main(args, { terminal });
  return { status, ...terminal.printed };
}

describe("main", () => {
  it.each([
    { why: "cli 1: no arguments", args: [], error: "a command is missing" },
    { why: "cli 1: only a group", args: ["env"], error: "a command is missing" },
    { why: "cli 3: an unknown group", args: ["nope"], error: "unknown command `nope`" },
    { why: "cli 3: an extra word", args: ["inventory", "init", "extra"], error: "too many arguments" },
    { why: "cli 3: an extra word after --", args: ["inventory", "init", "--", "x"], error: "too many" },
    { why: "cli 4: a removed command", args: ["inventory", "export"], error: "unknown command `export`" },
    { why: "cli 4: a removed command", args: ["inventory", "import"], error: "unknown command `import`" },
    { why: "cli 4: a removed command", args: ["inventory", "reset"], error: "unknown command `reset`" },
    { why: "cli 4: a removed option", args: ["inventory", "generate", "--force"], error: "`--force`" },
    {
      why: "cli 4: a removed option with a value",
      args: ["inventory", "init", "--from-module", "x"],
      error: "unknown option `--from-module`",
    },
    {
      why: "cli 26: env encrypt without --secret",
      args: ["env", "encrypt"],
      error: "`--secret` is required",
    },
    { why: "CL-01: a missing value", args: ["inventory", "init", "--path"], error: "`--path` needs a value" },
    {
      why: "CL-01: an option in place of a value",
      args: ["inventory", "init", "--path", "-x"],
      error: "`--path` needs a value",
    },
    { why: "CL-01: an unknown short option", args: ["env", "check", "-x"], error: "unknown option `--x`" },
    {
      why: "CL-01: a word that is none of the choices",
      args: ["env", "encrypt", "--secret", "A", "--format", "v3"],
      error: "`--format` is one of v2, v1",
    },
    { why: "CL-02: --__proto__.x=1", args: ["env", "check", "--__proto__.x=1"], error: "`--__proto__.x`" },
    { why: "CL-02: --__proto__ y", args: ["env", "check", "--__proto__", "y"], error: "`--__proto__`" },
    { why: "CL-02: --constructor y", args: ["env", "check", "--constructor", "y"], error: "`--constructor`" },
    {
      why: "CL-03: an empty path",
      args: ["inventory", "init", "--path", ""],
      error: "`--path` needs a value",
    },
    { why: "CL-03: an empty path with =", args: ["inventory", "init", "--path="], error: "`--path` needs" },
    {
      why: "CL-03: an empty secret",
      args: ["env", "encrypt", "--secret", ""],
      error: "`--secret` needs a value",
    },
    { why: "no version option", args: ["--version"], error: "a command is missing" },
    { why: "cli 1: runs without a command", args: ["runs"], error: "a command is missing" },
    { why: "no store", args: ["runs", "list"], error: "`--store` is required" },
    { why: "no id", args: ["runs", "show", "--store", "x"], error: "an argument is missing" },
    {
      why: "a step that is no number",
      args: ["runs", "fork", "r", "--store", "x", "--at", "abc"],
      error: "`--at` is a whole number",
    },
    {
      why: "a step below the beginning",
      args: ["runs", "fork", "r", "--store", "x", "--at=-1"],
      error: "`--at` is a whole number",
    },
    { why: "scripts without a command", args: ["scripts"], error: "a command is missing" },
    { why: "scripts without a socket", args: ["scripts", "check"], error: "`--socket` is required" },
    { why: "health of nothing", args: ["health"], error: "an argument is missing" },
    {
      why: "seconds that are none",
      args: ["health", "x.mjs", "--timeout-s", "abc"],
      error: "`--timeout-s` is a number of seconds above 0",
    },
    { why: "a module that is not named", args: ["graph"], error: "an argument is missing" },
    { why: "two modules", args: ["run", "a.ts", "b.ts"], error: "too many arguments" },
  ])("refuses with usage and status 2 ($why)", async ({ args, error }) => {
    const { status, output, errors } = await run(...args);
    expect({ status, output }).toEqual({ status: 2, output: "" });
    expect(errors).toMatch(/^Usage: roboz [^\n]*\nError: [^\n]*; see `roboz [^\n]*--help`\n$/);
    expect(errors).toContain(error);
    expect({}).not.toHaveProperty("x");
  });

  it.each([
    { args: ["env", "check", "hunter2"], why: "a word that may be a password" },
    { args: ["env", "encrypt", "--secret", "API_KEY=hunter2"], why: "a value behind a name" },
    { args: ["env", "encrypt", "--secret", "A", "--password=hunter2"], why: "a password as an option" },
    { args: ["env", "check", "--name", "API_KEY=hunter2"], why: "a value behind a name to check" },
    { args: ["hunter2!"], why: "a command that cannot be one" },
  ])("refuses without repeating $why", async ({ args }) => {
    const { status, output, errors } = await run(...args);
    expect(status).toBe(2);
    expect(output + errors).not.toContain("hunter2");
  });

  it.each([
    { args: ["--help"], shows: "roboz inventory" },
    { args: ["-h"], shows: "roboz inventory" },
    { args: ["inventory", "--help"], shows: "roboz inventory generate" },
    { args: ["inventory", "generate", "--help"], shows: "--output" },
    { args: ["env", "encrypt", "--help"], shows: "--secret" },
    { args: ["run", "--help"], shows: "--store" },
    { args: ["runs", "--help"], shows: "roboz runs resume" },
    { args: ["runs", "resume", "--help"], shows: "--reply" },
    { args: ["scripts", "serve", "--help"], shows: "--max-output-bytes" },
    { args: ["scripts", "check", "--help"], shows: "--socket" },
    { args: ["health", "--help"], shows: "--watch" },
  ])("cli 2: prints help and does nothing else ($args)", async ({ args, shows }) => {
    const { status, output, errors } = await run(...args);
    expect({ status, errors }).toEqual({ status: 0, errors: "" });
    expect(output).toContain(shows);
  });

  it("lists each command once, with what it does", async () => {
    const { output } = await run("--help");
    const commands = output.matchAll(/^ {2}roboz (\w+)/gm);
    expect([...commands].map(([, name]) => name)).toEqual([
      "run",
      "graph",
      "runs",
      "threads",
      "example",
      "inventory",
      "env",
      "health",
      "scripts",
      "tool",
      "skill",
      "completion",
    ]);
  });

  it.each([
    { line: ["roboz", "inv"], offered: ["inventory"] },
    { line: ["roboz", "runs", ""], offered: ["list", "show", "resume", "fork", "replay", "export"] },
    { line: ["roboz", "runs", "fork", "r1", "--"], offered: ["--store", "--at"] },
    { line: ["roboz", "inventory", ""], offered: ["init", "generate"] },
    { line: ["roboz", "inventory", "generate", "--"], offered: ["--path", "--output"] },
    { line: ["roboz", "graph", "agent.ts", "--format", ""], offered: ["mermaid", "svg", "json"] },
    { line: ["roboz", "env", "encrypt", "--secret", "A", "--format", ""], offered: ["v2", "v1"] },
  ])("completes $line", async ({ line, offered }) => {
    const { status, output, errors } = await run("--get-yargs-completions", ...line);
    expect({ status, errors }).toEqual({ status: 0, errors: "" });
    expect(output.trim().split("\n")).toEqual(expect.arrayContaining(offered));
  });

  it("prints a script for the shell", async () => {
    const { status, output } = await run("completion");
    expect(status).toBe(0);
    expect(output).toContain("complete -o bashdefault -o default -F _roboz_yargs_completions roboz");
  });
});
