import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { parseRunDocument, type JournalStore } from "@roboz/core";
import { beforeEach, describe, expect, it } from "vitest";

import { recordedTerminal } from "../__fixtures__/recorded-terminal.ts";
import { InterruptedError } from "../errors.ts";
import { Interrupts } from "../interrupts.ts";
import { main } from "../main.ts";
import { atTerminal, module, newStore, roboz, waitingRun } from "./__fixtures__/kept-runs.ts";

let path: string;
let store: JournalStore;
beforeEach(async () => {
  ({ path, store } = await newStore());
});

describe("roboz runs resume", () => {
  it("takes a reply from the command line", async () => {
    await waitingRun(store, "r1");
    const { status, output, errors } = await roboz(
      ...["runs", "resume", "r1", module, "--store", path, "--reply", '{"approved":true}'],
    );
    expect({ status, errors }).toEqual({ status: 0, errors: "" });
    expect(output).toContain("Ordered.");
    expect((await roboz("runs", "list", "--store", path)).output).toContain("completed");
  });

  it("asks for the reply at the terminal", async () => {
    await waitingRun(store, "r1");
    const { status, output } = await atTerminal(
      ["runs", "resume", "r1", module, "--store", path],
      ['{"approved":true}'],
    );
    expect(status).toBe(0);
    expect(output).toContain("Ordered.");
  });

  it("says how to answer where nobody can be asked, and leaves the run waiting", async () => {
    await waitingRun(store, "r1");
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
    await waitingRun(store, "r1");
    const { status, errors } = await roboz("runs", "resume", "r1", module, "--store", path, "--reply", reply);
    expect(status).toBe(1);
    expect(errors).toMatch(/^Error: The reply does not fit `verdict`[^\n]*\n$/);
    const list = await roboz("runs", "list", "--store", path);
    expect(list.output).toContain("suspended");
  });

  it("gives the result of a run that has ended once more", async () => {
    await waitingRun(store, "r1");
    const args = ["runs", "resume", "r1", module, "--store", path, "--json"];
    await roboz(...args, "--reply", '{"approved":true}');
    const { status, output } = await roboz(...args);
    expect(status).toBe(0);
    expect(JSON.parse(output)).toMatchObject({ status: "completed", output: { value: "Ordered." } });
  });

  it("refuses a run that is held elsewhere", async () => {
    await waitingRun(store, "r1");
    const handle = await store.open("r1");
    const { status, errors } = await roboz("runs", "resume", "r1", module, "--store", path);
    await handle.close();
    expect(status).toBe(1);
    expect(errors).toMatch(/^Error: The run `r1` is under way elsewhere[^\n]*\n$/);
  });

  it("is ended by Ctrl-C at the question, and the run waits on", async () => {
    await waitingRun(store, "r1");
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
    await waitingRun(store, "r1");
    const { status, output } = await roboz("runs", "fork", "r1", "--at", "2", "--store", path);
    expect(status).toBe(0);
    const [, forkId = ""] = /^Forked: ([\da-f-]{36})\n$/.exec(output) ?? [];
    const shown = await roboz("runs", "show", forkId, "--store", path);
    expect(shown.output).toContain(", forked from r1\n");
    const resumed = await roboz("runs", "resume", forkId, module, "--store", path);
    expect(resumed.errors).toContain("the run waits for a reply to `review`");
  });

  it("goes on at once when there is a module", async () => {
    await waitingRun(store, "r1");
    const { status, output } = await atTerminal(
      ["runs", "fork", "r1", module, "--at", "1", "--store", path],
      ['{"approved":false}'],
    );
    expect(status).toBe(0);
    expect(output).toMatch(/^Forked: [\da-f-]{36}\n[\s\S]*Refused\./);
  });

  it("refuses a step that the run has not taken", async () => {
    await waitingRun(store, "r1");
    expect(await roboz("runs", "fork", "r1", "--at", "9", "--store", path)).toMatchObject({
      status: 1,
      errors: "Error: The run `r1` has no step 9; it has taken 3, and 0 is its beginning\n",
    });
  });
});

describe("the steps of a run", () => {
  it("are counted alike by `list`, `show`, `fork` and `replay`, also when it was resumed", async () => {
    await waitingRun(store, "r1");
    await roboz("runs", "resume", "r1", module, "--store", path, "--reply", '{"approved":true}');
    const list = await roboz("runs", "list", "--store", path, "--json");
    expect(JSON.parse(list.output)).toMatchObject({ runs: [{ runId: "r1", steps: 5 }] });
    const shown = await roboz("runs", "show", "r1", "--store", path);
    expect(shown.output).toMatch(/^run r1 of orders: completed, 5 steps, /);
    expect(shown.output).toMatch(/\n {4}5 {2}.*\n/);
    const forked = await roboz("runs", "fork", "r1", "--at", "6", "--store", path);
    expect(forked.errors).toContain("has no step 6; it has taken 5,");
    const replayed = await roboz("runs", "replay", "r1", module, "--store", path);
    expect(replayed.output).toBe("The same: 5 steps, 1 model call\n");
  });
});

describe("roboz runs export", () => {
  it("prints the run as a document", async () => {
    await waitingRun(store, "r1");
    const { status, output } = await roboz("runs", "export", "r1", "--store", path);
    expect(status).toBe(0);
    expect(parseRunDocument(output, "printed")).toMatchObject({ conversation_id: "r1", status: "running" });
  });

  it("writes it below a folder", async () => {
    await waitingRun(store, "r1");
    const root = join(path, "..", "data");
    const { output } = await roboz("runs", "export", "r1", "--store", path, "--root", root);
    const [, file = ""] = /^Wrote the run's document: (.*)\n$/.exec(output) ?? [];
    expect(file.startsWith(root)).toBe(true);
    expect(parseRunDocument(await readFile(file, "utf8"), file).messages).toHaveLength(4);
  });
});
