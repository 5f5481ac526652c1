import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { fileJournalStore, resumeRun } from "@roboz/core";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";

import { recordedTerminal } from "../__fixtures__/recorded-terminal.ts";
import { main } from "../main.ts";
import { agent } from "./__fixtures__/approval-agent.ts";
import { callingAgent } from "./__fixtures__/calling-agent.ts";

const module = fileURLToPath(new URL("__fixtures__/approval-agent.ts", import.meta.url));

let path: string;
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), "roboz-replay-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  const store = fileJournalStore(path, { survives: "process" });
  await agent.invoke("Chairs, please.", { journal: store, runId: "r1" });
  await resumeRun(store, "r1", agent, { reply: { approved: true } });
});

async function replay(...args: readonly string[]) {
  const terminal = recordedTerminal();
  terminal.input.end();
  const status = await main(["runs", "replay", "r1", ...args, "--store", path], { terminal });
  return { status, ...terminal.printed };
}

/** Rewrites what the record says the tool drafted. */
async function changeRecord(): Promise<void> {
  const store = fileJournalStore(path);
  const lines = (await store.read("r1")) ?? [];
  await writeFile(join(path, "r1.jsonl"), lines.join("\n").replaceAll("12 chairs", "11 chairs"));
}

describe("roboz runs replay", () => {
  it("says that today's agent does the same, with the approval of then", async () => {
    expect(await replay(module)).toEqual({
      status: 0,
      output: "The same: 5 steps, 1 model call\n",
      errors: "",
    });
  });

  it("ends with status 1 at the first difference, and shows both sides without what a terminal obeys", async () => {
    await changeRecord();
    const { status, output, errors } = await replay(module);
    expect(status).toBe(1);
    expect(output).toBe(
      'step 2: a message, of `draft`\n- [user] {"caller":"draft","value":"11 chairs\\u001b[2J"}\n+ [user] {"caller":"draft","value":"12 chairs\\u001b[2J"}\n',
    );
    expect(errors).toMatch(/^Error: The replay of the run `r1` differs from its record at step 2: [^\n]*\n$/);
  });

  it("gives the same as JSON", async () => {
    expect(JSON.parse((await replay(module, "--json")).output)).toMatchObject({ isSame: true, steps: 5 });
    await changeRecord();
    const { status, output } = await replay(module, "--json");
    expect(status).toBe(1);
    expect(JSON.parse(output)).toMatchObject({ isSame: false, step: 2, difference: { kind: "message" } });
  });

  it("replays the agents it called, and says in whose run the difference is", async () => {
    const calling = fileURLToPath(new URL("__fixtures__/calling-agent.ts", import.meta.url));
    const store = fileJournalStore(path, { survives: "process" });
    await callingAgent("12 EUR").invoke(undefined, { journal: store, runId: "same" });
    await callingAgent("13 EUR").invoke(undefined, { journal: store, runId: "other" });
    const replayed = async (...args: readonly string[]) => {
      const terminal = recordedTerminal();
      terminal.input.end();
      await main(["runs", "replay", ...args, calling, "--store", path], { terminal });
      return terminal.printed.output;
    };
    expect(await replayed("same")).toBe("The same: 4 steps, 4 model calls, 1 called agent\n");
    expect(await replayed("other")).toMatch(/^run other\.1, step 2: a message, of `look`\n- .*13 EUR/u);
    expect(JSON.parse(await replayed("other", "--json"))).toMatchObject({
      runId: "other",
      isSame: false,
      differsIn: "other.1",
    });
  });
});
