import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { recordedTerminal, type RecordedTerminal } from "../__fixtures__/recorded-terminal.ts";
import { InterruptedError } from "../errors.ts";
import { Interrupts } from "../interrupts.ts";
import { main } from "../main.ts";
import { loadShed } from "../shed/shed-package.ts";

// It is translated when it is first loaded, which no test is to wait for.
beforeAll(async () => {
  await loadShed("health");
}, 60_000);

let folder: string;
let written = 0;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "roboz-health-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Modules say what they need without any package. */
const parts = `
const service = (dependencyId, ...results) => ({
  dependencyId, kind: "network_service",
  redactedMetadata: () => ({ host: "mail", password: "hunter22" }),
  check: () => Promise.resolve(results.length > 1 ? results.shift() : results[0]),
});
const failure = (reasonCode, message) => Object.assign(Object.create({ [Symbol.for("@roboz/core/dependency-failure")]: true }), { reasonCode, message });
const agentWith = (...needs) => ({ externalDependencies: () => needs });
const up = service("up", null);
const down = service("down", failure("connection_failed", "refused\\nby mail\\u001b[31m"));
`;

function moduleOf(text: string): string {
  written += 1;
  const file = join(folder, `m${written}.mjs`);
  writeFileSync(file, parts + text);
  return file;
}

async function run(text: string, ...args: readonly string[]) {
  const terminal = recordedTerminal();
  const status = await main(["health", moduleOf(text), ...args], { terminal });
  return { status, ...terminal.printed };
}

describe("roboz health", () => {
  it("prints what can be used, with status 0", async () => {
    const { status, output, errors } = await run(
      "export const agent = agentWith(up, service('also', null));",
    );
    expect({ status, errors }).toEqual({ status: 0, errors: "" });
    expect(output).toMatch(
      /^DEPENDENCY {2}STATUS +MS {2}REASON\nup {10}available +\d+\.\d\nalso {8}available +\d+\.\d\n$/,
    );
  });

  it("says on one line why something cannot be used, with status 1", async () => {
    const { status, output, errors } = await run("export const agent = agentWith(up, down);");
    expect(status).toBe(1);
    expect(output).toMatch(/\ndown {8}unavailable +\d+\.\d {2}connection_failed: refused by mail \[31m\n$/);
    expect(errors).toBe("Error: 1 of 2 cannot be used: `down`\n");
  });

  it("prints records as JSON", async () => {
    const { status, output } = await run("export const agent = agentWith(down);", "--json");
    expect(status).toBe(1);
    expect(JSON.parse(output)).toMatchObject([
      { dependencyId: "down", kind: "network_service", metadata: { host: "mail" }, status: "unavailable" },
    ]);
    expect(output).not.toContain("hunter22");
  });

  it.each([
    {
      why: "all exports, each thing once",
      text: "export const a = agentWith(up), b = service('b', null), c = agentWith(up), x = 1;",
      ids: ["up", "b"],
    },
    {
      why: "the default export",
      text: "export const b = service('b', null); export default agentWith(up);",
      ids: ["up"],
    },
    {
      why: "the export asked for",
      text: "export const a = agentWith(up), b = service('b', null);",
      args: ["--export", "b"],
      ids: ["b"],
    },
    { why: "lists", text: "export const all = [up, agentWith(service('b', null), up)];", ids: ["up", "b"] },
    {
      why: "functions, as tools may be",
      text: "export const f = Object.assign(() => 1, agentWith(up));",
      ids: ["up"],
    },
  ])("checks $why", async ({ text, args = [], ids }) => {
    const { status, output } = await run(text, "--json", ...args);
    expect(status).toBe(0);
    expect(JSON.parse(output)).toMatchObject(ids.map((dependencyId) => ({ dependencyId })));
  });

  it("says that nothing is needed", async () => {
    expect(await run("export const agent = agentWith();")).toEqual({
      status: 0,
      output: "Nothing is needed from outside.\n",
      errors: "",
    });
  });

  it.each([
    {
      why: "nothing says what it needs",
      text: "export const a = 1, b = {}, c = [], d = null;",
      says: "exports nothing that says what it needs",
    },
    {
      why: "the export asked for does not",
      text: "export const a = agentWith(up), b = 1;",
      args: ["--export", "b"],
      says: "has no `b` that says",
    },
    {
      why: "the list of needs is none",
      text: "export const a = { externalDependencies: () => 5 };",
      says: "does not give a list",
    },
    { why: "the module fails", text: "throw new Error('broken');", says: "could not be loaded: broken" },
  ])("fails when $why", async ({ text, args = [], says }) => {
    const { status, output, errors } = await run(text, ...args);
    expect({ status, output }).toEqual({ status: 1, output: "" });
    expect(errors).toMatch(/^Error: [^\n]*\n$/);
    expect(errors).toContain(says);
  });

  it("gives a check up after its time", async () => {
    const { status, output } = await run(
      "export const stuck = { ...up, dependencyId: 'stuck', check: () => new Promise(() => {}) };",
      "--timeout-s",
      "0.02",
    );
    expect(status).toBe(1);
    expect(output).toMatch(/stuck +unavailable +\d+\.\d {2}timeout: No answer within 0\.02 s\n$/);
  });

  it("is ended by Ctrl-C", async () => {
    const [terminal, interrupts] = [recordedTerminal(), new Interrupts()];
    const file = moduleOf(
      "export const stuck = { ...up, check: () => (globalThis.isStuck = true, new Promise(() => {})) };",
    );
    const status = main(["health", file], { terminal, interrupts });
    while (Reflect.get(globalThis, "isStuck") !== true) await sleep(5);
    interrupts.fire(new InterruptedError());
    expect(await status).toBe(130);
    expect(terminal.printed).toEqual({ output: "", errors: "\nCancelled.\n" });
  });
});

describe("roboz health --watch", () => {
  async function watch(
    text: string,
    until: (printed: RecordedTerminal["printed"]) => boolean,
    ...args: readonly string[]
  ) {
    const [terminal, interrupts] = [recordedTerminal(), new Interrupts()];
    const status = main(["health", moduleOf(text), "--watch", "--interval-s", "0.01", ...args], {
      terminal,
      interrupts,
    });
    while (!until(terminal.printed)) await sleep(5);
    interrupts.fire(new InterruptedError());
    return { status: await status, ...terminal.printed };
  }

  const flapping =
    "export const a = agentWith(up, service('flaps', null, failure('timeout', 'slow'), failure('timeout', 'slow'), failure('tls_failed', 'x'), null));";

  it("prints everything once, then what changes, until Ctrl-C, with status 0 when all can be used then", async () => {
    const { status, output, errors } = await watch(flapping, ({ output }) => output.includes("is available"));
    expect({ status, errors }).toEqual({ status: 0, errors: "" });
    const [heading, first, second, ...changes] = output.trimEnd().split("\n");
    expect(heading).toMatch(/^DEPENDENCY/);
    expect([first, second]).toEqual([
      expect.stringMatching(/^up /),
      expect.stringMatching(/^flaps +available/),
    ]);
    expect(changes.map((line) => line.replace(/^\d{4}-\d\d-\d\dT[\d:.]+Z {2}/, ""))).toEqual([
      "`flaps` is unavailable (timeout): slow",
      "`flaps` is unavailable (tls_failed): x",
      "`flaps` is available",
    ]);
  });

  it("prints one record a line as JSON", async () => {
    const { status, output } = await watch(flapping, ({ output }) => output.split("\n").length > 5, "--json");
    expect(status).toBe(0);
    const records = output
      .trimEnd()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
    expect(records).toMatchObject([
      { dependencyId: "up", status: "available" },
      { dependencyId: "flaps", status: "available" },
      { dependencyId: "flaps", reasonCode: "timeout" },
      { dependencyId: "flaps", reasonCode: "tls_failed" },
      { dependencyId: "flaps", status: "available" },
    ]);
  });

  it("has status 1 when something cannot be used at its end", async () => {
    const { status, errors } = await watch(
      "export const a = agentWith(up, down);",
      ({ output }) => output !== "",
    );
    expect({ status, errors }).toEqual({ status: 1, errors: "Error: 1 of 2 cannot be used: `down`\n" });
  });

  it("goes on when nothing is needed, until it is ended", async () => {
    const { status, output } = await watch("export const a = agentWith();", ({ output }) => output !== "");
    expect({ status, output }).toEqual({ status: 0, output: "Nothing is needed from outside.\n" });
  });
});
