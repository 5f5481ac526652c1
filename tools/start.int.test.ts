import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFixtureWorkspace, type FixtureWorkspace } from "./fixture-workspace.ts";

let workspace: FixtureWorkspace;

beforeEach(async () => {
  workspace = await createFixtureWorkspace();
  await workspace.link("tsx");
});

afterEach(async () => {
  await workspace[Symbol.asyncDispose]();
});

describe("npm start", () => {
  it.each([
    { why: "nothing is given", given: [], kind: "lunch", args: [] },
    { why: "only options are given", given: ["--bob", "no"], kind: "lunch", args: ["--bob", "no"] },
    { why: "an app is named", given: ["count"], kind: "count", args: [] },
    { why: "an app is named with options", given: ["count", "--x", "1"], kind: "count", args: ["--x", "1"] },
    { why: "the app is asked for its own help", given: ["count", "--help"], kind: "count", args: ["--help"] },
  ])("runs `$kind` when $why", async ({ given, kind, args }) => {
    const { code, stdout, stderr } = await workspace.run("start.mjs", given, { input: "3\n" });
    expect(JSON.parse(stdout)).toEqual({ kind, args, input: "3\n" });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  it.each(["--help", "-h"])("lists the apps for %s, and installs nothing", async (option) => {
    await workspace.write("apps/left-behind/dist/main.js", "");
    const { code, stdout } = await workspace.run("start.mjs", [option]);
    expect(code).toBe(0);
    expect(stdout).toContain("  lunch  Books a table.\n");
    expect(stdout).toContain("  count  Counts.\n");
    expect(stdout).not.toContain("left-behind");
    expect(await workspace.installs()).toEqual([]);
  });

  it.each([
    { why: "an unknown name", name: "diner" },
    { why: "a path out of the apps", name: "../apps/lunch" },
    { why: "an empty name", name: "" },
  ])("refuses $why with one line and exit code 2", async ({ name }) => {
    const { code, stdout, stderr } = await workspace.run("start.mjs", [name]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^.+\n$/);
    expect(stderr).toContain(`\`${name}\``);
    expect(await workspace.installs()).toEqual([]);
  });

  it("ends with the app's exit code", async () => {
    expect(await workspace.run("start.mjs", [], { env: { APP_EXIT: "7" } })).toMatchObject({ code: 7 });
  });

  it.each(["SIGINT", "SIGTERM"] as const)("lets the app answer %s", async (signal) => {
    await workspace.write(
      "apps/lunch/src/main.ts",
      `process.once("${signal}", () => { console.log("tidy"); process.exit(5); });
       setInterval(() => {}, 1000);
       console.log("ready");`,
    );
    const ended = await workspace.run("start.mjs", [], { signal });
    expect(ended).toMatchObject({ code: 5, signal: null, stdout: "ready\ntidy\n" });
  });

  it("dies of the signal that the app died of", async () => {
    await workspace.write("apps/lunch/src/main.ts", `setInterval(() => {}, 1000); console.log("ready");`);
    expect(await workspace.run("start.mjs", [], { signal: "SIGTERM" })).toMatchObject({ signal: "SIGTERM" });
  });
});
