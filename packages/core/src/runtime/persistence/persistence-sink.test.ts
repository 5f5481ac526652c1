import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { Agent } from "../../agent/agent.ts";
import { asTool } from "../../agent/as-tool.ts";
import { resumeRun } from "../../agent/resume-run.ts";
import { MockLLMEndpoint } from "../../llm/mock.ts";
import { stop } from "../../tools/builtin/stop.ts";
import type { RunEvent } from "../events.ts";
import { fileJournalStore } from "../journal/file-store.ts";
import { memoryJournalStore } from "../journal/memory-store.ts";
import { EventPipe } from "../pipe.ts";
import { cliSink } from "../sinks/cli-sink.ts";
import { defaultEventSinks } from "../sinks/default-sinks.ts";
import { countingAgent } from "./__fixtures__/counting-agent.ts";
import { emptyPlace } from "./__fixtures__/scratch.ts";
import { activeRuns, clearActiveRuns } from "./activity.ts";
import { readRunDocument } from "./document.ts";
import { listRunDocuments } from "./document-folder.ts";
import { exportRun } from "./journal-document.ts";
import { persistenceSink } from "./persistence-sink.ts";

/** Every file below a folder, from there. */
async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

async function onlyDocument(root: string) {
  const [listed, ...others] = await listRunDocuments(root);
  if (listed === undefined || others.length > 0) throw new Error("There is not one document");
  return readRunDocument(listed.path);
}

describe("persistenceSink", () => {
  it("keeps one document of a run, by the date of its start, with all messages and events", async () => {
    const root = await emptyPlace();
    const journal = memoryJournalStore();
    const events: RunEvent[] = [];
    const agent = countingAgent({ sinks: [persistenceSink(root, { journal, tags: ["test"] })] });
    const { messages } = await agent.complete("Go.", {
      journal,
      runId: "r1",
      sinks: [(event) => events.push(event)],
    });
    const written = await onlyDocument(root);
    const [year = "", month = "", day = ""] = written.started_at.slice(0, 10).split("-");
    expect(await filesBelow(root)).toEqual([join(year, month, day, "r1.json")]);
    expect(written).toMatchObject({
      schema_version: 3,
      conversation_id: "r1",
      agent_name: "counter",
      parent_conversation_id: null,
      status: "completed",
      metadata: { environment: null, agent_description: "Counts.", tags: ["test"], custom: {} },
    });
    expect(written.started_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(written.ended_at).toMatch(/Z$/);
    expect(written.messages.map(({ role, content }) => ({ role, content }))).toEqual(
      messages.map(({ role, content }) => ({ role, content })),
    );
    const told = events.flatMap((event) => (event.type === "message" ? [event.sequence] : []));
    expect(written.messages.map(({ sequence }) => sequence)).toEqual(told);
    const runtime = events.flatMap((event) => (event.type === "runtime" ? [event.message] : []));
    expect(written.runtime_events.map(({ message }) => message)).toEqual(runtime);
    expect(written.messages[0]).toMatchObject({
      role: "system",
      truncation: { threshold: 0, severity: 1 },
      message_kind: "system_message",
      endpoint: null,
      images: [],
    });
  });

  it("core 102: leaves a document that says `running` and a marker until the run has ended", async () => {
    const root = await emptyPlace();
    const journal = memoryJournalStore();
    const run = countingAgent({ sinks: [persistenceSink(root, { journal })] }).start("Go.", {
      journal,
      runId: "r1",
    });
    await run.step();
    // What a crash would leave now.
    expect(await onlyDocument(root)).toMatchObject({ status: "running", ended_at: null, messages: [] });
    expect(await activeRuns(root)).toEqual(["r1"]);
    expect(await readFile(join(root, ".lifecycle", "active", "r1.run"), "utf8")).toBe("");
    await run.step();
    expect((await exportRun(journal, "r1")).messages).toHaveLength(4);
    await run.finish();
    expect(await onlyDocument(root)).toMatchObject({ status: "completed" });
    expect(await activeRuns(root)).toEqual([]);
  });

  it("core 102, PS-11: start-up cleanup takes the markers away and leaves the documents", async () => {
    const root = await emptyPlace();
    const journal = memoryJournalStore();
    const sinks = [persistenceSink(root, { journal })];
    await countingAgent({ sinks }).start("Go.", { journal, runId: "r1" }).step();
    const path = join(root, (await filesBelow(root)).find((file) => file.endsWith(".json")) ?? "");
    await writeFile(path, "not even JSON");
    expect(await clearActiveRuns(root)).toEqual(["r1"]);
    expect(await activeRuns(root)).toEqual([]);
    expect(await readFile(path, "utf8")).toBe("not even JSON");
  });

  it("core 103: refuses a root that is a file, and leaves the file", async () => {
    const file = await emptyPlace("file");
    await writeFile(file, "mine");
    const refused: unknown = expect.objectContaining({ code: "core/data-folder", path: file });
    expect(() => persistenceSink(file, { journal: memoryJournalStore() })).toThrow(refused);
    expect(() => defaultEventSinks({ documents: { root: file, journal: memoryJournalStore() } })).toThrow(
      refused,
    );
    expect(await readFile(file, "utf8")).toBe("mine");
  });

  it("PS-07: keeps two runs at once apart", async () => {
    const root = await emptyPlace();
    const journal = memoryJournalStore();
    const agent = countingAgent({ sinks: [persistenceSink(root, { journal })] });
    await Promise.all(["one", "two"].map((runId) => agent.complete(`I am ${runId}.`, { journal, runId })));
    const documents = await Promise.all(
      (await listRunDocuments(root)).map(async ({ path }) => readRunDocument(path)),
    );
    expect(documents.map(({ conversation_id: id }) => id).sort()).toEqual(["one", "two"]);
    for (const { conversation_id: id, messages } of documents) {
      expect(messages).toHaveLength(10);
      expect(messages.filter(({ content }) => content.includes("I am"))).toHaveLength(1);
      expect(messages[1]?.content).toContain(`I am ${id}.`);
    }
  });

  it("PS-08: makes folders and files for the owner alone", async () => {
    const root = await emptyPlace();
    const journal = memoryJournalStore();
    const agent = countingAgent({ sinks: [persistenceSink(root, { journal })] });
    await agent.start(undefined, { journal, runId: "open" }).step();
    await agent.complete(undefined, { journal, runId: "done" });
    const entries = await readdir(root, { recursive: true });
    const modes = await Promise.all(
      [root, ...entries.map((entry) => join(root, entry))].map(async (path) => {
        const found = await stat(path);
        return (found.mode & 0o777) === (found.isDirectory() ? 0o700 : 0o600);
      }),
    );
    expect(modes.length).toBeGreaterThan(7);
    expect(modes).not.toContain(false);
  });

  it.each([
    { why: "the folder for markers is a file", block: ".lifecycle" },
    { why: "the folder for documents is a file", block: String(new Date().getUTCFullYear()) },
  ])("PS-04: tells of documents that cannot be written ($why)", async ({ block }) => {
    const root = await emptyPlace();
    const journal = memoryJournalStore();
    const events: RunEvent[] = [];
    const settings = { sinks: [persistenceSink(root, { journal })] };
    await mkdir(root);
    await writeFile(join(root, block), "");
    await countingAgent(settings).complete(undefined, { journal, sinks: [(event) => events.push(event)] });
    expect(events.filter(({ type }) => type === "runtime")).toContainEqual(
      expect.objectContaining({ level: "error", message: "A sink failed and was detached" }),
    );
    const strict = countingAgent({ ...settings, strictSinks: true });
    await expect(strict.complete(undefined, { journal })).rejects.toThrow();
    expect(await activeRuns(root)).toEqual([]);
  });

  it.each([
    { why: "a sink that may fail", strictSinks: false },
    { why: "a strict one", strictSinks: true },
  ])("PS-04: tells of a document that cannot be written at the end ($why)", async ({ strictSinks }) => {
    const root = await emptyPlace();
    const journal = memoryJournalStore();
    const events: RunEvent[] = [];
    const blocked = memoryJournalStore();
    // The run keeps its journal elsewhere, so there is nothing to make the document of.
    const agent = countingAgent({ strictSinks, sinks: [persistenceSink(root, { journal: blocked })] });
    const run = agent.start(undefined, { journal, runId: "r1", sinks: [(event) => events.push(event)] });
    if (strictSinks) await expect(run.finish()).rejects.toMatchObject({ code: "core/unknown-run" });
    else {
      await run.finish();
      expect(events.at(-1)).toMatchObject({
        message: "A sink failed and was detached",
        data: { errorType: "UnknownRunError" },
      });
    }
    // The document that was there stands, and nobody works on the run.
    expect(await onlyDocument(root)).toMatchObject({ status: "running" });
    expect(await activeRuns(root)).toEqual([]);
    expect((await filesBelow(root)).filter((file) => file.endsWith(".tmp"))).toEqual([]);
  });

  it("leaves out the details that the predicate does not keep, and never the run itself", async () => {
    const root = await emptyPlace();
    const journal = memoryJournalStore();
    const keeps = (event: RunEvent): boolean => event.type === "message" && event.message.role !== "system";
    const agent = countingAgent({ sinks: [persistenceSink(root, { journal, keeps })] });
    await agent.complete("Go.", { journal });
    const { messages, runtime_events: events, status } = await onlyDocument(root);
    expect({ events, status, first: messages[0]?.role }).toEqual({
      events: [],
      status: "completed",
      first: "user",
    });
  });

  it("writes the whole conversation of a run that was resumed, in the document that it began with", async () => {
    const root = await emptyPlace();
    const folder = await emptyPlace("runs");
    const store = fileJournalStore(folder, { survives: "process" });
    const sinks = [persistenceSink(root, { journal: store })];
    const ask = { action: "prompt_user", rationale: "", value: "Which colour?" };
    const agent = new Agent({
      name: "asks",
      systemPrompt: "Ask.",
      tools: [stop],
      sinks,
      endpoint: new MockLLMEndpoint([ask, { action: "stop", rationale: "", value: "Thanks." }]),
    });
    const io = { isLive: false, ask: () => Promise.resolve(null), notify: () => undefined };
    const { status } = await agent.invoke("Hello.", { journal: store, runId: "r1", io });
    expect(status).toBe("suspended");
    expect(await onlyDocument(root)).toMatchObject({ status: "running", ended_at: null });
    expect(await activeRuns(root)).toEqual([]);
    const result = await resumeRun(store, "r1", agent, { reply: "blue", io });
    expect(result.status).toBe("completed");
    const { messages } = await onlyDocument(root);
    expect(messages.map(({ content }) => content)).toEqual(result.messages.map(({ content }) => content));
    const sequences = messages.map(({ sequence }) => sequence);
    expect(sequences).toEqual([...new Set(sequences)].sort((one, other) => one - other));
  });

  it("keeps a document of each agent that is a tool, with its parent's id", async () => {
    const root = await emptyPlace();
    const journal = memoryJournalStore();
    const child = countingAgent({ to: 1 });
    const parent = new Agent({
      name: "parent",
      mode: "autonomous",
      systemPrompt: "Have it counted.",
      tools: [asTool(child), stop],
      sinks: [persistenceSink(root, { journal })],
      endpoint: new MockLLMEndpoint([
        { action: "counter", rationale: "", value: "Count." },
        { action: "stop", rationale: "", value: "Done." },
      ]),
    });
    await parent.complete(undefined, { journal, runId: "p" });
    const listed = await listRunDocuments(root);
    const documents = await Promise.all(listed.map(({ path }) => readRunDocument(path)));
    expect(
      documents.map((each) => [each.agent_name, each.parent_conversation_id, each.status]).sort(),
    ).toEqual([
      ["counter", "p", "completed"],
      ["parent", null, "completed"],
    ]);
    expect(await activeRuns(root)).toEqual([]);
  });

  it("gives its root as the data path of the pipe that it is attached to", () => {
    const pipe = new EventPipe({ runId: "r", agentName: "a", sinks: [cliSink()] });
    expect(pipe.dataPath).toBeNull();
    pipe.addSink(persistenceSink("nowhere-yet", { journal: memoryJournalStore() }));
    pipe.addSink(persistenceSink("second", { journal: memoryJournalStore() }));
    expect(pipe.dataPath).toBe("nowhere-yet");
  });
});
