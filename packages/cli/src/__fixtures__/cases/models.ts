import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { encryptEnv } from "@roboz/endpoints/env";
import { scriptedProvider, type ScriptedProvider, type ScriptEntry } from "@roboz/endpoints/testing";
import { expect, it } from "vitest";

import type { InstalledRoboz } from "../installed-roboz.ts";
import { atTerminal, ctrlC } from "../terminal-session.ts";

const key = "sk-hunter2-key";
const stops: ScriptEntry = {
  text: JSON.stringify({ action: "stop", rationale: "Done.", value: "the answer" }),
};

const agents = `
import { Agent, Empty, MockLLMEndpoint, Stop, stop, tool } from "@roboz/core";
export const asking = new Agent({
  name: "asking", systemPrompt: "Answer.", endpoint: new MockLLMEndpoint([]), tools: [stop],
});
const end = tool({ name: "end", description: "", input: Empty, output: Stop, run: () => Stop() });
export const fixed = new Agent({ name: "fixed", mode: "deterministic", defaultTools: [end] });
`;

/** A project whose catalogue has one chat model and one that listens, both at the provider. */
async function project(roboz: InstalledRoboz, { baseUrl }: ScriptedProvider): Promise<string> {
  const cwd = await roboz.emptyFolder();
  const inventory = {
    schema_version: 1,
    providers: {
      local: {
        base_url: baseUrl,
        api_key_env: "LOCAL_API_KEY",
        models: {
          chat: { endpoint_type: "llm", model_id: "scripted-model", max_context_tokens: 8000 },
          ear: { endpoint_type: "transcription", model_id: "scripted-ear" },
        },
      },
    },
  };
  const { code } = await roboz.run(["inventory", "init"], { cwd });
  expect(code).toBe(0);
  await writeFile(join(cwd, "model_catalogue", "models.json"), JSON.stringify(inventory));
  await writeFile(join(cwd, "agents.mjs"), agents);
  return cwd;
}

const run = ["run", "agents.mjs", "--export", "asking", "--model", "local.chat"] as const;

/** Agents on models of the project's catalogue, at a service on the loopback interface. */
export function modelCases(roboz: () => InstalledRoboz): void {
  it("asks the model of the catalogue that was chosen, with the key of its variable", async () => {
    await using provider = await scriptedProvider([stops], { apiKey: key });
    const cwd = await project(roboz(), provider);
    const { code, stdout, stderr } = await roboz().run([...run], { cwd, env: { LOCAL_API_KEY: key } });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("local / scripted-model");
    expect(stdout).toContain("the answer");
    provider.assertUsedUp();
  });

  it.each([
    { why: "no key", args: run, env: {}, says: "`LOCAL_API_KEY`" },
    {
      why: "a model that is not there",
      args: [...run, "--model", "local.nope"],
      env: {},
      says: "there are `local.chat`",
    },
    {
      why: "a model that does not chat",
      args: [...run, "--model=local.ear"],
      env: {},
      says: "there are `local.chat`",
    },
    { why: "an agent without a model", args: [...run, "--export", "fixed"], env: {}, says: "asks no model" },
  ])("begins no run with $why", async ({ args, env, says }) => {
    await using provider = await scriptedProvider();
    const cwd = await project(roboz(), provider);
    const { code, stdout, stderr } = await roboz().run([...args], { cwd, env });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^Error: [^\n]*\n$/);
    expect(stderr).toContain(says);
    expect(provider.requests).toEqual([]);
  });

  it("fails in one line, and without the key, when the service refuses it", async () => {
    await using provider = await scriptedProvider([], { apiKey: "another" });
    const cwd = await project(roboz(), provider);
    const args = [...run, "--json"];
    const { code, stdout, stderr } = await roboz().run(args, { cwd, env: { LOCAL_API_KEY: key } });
    // The person is asked what to do, and nobody is there.
    expect({ code, stdout: stdout.includes(key) }).toEqual({ code: 1, stdout: false });
    expect(stderr).toMatch(/Error: [^\n]*\n$/);
    expect(stderr).not.toContain(key);
  });
}

/** The same at a terminal. */
export function modelTerminalCases(roboz: () => InstalledRoboz): void {
  it("asks for the password of an encrypted key, and shows the reply as it arrives", async () => {
    await using provider = await scriptedProvider([stops], { apiKey: key });
    const cwd = await project(roboz(), provider);
    await writeFile(join(cwd, "plain.env"), `LOCAL_API_KEY=${key}\n`);
    const path = join(cwd, "plain.env");
    const encrypted = await encryptEnv({ path, secretNames: ["LOCAL_API_KEY"], password: "hunter3" });
    await rename(encrypted, join(cwd, ".env.encrypt"));
    await rm(path);
    const question = "Password for `LOCAL_API_KEY`: ";
    const session = await atTerminal([roboz().bin, ...run], [{ when: question, type: "hunter3\r" }], { cwd });
    expect(session.screen).toMatch(
      /\[assistant\][^\n]*\n {2}action: stop\n {2}rationale: Done\.\n {2}value: the answer\n/,
    );
    expect(session.screen).not.toMatch(/hunter/);
    expect(session.code).toBe(0);
    const wrong = await atTerminal([roboz().bin, ...run], [{ when: question, type: "hunter4\r" }], { cwd });
    expect(wrong.code).toBe(1);
    expect(wrong.screen).toMatch(/\nError: The encrypted entries could not be opened[^\n]*\n$/);
  });

  it("interrupts a reply that stalls", async () => {
    const silent: ScriptEntry = {
      text: "never whole, never whole",
      breakOff: { how: "silence", afterPieces: 2 },
    };
    await using provider = await scriptedProvider([silent, stops]);
    const cwd = await project(roboz(), provider);
    const session = await atTerminal(
      [roboz().bin, ...run],
      [
        { when: "never", type: ctrlC },
        { when: "Interrupted", type: "go on\r" },
      ],
      { cwd, env: { LOCAL_API_KEY: key } },
    );
    expect(session.screen).toContain("the answer");
    expect(session.code).toBe(0);
  });
}
