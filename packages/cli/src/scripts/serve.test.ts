import { existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { recordedTerminal, type RecordedTerminal } from "../__fixtures__/recorded-terminal.ts";
import { InterruptedError, OutputClosedError } from "../errors.ts";
import { Interrupts } from "../interrupts.ts";
import { main } from "../main.ts";
import { loadShed } from "../shed/shed-package.ts";

// It is translated when it is first loaded, which no test is to wait for.
beforeAll(async () => {
  await loadShed("health");
}, 60_000);

let root: string;
let socket: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "roboz-serve-"));
  mkdirSync(join(root, "scripts"));
  socket = join(root, "run", "socket");
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

async function run(...args: readonly string[]) {
  const terminal = recordedTerminal();
  const status = await main(args, { terminal });
  return { status, ...terminal.printed };
}

const serving = (): readonly string[] => [
  "scripts",
  "serve",
  "--socket",
  socket,
  "--scripts",
  join(root, "scripts"),
  "--cwd",
  root,
];

async function serve(): Promise<{
  terminal: RecordedTerminal;
  interrupts: Interrupts;
  status: Promise<number>;
}> {
  const [terminal, interrupts] = [recordedTerminal(), new Interrupts()];
  const status = main(serving(), { terminal, interrupts });
  while (terminal.printed.output === "" && terminal.printed.errors === "") await sleep(5);
  return { terminal, interrupts, status };
}

describe.skipIf(process.platform !== "linux")("roboz scripts", () => {
  it.each([
    {
      why: "Ctrl-C",
      end: (interrupts: Interrupts) => {
        interrupts.fire(new InterruptedError());
      },
    },
    { why: "cli 46: SIGTERM", end: () => void process.emit("SIGTERM") },
    { why: "the end of its terminal", end: () => void process.emit("SIGHUP") },
  ])("serves until $why, then takes its socket away, with status 0", async ({ end }) => {
    const before = process.listenerCount("SIGTERM");
    const { terminal, interrupts, status } = await serve();
    expect(terminal.printed).toEqual({
      output: `Serving the scripts of ${join(root, "scripts")} at ${socket}\n`,
      errors: "",
    });
    expect(lstatSync(socket).isSocket()).toBe(true);
    expect(await run("scripts", "check", "--socket", socket)).toEqual({ status: 0, output: "", errors: "" });
    end(interrupts);
    expect(await status).toBe(0);
    expect(existsSync(socket)).toBe(false);
    expect(process.listenerCount("SIGTERM")).toBe(before);
  });

  it("takes its socket away when nobody reads what it says any more", async () => {
    const { interrupts, status } = await serve();
    interrupts.end(new OutputClosedError());
    expect(await status).toBe(1);
    expect(existsSync(socket)).toBe(false);
  });

  it("cli 44: does not find a service that is not there, and makes nothing", async () => {
    const { status, output, errors } = await run("scripts", "check", "--socket", socket);
    expect({ status, output }).toEqual({ status: 1, output: "" });
    expect(errors).toMatch(/^Error: .* is unavailable or incompatible: there is no socket\n$/);
    expect(existsSync(join(root, "run"))).toBe(false);
  });

  it("cli 45: leaves a file that stands at the path", async () => {
    mkdirSync(join(root, "run"), { mode: 0o700 });
    writeFileSync(socket, "mine");
    const { status, errors } = await run(...serving());
    expect(status).toBe(1);
    expect(errors).toMatch(/^Error: [^\n]* something stands at the path already[^\n]*\n$/);
    expect(readFileSync(socket, "utf8")).toBe("mine");
  });

  it.each([
    {
      why: "cli 43: no time",
      args: ["--timeout-s", "0"],
      says: "`--timeout-s` is a number of seconds above 0",
    },
    { why: "cli 47: no number", args: ["--timeout-s", "abc"], says: "`--timeout-s` is a number" },
    { why: "a time below zero", args: ["--timeout-s=-5"], says: "`--timeout-s` is a number" },
    { why: "a time without end", args: ["--timeout-s", "Infinity"], says: "`--timeout-s` is a number" },
    {
      why: "cli 43: a variable that is never allowed",
      args: ["--allow-env", "PATH"],
      says: "`--allow-env` may not have `PATH`",
    },
    { why: "a variable with a value", args: ["--allow-env", "A=hunter2"], says: "give the name alone" },
    {
      why: "no bytes",
      args: ["--max-output-bytes", "0"],
      says: "`--max-output-bytes` is not a whole number above 0",
    },
    {
      why: "half a byte",
      args: ["--max-output-bytes", "1.5"],
      says: "`--max-output-bytes` is a whole number",
    },
    { why: "an empty variable", args: ["--allow-env", ""], says: "`--allow-env` needs a value" },
  ])("refuses $why with status 2, and makes nothing", async ({ args, says }) => {
    const { status, output, errors } = await run(...serving(), ...args);
    expect({ status, output }).toEqual({ status: 2, output: "" });
    expect(errors).toContain(says);
    expect(errors).not.toMatch(/hunter2|\n {4}at /);
    expect(existsSync(join(root, "run"))).toBe(false);
  });

  it("takes the last of a time that is given twice, and parts of seconds", async () => {
    const { status, errors } = await run(
      ...serving(),
      "--timeout-s",
      "0",
      "--timeout-s",
      ".5",
      "--cwd",
      join(root, "none"),
    );
    expect(status).toBe(1);
    expect(errors).toContain("its working directory is not a directory");
  });
});
