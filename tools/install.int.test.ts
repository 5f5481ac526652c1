import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFixtureWorkspace, type FixtureWorkspace } from "./fixture-workspace.ts";

let workspace: FixtureWorkspace;

beforeEach(async () => {
  workspace = await createFixtureWorkspace();
  await workspace.write("node_modules/vitest/vitest.mjs", `console.log("tested");`);
});

afterEach(async () => {
  await workspace[Symbol.asyncDispose]();
});

describe("the install before a command", () => {
  it("is made once with the pinned pnpm, and skipped while nothing changes", async () => {
    expect(await workspace.run("test.mjs", [])).toMatchObject({ code: 0, stdout: "tested\n", stderr: "" });
    expect(await workspace.run("test.mjs", [])).toMatchObject({ code: 0, stdout: "tested\n", stderr: "" });
    expect(await workspace.installs()).toEqual(["--yes pnpm@1.2.3 install --frozen-lockfile"]);
  });

  it.each([
    { why: "the lockfile changes", path: "pnpm-lock.yaml", content: "lockfileVersion: 2\n" },
    {
      why: "the workspace settings change",
      path: "pnpm-workspace.yaml",
      content: "packages:\n  - packages/*\n  - apps/*\nupdateNotifier: false\n",
    },
    { why: "a manifest changes", path: "apps/count/package.json", content: `{ "version": "2.0.0" }` },
    { why: "a package is added", path: "packages/new/package.json", content: `{ "name": "new" }` },
  ])("is made again when $why", async ({ path, content }) => {
    await workspace.run("test.mjs", []);
    await workspace.write(path, content);
    await workspace.run("test.mjs", []);
    expect(await workspace.installs()).toHaveLength(2);
  });

  it("is made again when a package has lost its modules", async () => {
    await workspace.write("apps/count/package.json", `{ "dependencies": { "zod": "4" } }`);
    await workspace.write("apps/count/node_modules/zod/index.js", "");
    await workspace.run("test.mjs", []);
    await workspace.run("test.mjs", []);
    expect(await workspace.installs()).toHaveLength(1);
    await workspace.remove("apps/count/node_modules");
    await workspace.run("test.mjs", []);
    expect(await workspace.installs()).toHaveLength(2);
  });

  it.each([
    {
      why: "the registry cannot be reached",
      complaint: "ENOTFOUND",
      help: "the npm registry can be reached",
    },
    {
      why: "the lockfile is behind",
      complaint: 'Cannot install with "frozen-lockfile" because',
      help: "npx pnpm@1.2.3 install",
    },
  ])("ends the command with what helps when $why, and is tried again", async ({ complaint, help }) => {
    const failing = { NPX_EXIT: "1", NPX_COMPLAINT: complaint };
    const { code, stdout, stderr } = await workspace.run("test.mjs", [], { env: failing });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(complaint);
    expect(stderr.trimEnd().split("\n").at(-1)).toContain(help);
    expect(await workspace.run("test.mjs", [])).toMatchObject({ code: 0 });
    expect(await workspace.installs()).toHaveLength(2);
  });

  it("says which Node is needed when this one is too old", async () => {
    await workspace.write(
      "package.json",
      JSON.stringify({ type: "module", packageManager: "pnpm@1.2.3", engines: { node: ">=99.1" } }),
    );
    const { code, stderr } = await workspace.run("test.mjs", []);
    expect(code).toBe(1);
    expect(stderr).toBe(`This workspace needs Node >=99.1; this is ${process.versions.node}.\n`);
    expect(await workspace.installs()).toEqual([]);
  });
});
