import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFixtureWorkspace, type FixtureWorkspace } from "./fixture-workspace.ts";

let workspace: FixtureWorkspace;

const closingLine = join(import.meta.dirname, "closing-line.ts");
const passing = `test("passes", () => {});`;

async function runTests(bodies: readonly string[], args: readonly string[] = []) {
  for (const [index, body] of bodies.entries()) {
    const imports = `import { beforeAll, describe, expect, test } from "vitest";`;
    await workspace.write(`src/${index}.test.js`, `${imports}\n${body}`);
  }
  const { code, stdout } = await workspace.run("test.mjs", args);
  return { code, lastLine: stdout.trimEnd().split("\n").at(-1) };
}

beforeEach(async () => {
  workspace = await createFixtureWorkspace();
  await workspace.link("vitest");
  const config = { test: { include: ["src/**/*.test.js"], reporters: ["default", closingLine] } };
  await workspace.write("vitest.config.mjs", `export default ${JSON.stringify(config)};`);
});

afterEach(async () => {
  await workspace[Symbol.asyncDispose]();
});

describe("npm test", () => {
  it("installs, runs every test and ends with the counts", async () => {
    expect(await runTests([passing, passing])).toEqual({
      code: 0,
      lastLine: "2 passed, 0 failed, 0 skipped",
    });
    expect(await workspace.installs()).toHaveLength(1);
  });

  it("counts failing tests, hooks, files and stray errors, and fails", async () => {
    const bodies = [
      `test("fails", () => expect(1).toBe(2)); test.skip("waits", () => {}); test.todo("later");`,
      `describe("hook", () => { beforeAll(() => { throw new Error("no"); }); ${passing} });`,
      `import "./nowhere.js"; ${passing}`,
      `test("passes too early", () => { Promise.reject(new Error("late")); });`,
    ];
    expect(await runTests(bodies)).toEqual({ code: 1, lastLine: "1 passed, 4 failed, 3 skipped" });
  });

  it("fails when there is no test", async () => {
    expect(await runTests([])).toEqual({ code: 1, lastLine: "0 passed, 0 failed, 0 skipped" });
  });

  it("hands its arguments to the test runner", async () => {
    const other = `${passing} test("other", () => {});`;
    const ended = await runTests([other], ["-t", "other"]);
    expect(ended).toEqual({ code: 0, lastLine: "1 passed, 0 failed, 1 skipped" });
  });
});
