import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { JournalStore } from "@roboz/core";
import { beforeEach, describe, expect, it } from "vitest";

import { recordedTerminal } from "../__fixtures__/recorded-terminal.ts";
import { InterruptedError } from "../errors.ts";
import { Interrupts } from "../interrupts.ts";
import { main } from "../main.ts";
import { showRun } from "./show-run.ts";
import { atTerminal, module, newStore, roboz, waitingRun } from "./__fixtures__/kept-runs.ts";

let path: string;
let store: JournalStore;
beforeEach(async () => {
  ({ path, store } = await newStore());
});

describe("roboz run --store", () => {
  it("keeps the run, and says how to answer what it waits for", async () => {
    const { status, output, errors } = await roboz("run", module, "--store", path);
    expect(status).toBe(1);
    const [, runId = ""] = /\nrun: (\S+)\n$/.exec(output) ?? [];
    expect(errors).toBe(
      "Error: the run waits for a reply to `review`: Order 12 chairs [2J?; answer with: " +
        `roboz runs resume ${runId} ${module} --store ${path} --reply REPLY\n`,
    );
    expect(await store.list()).toEqual([runId]);
  });

  it("asks the person at the terminal, again if the reply does not fit, and goes on", async () => {
    const { status, output } = await atTerminal(
      ["run", module, "--store", path],
      ["yes", '{"approved":true}'],
    );
    expect(output).toContain("review: Order 12 chairs␛[2J?\n> ");
    expect(output).toContain("The reply does not fit `verdict`");
    expect(output).toContain("Ordered.");
    expect(status).toBe(0);
    expect(output).not.toContain("\u001b[2J");
  });

  it("asks the person also when the run is not kept", async () => {
    const { status, output } = await atTerminal(["run", module], ['{"approved":false}']);
    expect(output).toContain("Refused.");
    expect(output).not.toContain("\nrun: ");
    expect(status).toBe(0);
  });

  it("leaves the run as it is when the person leaves", async () => {
    const { status, errors } = await atTerminal(["run", module, "--store", path], []);
    expect(status).toBe(1);
    expect(errors).toContain("answer with: roboz runs resume ");
  });

  it("refuses a store that is a file, and leaves it", async () => {
    await writeFile(path, "mine");
    expect(await roboz("run", module, "--store", path)).toMatchObject({
      status: 1,
      output: "",
      errors: `Error: the store \`${path}\` is no folder of journals; a database ends with .db, .sqlite or .sqlite3\n`,
    });
    expect(await readFile(path, "utf8")).toBe("mine");
  });
});

describe("roboz runs list", () => {
  it("lists the latest first, with what each came to", async () => {
    await waitingRun(store, "first");
    await waitingRun(store, "second-one");
    const { status, output, errors } = await roboz("runs", "list", "--store", path);
    expect({ status, errors }).toEqual({ status: 0, errors: "" });
    expect(output.split("\n").map((line) => line.replace(/\S+Z$/, "AT"))).toEqual([
      "RUN         AGENT   STATUS     STEPS  MODEL CALLS  STARTED",
      "second-one  orders  suspended      3            1  AT",
      "first       orders  suspended      3            1  AT",
      "",
    ]);
  });

  it("gives the same as JSON", async () => {
    await waitingRun(store, "r1");
    const { output } = await roboz("runs", "list", "--store", path, "--json");
    expect(JSON.parse(output)).toMatchObject({
      runs: [{ runId: "r1", agentName: "orders", status: "suspended", steps: 3, llmCalls: 1, damage: null }],
      unreadable: [],
    });
  });

  it("leaves out what is no journal, says so, and lists the others", async () => {
    await waitingRun(store, "r1");
    await writeFile(join(path, "foreign.jsonl"), '{"level":"info"}\n');
    await writeFile(join(path, "empty.jsonl"), "");
    await writeFile(join(path, "odd name.jsonl"), "");
    await writeFile(join(path, "notes.txt"), "mine");
    await mkdir(join(path, "folder.jsonl"));
    const { status, output, errors } = await roboz("runs", "list", "--store", path);
    expect(status).toBe(0);
    expect(output).toMatch(/^RUN [^\n]*\nr1 [^\n]*\n$/);
    expect(errors.split("\n").slice(0, -1)).toHaveLength(3);
    expect(errors).not.toMatch(/(^|\n)(?!Left out: )./);
  });

  it("shows a run whose last record was cut off", async () => {
    await waitingRun(store, "r1");
    const file = join(path, "r1.jsonl");
    await writeFile(file, (await readFile(file, "utf8")).slice(0, -9));
    const { output } = await roboz("runs", "list", "--store", path);
    expect(output).toContain("running (torn)");
  });

  it("says that a store is empty", async () => {
    await mkdir(path);
    expect(await roboz("runs", "list", "--store", path)).toMatchObject({ status: 0, output: "No runs.\n" });
  });

  it.each([
    { why: "list", args: ["list"] },
    { why: "show", args: ["show", "r1"] },
    { why: "resume", args: ["resume", "r1", module] },
    { why: "fork", args: ["fork", "r1", "--at", "1"] },
    { why: "export", args: ["export", "r1"] },
  ])("makes no store where there is none ($why)", async ({ args }) => {
    const { status, output, errors } = await roboz("runs", ...args, "--store", path);
    expect({ status, output }).toEqual({ status: 1, output: "" });
    expect(errors).toMatch(/^Error: the store `[^`]*` does not exist; [^\n]*\n$/);
    await expect(readdir(path)).rejects.toThrow();
  });
});

describe("a run's id", () => {
  it.each([
    { why: "leads out of the store", runId: "../x" },
    { why: "is a path", runId: "/etc/passwd" },
    { why: "has a control character", runId: "a\u001b[2Jb" },
    { why: "is 300 characters long", runId: "x".repeat(300) },
    { why: "is empty", runId: "" },
    { why: "is not there", runId: "nope" },
  ])("PS-06: is refused in one line when it $why", async ({ runId }) => {
    await waitingRun(store, "r1");
    const before = await readdir(path);
    for (const args of [["show"], ["export"], ["fork", "--at", "0"]]) {
      const [name = "", ...rest] = args;
      const { status, output, errors } = await roboz("runs", name, runId, ...rest, "--store", path);
      expect({ status, output }).toEqual({ status: 1, output: "" });
      expect(errors).toMatch(/^Error: [^\n]*\n$/);
      expect(errors).not.toContain("\u001b");
    }
    const { status } = await roboz("runs", "resume", runId, module, "--store", path);
    expect(status).toBe(1);
    expect(await readdir(path)).toEqual(before);
  });
});

describe("roboz runs show", () => {
  it("shows the chain below the call that started it, and nothing that a terminal obeys", async () => {
    await waitingRun(store, "r1");
    const { status, output } = await roboz("runs", "show", "r1", "--store", path);
    expect(status).toBe(0);
    const [head = "", ...lines] = output.split("\n");
    expect(head).toMatch(/^run r1 of orders: suspended, 3 steps, 1 model call, started \S+Z$/);
    const shown = lines
      .join("\n")
      .replace(/ {4}1 {2}\[system\]\n(?: {7,}\S[^\n]*\n|\n)*?(?= {7}\[user\])/, "");
    expect(shown).toBe(
      [
        "",
        "       [user]",
        "         Chairs, please.",
        "       [assistant] draft (Chairs are wanted.)",
        "    2    [user] draft",
        "           12 chairs␛[2J",
        "    3      (waits for a reply to review: Order 12 chairs␛[2J?)",
        "       (suspended)",
        "",
      ].join("\n"),
    );
  });

  it("gives the same as one JSON document", async () => {
    await waitingRun(store, "r1");
    const { output } = await roboz("runs", "show", "r1", "--store", path, "--json");
    expect(JSON.parse(output)).toMatchObject({
      run: { runId: "r1", status: "suspended" },
      entries: [
        { type: "message", depth: 0, step: 1, message: { role: "system" } },
        { type: "message", depth: 0, step: 1, message: { role: "user" } },
        { type: "message", depth: 0, step: 1, message: { role: "assistant" } },
        { type: "message", depth: 1, step: 2 },
        { type: "request", depth: 2, step: 3, tool: "review" },
        { type: "ended", status: "suspended" },
      ],
    });
    expect(output).not.toContain("\u001b");
  });

  it("shows what it can of a run that was cut off", async () => {
    await waitingRun(store, "r1");
    const file = join(path, "r1.jsonl");
    await writeFile(file, (await readFile(file, "utf8")).slice(0, -9));
    const { status, output } = await roboz("runs", "show", "r1", "--store", path);
    expect(status).toBe(0);
    expect(output).toContain("(1 line of the journal cannot be read)\n(under way, or cut off)\n");
  });

  it("reads the journal once, so that its head and its entries are of one moment", async () => {
    await waitingRun(store, "r1");
    let reads = 0;
    const counted: JournalStore = {
      ...store,
      read: async (id) => {
        reads += 1;
        return store.read(id);
      },
    };
    const { output, printed } = recordedTerminal();
    await showRun(counted, "r1", output, { signal: new AbortController().signal });
    expect(printed.output).toContain("run r1 of ");
    expect(reads).toBe(1);
  });

  it("gives way to Ctrl-C in the middle of a long run", async () => {
    const lines = [(await journalOf("r1", 2000)).join("\n"), ""].join("\n");
    await mkdir(path, { recursive: true });
    await writeFile(join(path, "long.jsonl"), lines);
    const terminal = recordedTerminal();
    const interrupts = new Interrupts();
    let writes = 0;
    const write = terminal.output.write.bind(terminal.output);
    terminal.output.write = (text) => {
      write(text);
      writes += 1;
      if (writes === 500)
        setImmediate(() => {
          interrupts.fire(new InterruptedError());
        });
    };
    const status = await main(["runs", "show", "long", "--store", path], { terminal, interrupts });
    expect(status).toBe(130);
    expect(writes).toBeLessThan(2000);
  });
});

/** The journal of a run of so many steps. */
async function journalOf(runId: string, steps: number): Promise<readonly string[]> {
  await waitingRun(store, runId);
  const [opened = "", , step = ""] = (await store.read(runId)) ?? [];
  const numbered = (sequence: number): string => step.replace(/^\{"sequence":\d+/, `{"sequence":${sequence}`);
  return [opened, ...Array.from({ length: steps }, (_, at) => numbered(at + 2))];
}
