import {
  Agent,
  Empty,
  LLMContextLimitExceededError,
  memoryJournalStore,
  MockLLMEndpoint,
  MockProviderError,
  tool,
  Str,
  stop,
  type JournalStore,
} from "@roboz/core";
import { chmodSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { deferred, log, makeProject, noon, row, type Project } from "./__fixtures__/project.ts";
import { snapshots, words } from "./__fixtures__/snapshots.ts";

describe("a pass over the logs", () => {
  it("shed 120: counts an invalid UTF-8 log, leaves it untouched, and goes on with its neighbours", async () => {
    const project = makeProject();
    const bytes = Buffer.concat([Buffer.from(log("c0", [row(1, "Hello.")])), Buffer.from([0xff])]);
    project.put("logs/clerk/c0.json", bytes);
    project.put("logs/clerk/c1.json", log("c1", [row(1, "Hello.")], { status: "completed" }));
    const { pass } = snapshots(project, [{ value: "Hello." }]);
    const counts = { scanned: 2, parsed: 1, skipped_invalid: 1, skipped_agent: 0 };
    expect((await pass()).fields).toEqual({ ...counts, created: 1 });
    expect(Buffer.from(project.read("logs/clerk/c0.json"), "utf8").includes("Hello")).toBe(true);
    // The same is counted again, also where nothing is read again.
    expect((await pass()).fields).toEqual({ ...counts, created: 0 });
  });

  it.each([
    { why: "nothing", content: "" },
    { why: "half a document", content: '{"conversation_id":' },
    { why: "a list", content: "[]" },
    { why: "another schema version", content: JSON.stringify({ schema_version: 4 }) },
    {
      why: "an id that leads out of the snapshots",
      content: log("../../escape", [row(1, "x")], { status: "completed" }),
    },
    { why: "an id that is hidden", content: log(".hidden", [row(1, "x")], { status: "completed" }) },
    { why: "an unknown key", content: log("c1", []).replace("{", '{"extra":1,') },
  ])("skips a log that holds $why", async ({ content }) => {
    const project = makeProject();
    project.put("logs/clerk/odd.json", content);
    const { pass } = snapshots(project, []);
    expect((await pass()).fields).toMatchObject({ scanned: 1, parsed: 0, skipped_invalid: 1 });
    expect(await project.list(".")).toEqual(["logs/clerk/odd.json"]);
  });

  it("counts a log that vanishes before it is read", async () => {
    const project = makeProject();
    const done = { status: "completed" as const };
    project.put("logs/clerk/c1.json", log("c1", [row(1, "Hello.")], done));
    const path = project.put("logs/clerk/c2.json", log("c2", [row(1, "Hello.")], done));
    const { pass } = snapshots(project, [
      () => {
        rmSync(path);
        return { value: "Hello." };
      },
    ]);
    expect((await pass()).fields).toMatchObject({ scanned: 2, parsed: 1, created: 1, skipped_invalid: 1 });
    expect((await pass()).fields).toMatchObject({ scanned: 1, parsed: 1, skipped_invalid: 0 });
  });

  it("follows no link, neither to logs nor to snapshots, and waits for no pipe", async () => {
    const project = makeProject();
    const outside = makeProject();
    const elsewhere = outside.put("logs/clerk/c1.json", log("c1", [row(1, "x")], { status: "completed" }));
    project.put("logs/clerk/c2.json", log("c2", [row(1, "x")], { status: "completed" }));
    symlinkSync(elsewhere, `${project.sandbox.logsDir}/clerk/c1.json`);
    symlinkSync(outside.sandbox.logsDir, `${project.sandbox.logsDir}/other`);
    outside.put("snapshots/c9/x.md", "");
    project.put("snapshots/x.md", "");
    symlinkSync(`${outside.sandbox.snapshotsDir}/c9`, `${project.sandbox.snapshotsDir}/c2`);
    const { pass } = snapshots(project, [{ value: "x" }]);
    await expect(pass()).rejects.toThrow();
    expect(await outside.list("snapshots")).toEqual(["c9/x.md"]);
  });

  it("counts conversations of agents that are not watched, and finds logs in folders by date", async () => {
    const project = makeProject();
    const done = { status: "completed" as const };
    project.put("logs/clerk/2026/05/01/c1.json", log("c1", [row(1, "x")], done));
    project.put("logs/guest/c2.json", log("c2", [row(1, "x")], { ...done, agent_name: "guest" }));
    project.put("logs/clerk/c3.json.tmp", "{}");
    const { pass } = snapshots(project, [{ value: "x" }]);
    expect((await pass()).fields).toEqual({
      scanned: 2,
      parsed: 1,
      created: 1,
      skipped_invalid: 0,
      skipped_agent: 1,
    });
  });

  it("finds nothing where there is no folder", async () => {
    expect((await snapshots(makeProject(), []).pass()).fields).toMatchObject({ scanned: 0 });
  });

  it("does not read again what has not changed, and does when a snapshot is gone or the log was written anew", async () => {
    const project = makeProject();
    const path = project.put("logs/clerk/c1.json", log("c1", [row(1, "One.")], { status: "completed" }));
    const { pass, endpoint } = snapshots(project, [
      { value: "One." },
      { value: "Again." },
      { value: "More." },
    ]);
    await pass();
    await pass();
    // Nobody could read it now.
    chmodSync(path, 0o000);
    utimesSync(path, new Date(noon), new Date(noon));
    chmodSync(path, 0o644);
    expect((await pass()).fields).toMatchObject({ parsed: 1, created: 0 });
    rmSync(project.sandbox.snapshotsDir, { recursive: true });
    expect((await pass()).fields).toMatchObject({ created: 1 });
    writeFileSync(path, log("c1", [row(1, "One."), row(2, "Two.")], { status: "completed" }));
    expect((await pass()).fields).toMatchObject({ created: 1 });
    expect(endpoint.requests).toHaveLength(3);
  });
});

describe("two passes at once", () => {
  it("make one snapshot of a conversation", async () => {
    const project = makeProject();
    project.put("logs/clerk/c1.json", log("c1", [row(1, "One.")], { status: "completed" }));
    const gate = deferred<{ value: string }>();
    const passes = [1, 2].map(() => snapshots(project, [() => gate.promise]).pass());
    gate.resolve({ value: "One." });
    const created = (await Promise.all(passes)).map(({ fields }) => fields["created"]);
    expect(created.sort()).toEqual([0, 1]);
    expect(await project.list("snapshots")).toHaveLength(1);
  });
});

describe("a conversation under way with a journal", () => {
  /** A run whose log has its beginning alone, and whose journal has more. */
  async function underWay(project: Project): Promise<JournalStore> {
    const journal = memoryJournalStore();
    const work = tool({
      name: "work",
      description: "",
      input: Empty,
      output: Str,
      run: () => Str({ value: words(500) }),
    });
    const agent = new Agent({
      name: "clerk",
      mode: "autonomous",
      systemPrompt: "Work.",
      endpoint: new MockLLMEndpoint([{ action: "work", rationale: "x" }]),
      tools: [work, stop],
    });
    const run = agent.start("The task.", { journal, runId: "c1" });
    await run.step();
    await run.step();
    project.put("logs/clerk/c1.json", log("c1", []));
    return journal;
  }

  it("is snapshotted from it, which has what the log lacks", async () => {
    const project = makeProject();
    const journal = await underWay(project);
    const blind = snapshots(project, [], { growthThresholdTokens: 400 });
    expect((await blind.pass()).fields).toMatchObject({ parsed: 1, created: 0 });
    const { pass, sources } = snapshots(project, [{ value: "Working." }], {
      growthThresholdTokens: 400,
      journal,
    });
    expect((await pass()).fields).toMatchObject({ created: 1 });
    expect(sources()[0]).toMatch(/The task\.[^]*wordword/);
    expect((await pass()).fields).toMatchObject({ parsed: 1, created: 0 });
  });

  it("is seen as its log has it when the journal has no such run, or cannot be read", async () => {
    const project = makeProject();
    project.put("logs/clerk/c1.json", log("c1", [row(1, words(500))]));
    for (const journal of [
      memoryJournalStore(),
      { ...memoryJournalStore(), read: () => Promise.reject(new Error("gone")) },
    ]) {
      const { pass } = snapshots(project, [], { growthThresholdTokens: 20_000, journal });
      expect((await pass()).fields).toMatchObject({ parsed: 1, skipped_invalid: 0 });
    }
  });
});

describe("a model that fails", () => {
  const two = (): Project => {
    const project = makeProject();
    for (const id of ["c1", "c2"])
      project.put(`logs/clerk/${id}.json`, log(id, [row(1, `In ${id}.`)], { status: "completed" }));
    return project;
  };

  it.each([
    {
      why: "a credential that is refused",
      failure: new MockProviderError("no", { statusCode: 401 }),
      code: "core/llm-auth",
    },
    {
      why: "too many requests",
      failure: new MockProviderError("slow", { statusCode: 429 }),
      code: "core/llm-rate-limit",
    },
  ])("by $why is a failure of maintenance, with the provider's as its cause", async ({ failure, code }) => {
    const { pass } = snapshots(two(), [failure]);
    await expect(pass()).rejects.toMatchObject({
      code: "shed/maintenance",
      toolName: "snapshot_conversations",
      cause: { code },
    });
  });

  it("with one conversation goes on with the others, and tries that one again when there is more of it", async () => {
    const project = two();
    const nonsense = Array.from({ length: 5 }, () => "no JSON");
    const { pass, endpoint } = snapshots(project, [...nonsense, { value: "Two." }, { value: "One." }]);
    const { fields, events } = await pass();
    expect(fields).toMatchObject({ parsed: 2, created: 1 });
    expect(events).toMatchObject([{ level: "warning", data: { error_type: "LLMOutputFormatError" } }]);
    expect((await pass()).fields).toMatchObject({ parsed: 2, created: 0 });
    expect(endpoint.requests).toHaveLength(6);
    const rows = [row(1, "In c1."), row(2, "More.")];
    project.put("logs/clerk/c1.json", log("c1", rows, { status: "completed" }));
    expect((await pass()).fields).toMatchObject({ created: 1 });
  });

  it("for a while is not asked again in the pass, but in the next one", async () => {
    const { pass, endpoint } = snapshots(two(), [
      new MockProviderError("down", { statusCode: 503 }),
      { value: "One." },
      { value: "Two." },
    ]);
    expect((await pass()).fields).toMatchObject({ scanned: 2, created: 0 });
    expect((await pass()).fields).toMatchObject({ scanned: 2, created: 2 });
    endpoint.assertUsedUp();
  });

  it("by writing nothing but markers has summarised nothing", async () => {
    const project = two();
    const { pass } = snapshots(project, [{ value: "<!-- librarian:x -->" }, { value: "Two." }]);
    expect((await pass()).fields).toMatchObject({ parsed: 2, created: 1 });
    expect(await project.list("snapshots/c1")).toEqual([]);
  });

  it("because its time is over goes on with the others", async () => {
    const never = () => new Promise<string>(() => undefined);
    const { pass } = snapshots(two(), [never, { value: "Two." }], { timeoutMs: 1 });
    expect((await pass()).fields).toMatchObject({ parsed: 2, created: 1 });
  });

  it("because the run was cancelled passes the cancellation on, and writes nothing, also right after the answer", async () => {
    const project = two();
    const cancel = new AbortController();
    const reason = new Error("shutting down");
    const { pass } = snapshots(project, [
      () => {
        cancel.abort(reason);
        return { value: "Too late." };
      },
    ]);
    await expect(pass(cancel.signal)).rejects.toBe(reason);
    await expect(pass(cancel.signal)).rejects.toBe(reason);
    expect(await project.list("snapshots")).toEqual([]);
  });

  it("by saying that a text is too long is a failure of maintenance as well", async () => {
    const { pass } = snapshots(two(), [
      () => Promise.reject(new LLMContextLimitExceededError({ message: "too long" })),
    ]);
    await expect(pass()).rejects.toMatchObject({ code: "shed/maintenance" });
  });
});
