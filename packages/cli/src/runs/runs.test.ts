import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { fileJournalStore, parseRunDocument, type JournalStore } from "@roboz/core";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";

import { recordedTerminal, type RecordedTerminal } from "../__fixtures__/recorded-terminal.ts";
import { InterruptedError } from "../errors.ts";
import { Interrupts } from "../interrupts.ts";
import { main } from "../main.ts";
import { agent } from "./__fixtures__/approval-agent.ts";

const module = fileURLToPath(new URL("__fixtures__/approval-agent.ts", import.meta.url));

let path: string;
let store: JournalStore;
beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), "roboz-runs-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  path = join(folder, "kept");
  store = fileJournalStore(path, { survives: "process" });
});

async function roboz(...args: readonly string[]) {
  const terminal = recordedTerminal();
  terminal.input.end();
  const status = await main(args, { terminal });
  return { status, ...terminal.printed };
}

/** A person at a terminal who types each answer when asked for it. */
async function atTerminal(args: readonly string[], answers: readonly string[]) {
  const terminal = recordedTerminal({ isTTY: true });
  answerWhenAsked(terminal, answers);
  const status = await main(args, { terminal });
  return { status, ...terminal.printed };
}

function answerWhenAsked(terminal: RecordedTerminal, answers: readonly string[]): void {
  const waiting = [...answers];
  const write = terminal.output.write.bind(terminal.output);
  terminal.output.write = (text) => {
    write(text);
    if (!text.endsWith("> ")) return;
    const next = waiting.shift();
    if (next === undefined) terminal.input.end();
    else terminal.input.write(`${next}\n`);
  };
}

/** A run that waits for its approval. */
async function waitingRun(runId: string): Promise<void> {
  expect(await agent.invoke("Chairs, please.", { journal: store, runId })).toMatchObject({
    status: "suspended",
  });
}

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

  it("says in one line which package a database needs", async () => {
    const { status, errors } = await roboz("run", module, "--store", `${path}.db`);
    expect(status).toBe(1);
    expect(errors).toMatch(/^Error: the store `[^`]*` is a database[^\n]*`npm install @roboz\/sqlite`\n$/);
  });
});

describe("roboz runs list", () => {
  it("lists the latest first, with what each came to", async () => {
    await waitingRun("first");
    await waitingRun("second-one");
    const { status, output, errors } = await roboz("runs", "list", "--store", path);
    expect({ status, errors }).toEqual({ status: 0, errors: "" });
    expect(output.split("\n").map((line) => line.replace(/\S+Z$/, "AT"))).toEqual([
      "RUN         AGENT   STATUS     STEPS  MODEL CALLS  STARTED",
      "second-one  orders  suspended      2            1  AT",
      "first       orders  suspended      2            1  AT",
      "",
    ]);
  });

  it("gives the same as JSON", async () => {
    await waitingRun("r1");
    const { output } = await roboz("runs", "list", "--store", path, "--json");
    expect(JSON.parse(output)).toMatchObject({
      runs: [{ runId: "r1", agentName: "orders", status: "suspended", steps: 2, llmCalls: 1, damage: null }],
      unreadable: [],
    });
  });

  it("leaves out what is no journal, says so, and lists the others", async () => {
    await waitingRun("r1");
    await writeFile(join(path, "foreign.jsonl"), '{"level":"info"}\n');
    await writeFile(join(path, "empty.jsonl"), "");
    await writeFile(join(path, "odd name.jsonl"), "");
    await writeFile(join(path, "notes.txt"), "mine");
    await mkdir(join(path, "folder.jsonl"));
    const { status, output, errors } = await roboz("runs", "list", "--store", path);
    expect(status).toBe(0);
    expect(output).toMatch(/^RUN [^\n]*\nr1 [^\n]*\n$/);
    expect(errors.split("\n").slice(0, -1)).toHaveLength(4);
    expect(errors).not.toMatch(/(^|\n)(?!Left out: )./);
  });

  it("shows a run whose last record was cut off", async () => {
    await waitingRun("r1");
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
    await waitingRun("r1");
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
    await waitingRun("r1");
    const { status, output } = await roboz("runs", "show", "r1", "--store", path);
    expect(status).toBe(0);
    const [head = "", ...lines] = output.split("\n");
    expect(head).toMatch(/^run r1 of orders: suspended, 2 steps, 1 model call, started \S+Z$/);
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
    await waitingRun("r1");
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
    await waitingRun("r1");
    const file = join(path, "r1.jsonl");
    await writeFile(file, (await readFile(file, "utf8")).slice(0, -9));
    const { status, output } = await roboz("runs", "show", "r1", "--store", path);
    expect(status).toBe(0);
    expect(output).toContain("(1 line of the journal cannot be read)\n(under way, or cut off)\n");
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
  await waitingRun(runId);
  const [opened = "", , step = ""] = (await store.read(runId)) ?? [];
  const numbered = (sequence: number): string => step.replace(/^\{"sequence":\d+/, `{"sequence":${sequence}`);
  return [opened, ...Array.from({ length: steps }, (_, at) => numbered(at + 2))];
}

describe("roboz runs resume", () => {
  it("takes a reply from the command line", async () => {
    await waitingRun("r1");
    const { status, output, errors } = await roboz(
      ...["runs", "resume", "r1", module, "--store", path, "--reply", '{"approved":true}'],
    );
    expect({ status, errors }).toEqual({ status: 0, errors: "" });
    expect(output).toContain("Ordered.");
    expect((await roboz("runs", "list", "--store", path)).output).toContain("completed");
  });

  it("asks for the reply at the terminal", async () => {
    await waitingRun("r1");
    const { status, output } = await atTerminal(
      ["runs", "resume", "r1", module, "--store", path],
      ['{"approved":true}'],
    );
    expect(status).toBe(0);
    expect(output).toContain("Ordered.");
  });

  it("says how to answer where nobody can be asked, and leaves the run waiting", async () => {
    await waitingRun("r1");
    for (const _ of [1, 2]) {
      const { status, errors } = await roboz("runs", "resume", "r1", module, "--store", path);
      expect(status).toBe(1);
      expect(errors).toContain(`answer with: roboz runs resume r1 ${module} --store ${path} --reply REPLY\n`);
    }
  });

  it.each([
    { why: "text for fields", reply: "yes" },
    { why: "fields that do not fit", reply: '{"approved":"yes"}' },
    { why: "broken JSON", reply: '{"approved":' },
  ])("refuses a reply that does not fit, and leaves the run waiting ($why)", async ({ reply }) => {
    await waitingRun("r1");
    const { status, errors } = await roboz("runs", "resume", "r1", module, "--store", path, "--reply", reply);
    expect(status).toBe(1);
    expect(errors).toMatch(/^Error: The reply does not fit `verdict`[^\n]*\n$/);
    const list = await roboz("runs", "list", "--store", path);
    expect(list.output).toContain("suspended");
  });

  it("gives the result of a run that has ended once more", async () => {
    await waitingRun("r1");
    const args = ["runs", "resume", "r1", module, "--store", path, "--json"];
    await roboz(...args, "--reply", '{"approved":true}');
    const { status, output } = await roboz(...args);
    expect(status).toBe(0);
    expect(JSON.parse(output)).toMatchObject({ status: "completed", output: { value: "Ordered." } });
  });

  it("refuses a run that is held elsewhere", async () => {
    await waitingRun("r1");
    const handle = await store.open("r1");
    const { status, errors } = await roboz("runs", "resume", "r1", module, "--store", path);
    await handle.close();
    expect(status).toBe(1);
    expect(errors).toMatch(/^Error: The run `r1` is under way elsewhere[^\n]*\n$/);
  });

  it("is ended by Ctrl-C at the question, and the run waits on", async () => {
    await waitingRun("r1");
    const terminal = recordedTerminal({ isTTY: true });
    const interrupts = new Interrupts();
    const write = terminal.output.write.bind(terminal.output);
    terminal.output.write = (text) => {
      write(text);
      if (text.endsWith("> "))
        setImmediate(() => {
          interrupts.fire(new InterruptedError());
        });
    };
    const status = await main(["runs", "resume", "r1", module, "--store", path], { terminal, interrupts });
    expect({ status, errors: terminal.printed.errors }).toEqual({ status: 130, errors: "\nCancelled.\n" });
    const list = await roboz("runs", "list", "--store", path);
    expect(list.output).toContain("suspended");
    expect(list.output).not.toContain("torn");
  });
});

describe("roboz runs fork", () => {
  it("makes a run of the first steps, to be resumed later", async () => {
    await waitingRun("r1");
    const { status, output } = await roboz("runs", "fork", "r1", "--at", "2", "--store", path);
    expect(status).toBe(0);
    const [, forkId = ""] = /^Forked: ([\da-f-]{36})\n$/.exec(output) ?? [];
    const shown = await roboz("runs", "show", forkId, "--store", path);
    expect(shown.output).toContain(", forked from r1\n");
    const resumed = await roboz("runs", "resume", forkId, module, "--store", path);
    expect(resumed.errors).toContain("the run waits for a reply to `review`");
  });

  it("goes on at once when there is a module", async () => {
    await waitingRun("r1");
    const { status, output } = await atTerminal(
      ["runs", "fork", "r1", module, "--at", "1", "--store", path],
      ['{"approved":false}'],
    );
    expect(status).toBe(0);
    expect(output).toMatch(/^Forked: [\da-f-]{36}\n[\s\S]*Refused\./);
  });

  it("refuses a step that the run has not taken", async () => {
    await waitingRun("r1");
    expect(await roboz("runs", "fork", "r1", "--at", "9", "--store", path)).toMatchObject({
      status: 1,
      errors: "Error: The run `r1` has no step 9; it has taken 3, and 0 is its beginning\n",
    });
  });
});

describe("roboz runs export", () => {
  it("prints the run as a document", async () => {
    await waitingRun("r1");
    const { status, output } = await roboz("runs", "export", "r1", "--store", path);
    expect(status).toBe(0);
    expect(parseRunDocument(output, "printed")).toMatchObject({ conversation_id: "r1", status: "running" });
  });

  it("writes it below a folder", async () => {
    await waitingRun("r1");
    const root = join(path, "..", "data");
    const { output } = await roboz("runs", "export", "r1", "--store", path, "--root", root);
    const [, file = ""] = /^Wrote the run's document: (.*)\n$/.exec(output) ?? [];
    expect(file.startsWith(root)).toBe(true);
    expect(parseRunDocument(await readFile(file, "utf8"), file).messages).toHaveLength(4);
  });
});
