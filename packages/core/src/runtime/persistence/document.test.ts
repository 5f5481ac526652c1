import { execFile } from "node:child_process";
import { mkdir, readFile, symlink, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { describe, expect, it } from "vitest";

import { rebuildRun } from "../journal/rebuild.ts";
import { memoryJournalStore } from "../journal/memory-store.ts";
import { parseJournal } from "../journal/parse-journal.ts";
import { Agent } from "../../agent/agent.ts";
import { MockLLMEndpoint, MockReply } from "../../llm/mock.ts";
import { stop } from "../../tools/builtin/stop.ts";
import { tool } from "../../tools/tool.ts";
import { Empty, StrImage } from "../../values/builtin.ts";
import { ERROR_RETRY, showOnce } from "../../truncation/policy.ts";
import { countingAgent } from "./__fixtures__/counting-agent.ts";
import { emptyPlace } from "./__fixtures__/scratch.ts";
import { messageOfRow, parseRunDocument, readRunDocument, type RunDocument } from "./document.ts";
import { listRunDocuments, writeRunDocument } from "./document-folder.ts";
import { exportRun } from "./journal-document.ts";

/** As the Python release writes one, without what it may leave out. */
const reference = {
  schema_version: 3,
  conversation_id: "6d5c1c4e-7a50-4f4e-9b7e-1d2f3a4b5c6d",
  agent_name: "lunch",
  parent_conversation_id: null,
  started_at: "2026-05-01T10:00:00.000Z",
  ended_at: "2026-05-01T10:00:02.500Z",
  status: "completed",
  metadata: { environment: null, agent_description: "Arranges lunch.", tags: [], custom: {} },
  messages: [
    {
      message_id: "b0a7cfd6-2d4b-4f38-8f0e-54d1a0f9a001",
      sequence: 2,
      created_at: "2026-05-01T10:00:00.001Z",
      role: "system",
      content: "Mittagessen für zwei: 昼食",
      truncation: { threshold: 0, severity: 1 },
      message_kind: "system_message",
      endpoint: null,
      model: null,
      token_input: null,
      token_output: null,
    },
    {
      message_id: "b0a7cfd6-2d4b-4f38-8f0e-54d1a0f9a002",
      sequence: 5,
      created_at: "2026-05-01T10:00:01.001Z",
      role: "error",
      content: "Not JSON",
      truncation: [
        { threshold: 0, severity: 1 },
        { threshold: 5, severity: 3 },
      ],
      message_kind: null,
      endpoint: "api",
      model: "m",
      token_input: 12,
      token_output: 3,
      images: [{ url: "https://example.com/a.png", detail: null }],
    },
  ],
  runtime_events: [
    {
      event_id: "b0a7cfd6-2d4b-4f38-8f0e-54d1a0f9a003",
      sequence: 3,
      created_at: "2026-05-01T10:00:00.002Z",
      category: "llm",
      kind: "started",
      level: "debug",
      message: "started",
      agent_name: "lunch",
      data: { message_count: 1 },
    },
  ],
};

const text = JSON.stringify(reference);

/** The reference with one part changed. */
function changed(change: (copy: { [key: string]: unknown; messages: object[] }) => void): string {
  const copy = structuredClone(reference);
  change(copy);
  return JSON.stringify(copy);
}

describe("reading a document", () => {
  it("takes what the Python release wrote", () => {
    const read = parseRunDocument(text, "x.json");
    expect(read.messages[0]).toMatchObject({ content: "Mittagessen für zwei: 昼食", images: [] });
    const [, second] = read.messages;
    expect(second === undefined ? undefined : messageOfRow(second)).toEqual({
      role: "error",
      content: "Not JSON",
      images: [{ url: "https://example.com/a.png" }],
      truncation: ERROR_RETRY,
      endpoint: "api",
      model: "m",
      tokenInput: 12,
      tokenOutput: 3,
    });
  });

  it("takes what newer runs write: how a policy counts, and how an image is to be looked at", () => {
    const row = {
      ...reference.messages[0],
      role: "user",
      truncation: { threshold: 1, severity: 3, count_by: "showings" },
      images: [{ url: "https://example.com/a.png", detail: "high" }],
    };
    const [read] = parseRunDocument(JSON.stringify({ ...reference, messages: [row] }), "x.json").messages;
    expect(read === undefined ? undefined : messageOfRow(read)).toMatchObject({
      images: [{ url: "https://example.com/a.png", detail: "high" }],
      truncation: { threshold: 1, countBy: "showings" },
    });
  });

  it("fills in what the schema has defaults for", () => {
    const given = { conversation_id: "c", agent_name: "a", started_at: "2026-05-01T10:00:00.000Z" };
    expect(parseRunDocument(JSON.stringify(given), "x.json")).toEqual({
      ...given,
      schema_version: 3,
      parent_conversation_id: null,
      ended_at: null,
      status: "running",
      metadata: { environment: null, agent_description: null, tags: [], custom: {} },
      messages: [],
      runtime_events: [],
    });
  });

  it.each([
    { why: "an unknown key", given: changed((copy) => (copy["extra"] = 1)) },
    {
      why: "an unknown key of a row",
      given: changed(({ messages }) => Object.assign(messages[0] ?? {}, { x: 1 })),
    },
    { why: "a newer schema", given: changed((copy) => (copy["schema_version"] = 4)) },
    { why: "an older schema", given: changed((copy) => (copy["schema_version"] = 2)) },
    { why: "a schema version as text", given: changed((copy) => (copy["schema_version"] = "3")) },
    {
      why: "a __proto__ key",
      given: text.replace('"metadata":{', '"metadata":{"__proto__":{"polluted":1},'),
    },
    {
      why: "a __proto__ key in plain data",
      given: text.replace('"data":{', '"data":{"__proto__":{"polluted":1},'),
    },
    {
      why: "a role that is none",
      given: changed(({ messages }) => Object.assign(messages[0] ?? {}, { role: "x" })),
    },
    { why: "no object", given: "[]" },
    { why: "nothing", given: "" },
  ])("PS-05: refuses $why, and names the file", ({ given }) => {
    expect(() => parseRunDocument(given, "2026/x.json")).toThrow(
      expect.objectContaining({ code: "core/run-document", path: "2026/x.json" }),
    );
    expect({}).not.toHaveProperty("polluted");
  });

  it("PS-05: takes keys that look like class markers for plain data", () => {
    const data = { __class__: "os.system", $type: "x", constructor: { prototype: 1 }, toJSON: "y" };
    const given = changed((copy) => (copy["runtime_events"] = [{ ...reference.runtime_events[0], data }]));
    expect(parseRunDocument(given, "x.json").runtime_events[0]?.data).toEqual(data);
  });

  it("PS-03: refuses a document cut at any byte, leaves it as it is, and loads the others", async () => {
    const root = await emptyPlace();
    await writeRunDocument(root, { ...parseRunDocument(text, "x"), conversation_id: "whole" });
    const cut = join(root, "2026", "05", "01", "cut.json");
    const bytes = Buffer.from(
      JSON.stringify({ conversation_id: "cut", agent_name: "Ä", started_at: "2026-05-01T10:00:00.000Z" }),
    );
    for (let length = 0; length < bytes.length; length += 1) {
      await writeFile(cut, bytes.subarray(0, length));
      await expect(readRunDocument(cut)).rejects.toMatchObject({ code: "core/run-document", path: cut });
    }
    expect(await readFile(cut)).toEqual(bytes.subarray(0, -1));
    const [, whole] = await listRunDocuments(root);
    expect(await readRunDocument(whole?.path ?? "")).toMatchObject({ conversation_id: "whole" });
  });

  it("PS-09: gives rows in the order of their numbers, whatever the clock said", () => {
    const [first, second] = reference.messages;
    const messages = [
      { ...second, created_at: "2026-04-30T00:00:00.000Z" },
      { ...first, created_at: "2026-05-01T00:00:00.000Z" },
    ];
    const given = parseRunDocument(JSON.stringify({ ...reference, messages }), "x.json");
    expect(given.messages.map(({ sequence }) => sequence)).toEqual([2, 5]);
  });

  it.each([
    { why: "a folder", make: (path: string): Promise<unknown> => mkdir(path) },
    { why: "an empty file", make: (path: string) => writeFile(path, "") },
    { why: "garbage", make: (path: string) => writeFile(path, Buffer.from([0, 1, 2, 255])) },
    { why: "another encoding", make: (path: string) => writeFile(path, Buffer.from(text, "utf16le")) },
    { why: "a link", make: (path: string) => symlink("/etc/hostname", path) },
    { why: "a pipe", make: (path: string) => promisify(execFile)("mkfifo", [path]) },
    {
      why: "what is far too large",
      make: async (path: string) => {
        await writeFile(path, "");
        await truncate(path, 512 * 1024 * 1024 + 1);
      },
    },
    { why: "nothing at all", make: () => Promise.resolve() },
  ])("PS-17: refuses $why at once", async ({ make }) => {
    const path = await emptyPlace("x.json");
    await mkdir(dirname(path), { recursive: true });
    await make(path);
    await expect(readRunDocument(path)).rejects.toMatchObject({ code: "core/run-document", path });
  });
});

describe("writing a document", () => {
  it.each([
    { why: "line separators", content: "a\u2028b\u2029c" },
    { why: "a NUL", content: "a\0b" },
    { why: "lone surrogates", content: "a\ud800b\udc00" },
    { why: "10 MB of text", content: "äx\n".repeat(2_500_000) },
  ])("PS-10: keeps $why as they are", async ({ content }) => {
    const root = await emptyPlace();
    const given = parseRunDocument(text, "x");
    const messages = given.messages.map((row) => ({ ...row, content }));
    const path = await writeRunDocument(root, { ...given, messages });
    expect((await readRunDocument(path)).messages[1]?.content === content).toBe(true);
  });

  it("writes what is not ASCII as it is", async () => {
    const path = await writeRunDocument(await emptyPlace(), parseRunDocument(text, "x"));
    expect(await readFile(path, "utf8")).toContain("für zwei: 昼食");
  });

  it("takes the place of an earlier one, and lists nothing that is no document", async () => {
    const root = await emptyPlace();
    const given = parseRunDocument(text, "x");
    const path = await writeRunDocument(root, { ...given, status: "running" });
    await writeRunDocument(root, given);
    await writeFile(`${path}.1234.tmp`, "half a docu");
    await writeFile(join(root, "notes.txt"), "mine");
    await mkdir(join(root, "2026", "05", "02"));
    expect(await listRunDocuments(root)).toEqual([
      { conversationId: given.conversation_id, path, date: "2026-05-01" },
    ]);
    expect(await readRunDocument(path)).toEqual(given);
  });

  it("lists the latest date first", async () => {
    const root = await emptyPlace();
    const given = parseRunDocument(text, "x");
    for (const date of ["2025-12-31", "2026-02-01", "2026-01-31"]) {
      await writeRunDocument(root, { ...given, conversation_id: date, started_at: `${date}T00:00:00.000Z` });
    }
    const dates = (await listRunDocuments(root)).map(({ date }) => date);
    expect(dates).toEqual(["2026-02-01", "2026-01-31", "2025-12-31"]);
    expect(await listRunDocuments(join(root, "nowhere"))).toEqual([]);
  });
});

describe("exporting a run", () => {
  it("gives the same document each time, and one that reads as it was", async () => {
    const journal = memoryJournalStore();
    await countingAgent().complete("Go.", { journal, runId: "r1" });
    const exported = await exportRun(journal, "r1");
    expect(await exportRun(journal, "r1")).toEqual(exported);
    expect(parseRunDocument(JSON.stringify(exported), "x")).toEqual(exported);
    const ids = [
      ...exported.messages.map((row) => row.message_id),
      ...exported.runtime_events.map((row) => row.event_id),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids)
      expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  });

  it("keeps images, tokens, repairs and policies", async () => {
    const show = tool({
      name: "show",
      description: "Show.",
      input: Empty,
      output: StrImage,
      run: () =>
        StrImage({ value: "x", images: [{ url: "https://example.com/a.png" }] }, { truncation: showOnce(2) }),
    });
    const agent = new Agent({
      name: "shows",
      mode: "autonomous",
      systemPrompt: "Show.",
      tools: [show, stop],
      endpoint: new MockLLMEndpoint([
        "no JSON",
        new MockReply({ action: "show", rationale: "" }, { tokenInput: 11, tokenOutput: 7 }),
        { action: "stop", rationale: "", value: "Shown." },
      ]),
    });
    const journal = memoryJournalStore();
    await agent.complete(undefined, { journal, runId: "r1" });
    const { messages }: RunDocument = await exportRun(journal, "r1");
    expect(messages.map(({ role }) => role)).toEqual([
      "system",
      "error",
      "assistant",
      "user",
      "assistant",
      "user",
    ]);
    expect(messages[2]).toMatchObject({ token_input: 11, token_output: 7 });
    expect(messages[3]).toMatchObject({
      truncation: { threshold: 2, severity: 3, count_by: "showings" },
      images: [{ url: "https://example.com/a.png" }],
    });
  });

  it.each([
    { why: "a failed run", given: [], status: "failed" },
    { why: "a finished one", given: [{ action: "stop", rationale: "", value: "x" }], status: "completed" },
  ])("says how $why ended", async ({ given, status }) => {
    const journal = memoryJournalStore();
    const agent = new Agent({
      name: "ends",
      mode: "autonomous",
      systemPrompt: "End.",
      tools: [stop],
      endpoint: new MockLLMEndpoint(given),
    });
    await agent.invoke(undefined, { journal, runId: "r1" }).catch(() => undefined);
    const exported = await exportRun(journal, "r1");
    expect(exported.status).toBe(status);
    expect(exported.ended_at).not.toBeNull();
    expect(exported.messages[0]).toMatchObject({ role: "system" });
  });

  it("gives a fork the messages it began with, before its own", async () => {
    const journal = memoryJournalStore();
    const agent = countingAgent();
    await agent.complete("Go.", { journal, runId: "r1" });
    const { records } = parseJournal((await journal.read("r1")) ?? []);
    const { snapshot } = rebuildRun("r1", records.slice(0, 4));
    await agent.resume(snapshot, undefined, { journal, runId: "r2" });
    const [source, fork] = await Promise.all([exportRun(journal, "r1"), exportRun(journal, "r2")]);
    const contents = ({ messages }: RunDocument) => messages.map(({ content }) => content);
    expect(contents(fork)).toEqual(contents(source));
    const sequences = fork.messages.map(({ sequence }) => sequence);
    expect(sequences).toEqual([...new Set(sequences)].sort((one, other) => one - other));
  });

  it("refuses a run that is not in the store", async () => {
    await expect(exportRun(memoryJournalStore(), "r1")).rejects.toMatchObject({ code: "core/unknown-run" });
  });
});
