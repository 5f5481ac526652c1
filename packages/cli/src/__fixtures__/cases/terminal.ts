import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { decryptEnvValues, parseEnv } from "@roboz/endpoints/env";
import { expect, it } from "vitest";

import type { InstalledRoboz } from "../installed-roboz.ts";
import { atTerminal, ctrlC, ctrlD, type Keys } from "../terminal-session.ts";
import { exampleAgent } from "./agents.ts";

const first = "Encryption password: ";
const second = "The same again: ";

export function terminalCases(roboz: () => InstalledRoboz): void {
  const encryptAtTerminal = async (keys: readonly Keys[], args: readonly string[] = ["--secret", "A"]) => {
    const cwd = await roboz().emptyFolder();
    await writeFile(join(cwd, ".env"), "A=alpha\n");
    const session = await atTerminal([roboz().bin, "env", "encrypt", ...args], keys, { cwd });
    return { ...session, cwd, files: (await readdir(cwd)).sort() };
  };

  it("cli 27: takes the same password typed twice, and shows none of it", async () => {
    const { code, screen, echoes, cwd } = await encryptAtTerminal([
      { when: first, type: "hunter2\r" },
      { when: second, type: "hunter2\r" },
    ]);
    expect({ code, echoes }).toEqual({ code: 0, echoes: true });
    expect(screen).toBe(`${first}\n${second}\nWrote the encrypted environment: .env.encrypt\n`);
    const { values } = parseEnv(await readFile(join(cwd, ".env.encrypt"), "utf8"));
    const opened = await decryptEnvValues(values, { password: "hunter2" });
    expect(Object.fromEntries(opened)).toEqual({ A: "alpha" });
  });

  it.each([
    {
      why: "cli 27: two different passwords",
      keys: [
        { when: first, type: "hunter2\r" },
        { when: second, type: "hunter3\r" },
      ],
      code: 1,
      says: "Error: the passwords do not match; nothing was written\n",
    },
    {
      why: "EN-10: an empty password",
      keys: [
        { when: first, type: "\r" },
        { when: second, type: "\r" },
      ],
      code: 1,
      says: "Error: The password is empty",
    },
    {
      why: "cli 29: the end of input",
      keys: [{ when: first, type: ctrlD }],
      code: 1,
      says: "Error: the input ended",
    },
    {
      why: "cli 29: the end of input at the second question",
      keys: [
        { when: first, type: "hunter2\r" },
        { when: second, type: ctrlD },
      ],
      code: 1,
      says: "Error: the input ended",
    },
    {
      why: "cli 29, EN-13: Ctrl-C in the middle of a password",
      keys: [{ when: first, type: `hunt${ctrlC}` }],
      code: 130,
      says: "\nCancelled.\n",
    },
  ])("writes nothing after $why", async ({ keys, code, says }) => {
    const session = await encryptAtTerminal(keys);
    expect(session.code).toBe(code);
    expect(session.screen).toContain(says);
    expect(session.screen).not.toMatch(/hunt|\n {4}at /);
    expect(session.echoes).toBe(true);
    expect(session.files).toEqual([".env"]);
  });

  it("cli 33: asks before it looks for the file", async () => {
    const { code, screen, files } = await encryptAtTerminal(
      [
        { when: first, type: "hunter2\r" },
        { when: second, type: "hunter2\r" },
      ],
      ["--secret", "A", "--path", "missing.env"],
    );
    expect(code).toBe(1);
    expect(screen).toBe(`${first}\n${second}\nError: \`missing.env\` does not exist\n`);
    expect(files).toEqual([".env"]);
  });

  const runAtTerminal = async (keys: readonly Keys[], mode = "steerable") => {
    const cwd = await roboz().emptyFolder();
    await writeFile(join(cwd, "agent.mjs"), exampleAgent);
    return atTerminal([roboz().bin, "run", "agent.mjs", "--export", mode], keys, { cwd });
  };

  it("ends the model call at the first Ctrl-C, and goes on as the person says", async () => {
    const { code, screen } = await runAtTerminal([
      { when: "waits_started", type: ctrlC },
      { when: "Interrupted", type: "carry on\r" },
    ]);
    expect(screen).toContain("carry on");
    expect(screen).toContain("the end");
    expect(code).toBe(0);
  });

  it("ends the run at the second Ctrl-C", async () => {
    const { code, screen } = await runAtTerminal([
      { when: "waits_started", type: ctrlC },
      { when: "Interrupted", type: ctrlC },
    ]);
    expect(screen).toContain("waits stopped: cancelled");
    expect(screen).toMatch(/\nCancelled\.\n$/);
    expect(code).toBe(130);
  });

  it("ends the run of an agent that asks nobody at the first Ctrl-C", async () => {
    const { code, screen } = await runAtTerminal([{ when: "waits_started", type: ctrlC }], "autonomous");
    expect(screen).toMatch(/\nCancelled\.\n$/);
    expect(screen).not.toMatch(/\n {4}at /);
    expect(code).toBe(130);
  });

  it("ends the loading of a module that does not come to an end", async () => {
    const cwd = await roboz().emptyFolder();
    await writeFile(
      join(cwd, "agent.mjs"),
      `process.stdout.write("loading\\n"); await new Promise((resolve) => setTimeout(resolve, 60_000));`,
    );
    const { code, screen } = await atTerminal(
      [roboz().bin, "graph", "agent.mjs"],
      [{ when: "loading", type: ctrlC }],
      { cwd },
    );
    expect(screen).toMatch(/\nCancelled\.\n$/);
    expect(code).toBe(130);
  });

  it("lets the person answer the example, and end it", async () => {
    const cwd = await roboz().emptyFolder();
    const words = [roboz().bin, "example", "complex"];
    const question = "Give me a whole number:";
    const answered = await atTerminal(
      words,
      [
        { when: question, type: "4\r" },
        { when: question, type: "6\r" },
      ],
      { cwd },
    );
    expect(answered.code).toBe(0);
    expect(answered.screen).toContain("Two even numbers are too daring");
    const ended = await atTerminal(words, [{ when: question, type: ctrlC }], { cwd });
    expect(ended.code).toBe(130);
    const closed = await atTerminal(words, [{ when: question, type: ctrlD }], { cwd });
    expect(closed.code).toBe(1);
    expect(closed.screen).toMatch(/\nError: [^\n]*\n$/);
  });
}
