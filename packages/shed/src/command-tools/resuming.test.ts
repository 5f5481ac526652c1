import {
  Agent,
  memoryJournalStore,
  MockLLMEndpoint,
  resumeRun,
  stop,
  type AnyTool,
  type JournalStore,
} from "@roboz/core";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { PermissionPolicy } from "../permissions/policy.ts";
import { words } from "./__fixtures__/session.ts";
import { fileCommandTools } from "./file-commands.ts";
import { patchTools } from "./patch-tools.ts";

let base = "";
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "roboz-resume-")));
  writeLog("");
});
afterEach(() => {
  rmSync(base, { recursive: true });
});

const readLog = (): string => readFileSync(join(base, "log"), "utf8");
const writeLog = (text: string): void => {
  writeFileSync(join(base, "log"), text);
};

/** An agent whose model sends one call, and stops once it has a report. */
function agentFor(tools: readonly AnyTool[], call: { readonly action: string }, reported: string): Agent {
  return new Agent({
    name: "filing",
    systemPrompt: "Work on files.",
    endpoint: new MockLLMEndpoint(({ messages }) =>
      messages.some(({ content }) => content.includes(reported))
        ? { action: "stop", rationale: "Done.", value: "done" }
        : { ...call, rationale: "Files." },
    ),
    tools: [...tools, stop],
  });
}

/** The journal of a run, line by line, and what the log held before each line was written and at the end. */
async function journalOf(agent: Agent): Promise<{ lines: readonly string[]; logs: readonly string[] }> {
  const store = memoryJournalStore();
  const logs: string[] = [];
  const watched: JournalStore = {
    ...store,
    open: async (runId, options) => {
      const handle = await store.open(runId, options);
      return {
        ...handle,
        append: (record) => {
          logs.push(readLog());
          return handle.append(record);
        },
      };
    },
  };
  await agent.complete(undefined, { journal: watched, runId: "run" });
  return { lines: (await store.read("run")) ?? [], logs: [...logs, readLog()] };
}

/** Goes on, in what stands for another process, from the first lines of a journal. */
async function resumeFrom(lines: readonly string[], agent: Agent): Promise<string> {
  const store = memoryJournalStore();
  const handle = await store.open("run");
  for (const line of lines) await handle.append(line);
  await handle.close();
  const { status, messages } = await resumeRun(store, "run", agent);
  expect(status).toBe("completed");
  return messages.map(({ content }) => content).join("\n");
}

const policy = () => PermissionPolicy.local(base);

describe.each([
  {
    what: "a file command",
    make: () =>
      agentFor(
        fileCommandTools({ policy: policy() }).tools,
        {
          action: "run_file_command",
          ...{ value: words("cat log ; tee -a =more log | wc -c ; cat log") },
        },
        '"ending":"',
      ),
    after: "more",
  },
  {
    what: "a patch",
    make: () =>
      agentFor(
        patchTools({ policy: policy() }).tools,
        { action: "apply_patch", ...{ path: "log", old_string: "", new_string: "more" } },
        '"outcome":"',
      ),
    after: "more",
  },
])("$what of a resumed run", ({ make, after }) => {
  it("happens once, wherever the process ended, and the model is told where nobody knows", async () => {
    const { lines, logs } = await journalOf(make());
    expect(readLog()).toBe(after);
    const intent = lines.findIndex((line) => line.includes('"once-intent"'));
    expect(lines.filter((line) => line.includes('"once-intent"'))).toHaveLength(1);
    for (let kept = 1; kept <= lines.length; kept++) {
      // Between an intent and its result, the effect may have happened or not.
      const states = kept === intent + 1 ? ["", after] : [logs[kept] ?? ""];
      for (const state of states) {
        writeLog(state);
        const told = await resumeFrom(lines.slice(0, kept), make());
        const isUncertain = kept === intent + 1;
        expect({ kept, log: readLog() }).toEqual({ kept, log: isUncertain ? state : after });
        expect(told.includes("The process ended while")).toBe(isUncertain);
      }
    }
  });
});

it("a file command that only reads is repeated when a run is resumed, and leaves no trace in the journal", async () => {
  const make = () =>
    agentFor(
      fileCommandTools({ policy: policy() }).tools,
      { action: "run_file_command", ...{ value: words("cat log | wc -c ; ls") } },
      '"ending":"',
    );
  const { lines } = await journalOf(make());
  expect(lines.some((line) => line.includes("once-"))).toBe(false);
  for (let kept = 1; kept <= lines.length; kept++)
    expect(await resumeFrom(lines.slice(0, kept), make())).toContain("Overall: success");
});

it("a file command that was cancelled while it ran is not repeated", async () => {
  const abort = new AbortController();
  const { tools } = fileCommandTools({ policy: policy() });
  const store = memoryJournalStore();
  const agent = agentFor(
    tools,
    { action: "run_file_command", ...{ value: words("tee -a =more log") } },
    '"ending":"',
  );
  const watched: JournalStore = {
    ...store,
    open: async (runId, options) => {
      const handle = await store.open(runId, options);
      return {
        ...handle,
        append: async (record) => {
          await handle.append(record);
          // From here on the effect is under way.
          if (record.includes('"once-intent"')) abort.abort(new Error("enough"));
        },
      };
    },
  };
  const { status } = await agent.invoke(undefined, {
    journal: watched,
    runId: "run",
    signal: abort.signal,
  });
  expect(status).toBe("cancelled");
  const log = readLog();
  const told = await resumeFrom((await store.read("run")) ?? [], agent.copy({}));
  expect(readLog()).toBe(log);
  expect(told).toContain("The process ended while");
});
