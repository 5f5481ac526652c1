import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { serverLimits } from "@roboz/threads/server";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { recordedTerminal } from "../__fixtures__/recorded-terminal.ts";
import { InterruptedError } from "../errors.ts";
import { Interrupts } from "../interrupts.ts";
import { main } from "../main.ts";
import { limitsOf } from "./serve.ts";

const agents = fileURLToPath(new URL("./__fixtures__/agents.ts", import.meta.url));

let folder: string;
let db: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "roboz-serve-"));
  db = `sqlite:${join(folder, "threads.db")}`;
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

function start(words: readonly string[], typed: readonly string[] = []) {
  const terminal = recordedTerminal();
  const interrupts = new Interrupts();
  for (const line of typed) terminal.input.write(`${line}\n`);
  terminal.input.end();
  const ended = main(["threads", ...words], { terminal, interrupts });
  return { terminal, interrupts, ended };
}

async function roboz(words: readonly string[], typed: readonly string[] = []) {
  const { terminal, ended } = start(words, typed);
  return { status: await ended, ...terminal.printed };
}

/** A server, its address and a token for it. */
async function served(...words: readonly string[]) {
  const token = (
    await roboz(["token", "create", "--user", "us_1", "--org", "og_1", "--db", db])
  ).output.trim();
  const server = start(["serve", "--db", db, "--port", "0", "--agents", agents, ...words]);
  let url = "";
  await vi.waitFor(() => {
    [, url = ""] = /at (http:\S+) /.exec(server.terminal.printed.output) ?? [];
    expect(url).not.toBe("");
  }, 20_000);
  vi.stubEnv("ROBOZ_THREADS_TOKEN", token);
  return { ...server, url };
}

describe("roboz threads serve", () => {
  it("answers those who chat until Ctrl-C, and their threads stay", async () => {
    const first = await served();
    const said = await roboz(["chat", "--url", first.url], ["Hello?", "", "Again?"]);
    expect(said).toMatchObject({ status: 0, errors: "" });
    expect(said.output.match(/hello/g)).toHaveLength(2);
    const [, id = ""] = /\nthread: (\S+)\n$/.exec(said.output) ?? [];
    first.interrupts.fire(new InterruptedError());
    expect(await first.ended).toBe(0);

    const second = await served();
    const more = await roboz(["chat", "--url", second.url, "--thread", id]);
    expect(more.output).toMatch(/^> Hello\?\nhello\n> Again\?\nhello\n/);
    second.interrupts.fire(new InterruptedError());
    expect(await second.ended).toBe(0);
  });

  it("names its agents by their exports, and shows no sequence that a terminal obeys", async () => {
    const server = await served();
    const { output } = await roboz(["chat", "--url", server.url, "--profile", "loud", "--message", "Hello?"]);
    expect(output).toContain("HELLO␛[2J!\n");
    const refused = await roboz(["chat", "--url", server.url, "--profile", "silent", "--message", "Hello?"]);
    expect(refused).toMatchObject({ status: 1, output: "" });
    server.interrupts.fire(new InterruptedError());
    await server.ended;
  });

  it("leaves turns to workers where it only answers requests, and takes them where it only works", async () => {
    const api = await served("--role", "api");
    const chat = start(["chat", "--url", api.url, "--message", "Hello?"]);
    const worker = start(["serve", "--db", db, "--role", "worker", "--agents", agents]);
    expect(await chat.ended).toBe(0);
    expect(chat.terminal.printed.output).toContain("hello\n");
    for (const one of [worker, api]) {
      one.interrupts.fire(new InterruptedError());
      expect(await one.ended).toBe(0);
    }
    expect(worker.terminal.printed.output).toMatch(/^Working on turns/);
  });

  it.each([
    { why: "a module without agents", module: "export const agents = { a: 1 };", says: "exports no agent" },
    {
      why: "a module with another agent as `standard` beside the default",
      module: `class Agent { copy() {} addCapabilities() {} build() {} }
        export default new Agent();
        export const standard = new Agent();`,
      says: "another as `standard`",
    },
    { why: "a module that fails", module: "throw new Error('on purpose');", says: "on purpose" },
  ])("refuses $why before it opens anything", async ({ module, says }) => {
    const path = join(folder, "agents.mjs");
    await writeFile(path, module);
    const { status, errors } = await roboz(["serve", "--db", "sqlite:", "--agents", path]);
    expect(status).toBe(1);
    expect(errors).toContain(says);
  });

  it("refuses what is over the limits that it was given", async () => {
    const server = await served("--body-bytes", "20");
    const { status, errors } = await roboz(["chat", "--url", server.url, "--message", "Hello?"]);
    expect(status).toBe(1);
    expect(errors).toContain("20");
    server.interrupts.fire(new InterruptedError());
    expect(await server.ended).toBe(0);
  });

  it("gives each option to the limit that it stands for, and leaves the others", () => {
    const asked = {
      concurrency: 1,
      perOrg: 2,
      steps: 3,
      turnSeconds: 4,
      clientToolSeconds: 5.5,
      streams: 6,
      requestsPerSecond: 7,
      bodyBytes: 8,
    };
    expect(limitsOf({}, serverLimits)).toEqual(serverLimits);
    expect(limitsOf(asked, serverLimits)).toEqual({
      ...serverLimits,
      concurrency: 1,
      perOrg: 2,
      steps: 3,
      wallMs: 4000,
      clientToolTtlMs: 5500,
      streams: 6,
      requests: { burst: 28, perSecond: 7 },
      bodyBytes: 8,
    });
  });

  it.each(["turns", "turns-per-org", "steps", "streams", "requests-per-s", "body-bytes"])(
    "takes --%s 0 for wrong usage",
    async (name) => {
      const { status, errors } = await roboz(["serve", "--db", db, "--agents", agents, `--${name}`, "0"]);
      expect(status).toBe(2);
      expect(errors).toContain(`\`--${name}\` is a whole number of 1 or more`);
    },
  );

  it.each(["0", "-1", "2147484"])("takes a turn of %s seconds for wrong usage", async (seconds) => {
    const { status, errors } = await roboz(["serve", "--db", db, "--agents", agents, `--turn-s=${seconds}`]);
    expect(status).toBe(2);
    expect(errors).toContain("`--turn-s` is a number of seconds above 0, at most 2147483");
  });

  it("takes a place without agents for wrong usage", async () => {
    expect(await roboz(["serve", "--db", db])).toMatchObject({ status: 2, output: "" });
  });
});

describe("roboz threads chat", () => {
  it("needs a token, and tells whom it cannot reach", async () => {
    vi.stubEnv("ROBOZ_THREADS_TOKEN", "");
    expect(await roboz(["chat"])).toMatchObject({ status: 2, output: "" });
  });

  it("is refused with a wrong token, which is not shown", async () => {
    const server = await served();
    vi.stubEnv("ROBOZ_THREADS_TOKEN", "rbt_wrong-token");
    const { status, errors } = await roboz(["chat", "--url", server.url, "--message", "Hello?"]);
    expect(status).toBe(1);
    expect(errors).toContain("token");
    expect(errors).not.toContain("rbt_wrong-token");
    server.interrupts.fire(new InterruptedError());
    await server.ended;
  });
});
