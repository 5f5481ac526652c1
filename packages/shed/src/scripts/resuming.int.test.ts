import { Agent, memoryJournalStore, MockLLMEndpoint, resumeRun, stop } from "@roboz/core";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";

import { scriptFolder, type ScriptFolder } from "./__fixtures__/script-folder.ts";
import { scriptTool } from "./script-tool.ts";

let folder: ScriptFolder;
beforeEach(() => {
  folder = scriptFolder();
});
afterEach(() => {
  folder[Symbol.dispose]();
});

/** How often the script ran. */
function ran(): number {
  const log = join(folder.root, "log");
  return existsSync(log) ? readFileSync(log, "utf8").length : 0;
}

/** An agent whose model runs the script twice, then stops. */
function agent(): Agent {
  const { scriptsDir, root: cwd } = folder;
  return new Agent({
    name: "runner",
    systemPrompt: "Run scripts.",
    endpoint: new MockLLMEndpoint(({ messages }) =>
      messages.filter(({ content }) => content.includes('"exit_code"')).length < 2
        ? { action: "run_shell_script", rationale: "Again.", script: "a.sh" }
        : { action: "stop", rationale: "Done.", value: "done" },
    ),
    tools: [scriptTool({ scriptsDir, cwd }), stop],
  });
}

it("a script that was called in a run with a journal runs once for each call, wherever the process ended", async () => {
  folder.write("a.sh", "printf x >> log; echo done");
  const store = memoryJournalStore();
  await agent().complete(undefined, { journal: store, runId: "run" });
  expect(ran()).toBe(2);
  const lines = (await store.read("run")) ?? [];
  const intents = lines.flatMap((line, index) => (line.includes('"once-intent"') ? [index] : []));
  const results = lines.flatMap((line, index) => (line.includes('"once-result"') ? [index] : []));
  expect([intents.length, results.length]).toEqual([2, 2]);
  for (let kept = 1; kept <= lines.length; kept += 1) {
    rmSync(join(folder.root, "log"), { force: true });
    const other = memoryJournalStore();
    const handle = await other.open("run");
    for (const line of lines.slice(0, kept)) await handle.append(line);
    await handle.close();
    const { messages } = await resumeRun(other, "run", agent());
    const told = messages.map(({ content }) => content).join("\n");
    const done = results.filter((index) => index < kept).length;
    // After an intent without its result the script may have run: it does not run again, and the model is told.
    const isUncertain = intents.some((index) => index === kept - 1);
    expect({ kept, ran: ran() }).toEqual({ kept, ran: 2 - done - (isUncertain ? 1 : 0) });
    expect(told.includes("How far it came is unknown")).toBe(isUncertain);
  }
});
