import { MockLLMEndpoint, MockProviderError, type MockEntry } from "@roboz/core";
import { rmSync } from "node:fs";
import { describe, expect, it } from "vitest";

import {
  called,
  deferred,
  makeProject,
  noon,
  stampAt,
  summariser,
  usual,
  type Project,
} from "./__fixtures__/project.ts";
import { consolidationTool, type ConsolidationToolOptions } from "./consolidation-tool.ts";
import { stampOf } from "./stamp.ts";

const day = 86_400_000;

function consolidation(
  { records }: Project,
  script: readonly MockEntry[],
  options: Partial<ConsolidationToolOptions> = {},
) {
  const { endpoint, sources } = summariser(...script);
  const made = consolidationTool({
    records,
    watchedAgentNames: new Set(["clerk"]),
    minimumPending: 3,
    maxPendingAgeMs: day,
    endpoint,
    ...usual,
    maxChars: 12_000,
    now: () => noon + 1_000,
    ...options,
  });
  return { endpoint, sources, look: () => called(made) };
}

function snapshot(text: string, agentName = "clerk"): string {
  return `# Conversation Snapshot: ${agentName}\n\n${text}\n\n<!-- librarian:snapshot-coverage v1 sequence=1 -->\n`;
}

/** A project with so many pending snapshots, one after the other, each of a conversation of its own. */
function pendingIn(project: Project, count: number): Project {
  for (let index = 1; index <= count; index += 1)
    project.put(`snapshots/c${index}/${stampAt(index)}.md`, snapshot(`Snapshot ${index}.`));
  return project;
}

function busy(project: Project): Project {
  project.put("logs/clerk/.lifecycle/active/r1.run", "");
  return project;
}

const written = "20260501T120001000000Z.md";

describe("pending snapshots", () => {
  it.each([
    {
      why: "shed 121: one, while an agent is at work, is not consolidated",
      count: 1,
      isBusy: true,
      due: false,
    },
    { why: "shed 121: one, while nobody is, is", count: 1, isBusy: false, due: true },
    { why: "none is nothing to do", count: 0, isBusy: false, due: false },
    { why: "two while an agent is at work are too few", count: 2, isBusy: true, due: false },
    { why: "three are enough", count: 3, isBusy: true, due: true },
    { why: "a minimum below one counts as one", count: 1, isBusy: true, minimumPending: -5, due: true },
    { why: "one that is a day old is due", count: 1, isBusy: true, maxPendingAgeMs: 999, due: true },
    { why: "one that is not quite is not", count: 1, isBusy: true, maxPendingAgeMs: 1_001, due: false },
  ])("$why", async ({ count, isBusy, due, ...options }) => {
    const project = pendingIn(makeProject(), count);
    if (isBusy) busy(project);
    const { look, endpoint } = consolidation(project, due ? [{ value: "Facts." }] : [], options);
    expect((await look()).fields).toEqual({
      status: due ? "consolidated" : "not_due",
      pending: count,
      consumed: due ? count : 0,
      memory: due ? written : null,
    });
    endpoint.assertUsedUp();
    expect(await project.list("memory")).toEqual(due ? [written] : []);
  });

  it("that are not watched keep nobody from consolidating", async () => {
    const project = pendingIn(makeProject(), 1);
    project.put("logs/guest/.lifecycle/active/r1.run", "");
    expect((await consolidation(project, [{ value: "Facts." }]).look()).fields).toMatchObject({
      consumed: 1,
    });
  });

  it("become a memory with where each came from; earlier memories stay", async () => {
    const project = pendingIn(makeProject(), 1);
    const { look, sources } = consolidation(project, [
      { value: "# Memory\n\nOne." },
      { value: "One and two." },
    ]);
    await look();
    const first = project.read(`memory/${written}`);
    expect(first).toBe(
      [
        "# Persistent Memory",
        "One.",
        "<!-- librarian:provenance v1 -->",
        "## Sources",
        `- \`snapshots/c1/${stampAt(1)}.md\` (agent: clerk, conversation: c1)\n`,
      ].join("\n\n"),
    );
    expect((await look()).fields).toMatchObject({ status: "not_due", pending: 0 });
    const later = stampOf((noon + 2_000) * 1_000);
    project.put(`snapshots/c2/${later}.md`, snapshot("Two.", "guest"));
    project.put(`snapshots/c1/${stampOf((noon + 3_000) * 1_000)}.md`, "Not from here.");
    const { look: lookLater, sources: laterSources } = consolidation(project, [{ value: "One and two." }], {
      now: () => noon + 9_000,
    });
    expect((await lookLater()).fields).toMatchObject({ consumed: 2, memory: "20260501T120009000000Z.md" });
    const second = project.read("memory/20260501T120009000000Z.md");
    expect(second).toContain(
      `- \`snapshots/c2/${later}.md\` (agent: guest, conversation: c2)\n- \`snapshots/c1/20260501T120003000000Z.md\` (conversation: c1)`,
    );
    expect(second).toMatch(/Previous memory: `20260501T120001000000Z\.md`\n$/);
    expect(project.read(`memory/${written}`)).toBe(first);
    expect(sources()).toHaveLength(1);
    const [source = ""] = laterSources();
    expect(source).toMatch(/^# Previous memory\n\nOne\.\n\n# Conversation c2 of guest\n\n## Snapshot /);
    expect(source).toContain("# Conversation c1\n\n## Snapshot 20260501T120003000000Z\n\nNot from here.");
    expect(source).not.toMatch(/librarian|## Sources/);
  });

  it("of one conversation stand together, the oldest first", async () => {
    const project = makeProject();
    for (const [id, micros] of [
      ["c1", 1],
      ["c2", 2],
      ["c1", 3],
    ] as const)
      project.put(`snapshots/${id}/${stampAt(micros)}.md`, snapshot(`Snapshot ${micros}.`));
    const { look, sources } = consolidation(project, [{ value: "Facts." }]);
    await look();
    expect([...(sources()[0] ?? "").matchAll(/Snapshot (\d)\./g)].map(([, digit]) => digit)).toEqual([
      "1",
      "3",
      "2",
    ]);
  });

  it("shed 122: are not consolidated when somebody else wrote a memory meanwhile", async () => {
    const project = pendingIn(makeProject(), 1);
    const theirs = stampAt(500);
    const { look } = consolidation(project, [
      () => {
        project.put(`memory/${theirs}.md`, "Theirs.");
        return { value: "Ours." };
      },
    ]);
    expect((await look()).fields).toEqual({ status: "superseded", pending: 1, consumed: 0, memory: null });
    expect(await project.list("memory")).toEqual([`${theirs}.md`]);
  });

  it("are consolidated, and paid for, by one of two that look at the same time", async () => {
    const project = pendingIn(makeProject(), 1);
    const gate = deferred<{ value: string }>();
    const looks = [1, 2].map(() => consolidation(project, [() => gate.promise]).look());
    gate.resolve({ value: "Facts." });
    const statuses = (await Promise.all(looks)).map(({ fields }) => fields["status"]);
    expect(statuses.sort()).toEqual(["consolidated", "postponed"]);
    expect(await project.list("memory")).toHaveLength(1);
  });

  it("are consolidated also when the memory before was purged meanwhile", async () => {
    const project = pendingIn(makeProject(), 1);
    const path = project.put(`memory/${stampAt(0)}.md`, "# Persistent Memory\n\nOld.");
    const { look } = consolidation(project, [
      () => {
        rmSync(path);
        return { value: "New." };
      },
    ]);
    expect((await look()).fields).toMatchObject({ status: "consolidated" });
  });

  it("that came while the model wrote stay pending", async () => {
    const project = pendingIn(makeProject(), 1);
    const { look } = consolidation(project, [
      () => {
        project.put(`snapshots/c9/${stampOf((noon + 1_500) * 1_000)}.md`, snapshot("Late."));
        return { value: "Facts." };
      },
      { value: "More." },
    ]);
    await look();
    expect((await look()).fields).toMatchObject({ status: "consolidated", consumed: 1 });
  });

  it("from a clock that was ahead are consolidated once", async () => {
    const project = makeProject();
    project.put("snapshots/c1/20990101T000000000000Z.md", snapshot("From the future."));
    const { look } = consolidation(project, [{ value: "Facts." }]);
    expect((await look()).fields).toMatchObject({ memory: "20990101T000000000000Z.md" });
    expect((await look()).fields).toMatchObject({ status: "not_due", pending: 0 });
  });

  it("are taken in parts that fit into one request, with nothing lost and nothing twice", async () => {
    const project = makeProject();
    for (let index = 1; index <= 7; index += 1)
      project.put(
        `snapshots/c${index}/${stampAt(Math.ceil(index / 2))}.md`,
        snapshot(`${index}`.repeat(8_000)),
      );
    const seen: string[] = [];
    const endpoint = new MockLLMEndpoint(
      ({ messages }) => {
        const [, source] = messages;
        seen.push(...[...(source?.content ?? "").matchAll(/# Conversation (c\d)/g)].map(([, id = ""]) => id));
        return { value: "Facts." };
      },
      { maxContextTokens: 8_000 },
    );
    const { look } = consolidation(project, [], { maxChars: 1_000, endpoint });
    expect((await look()).fields).toMatchObject({ status: "consolidated", pending: 7, consumed: 7 });
    expect(endpoint.requests.length).toBeGreaterThan(1);
    expect(await project.list("memory")).toHaveLength(endpoint.requests.length);
    expect((await look()).fields).toMatchObject({ status: "not_due", pending: 0 });
    expect(seen).toEqual(["c1", "c2", "c3", "c4", "c5", "c6", "c7"]);
  });

  it("that are larger than a request, like the memory before them, are shown from their beginning", async () => {
    const project = pendingIn(makeProject(), 2);
    project.put(`memory/${stampAt(0)}.md`, `# Persistent Memory\n\n${"m".repeat(90_000)}`);
    project.put(`snapshots/c3/${stampAt(2)}.md`, snapshot("s".repeat(90_000)));
    const endpoint = new MockLLMEndpoint([{ value: "Facts." }, { value: "More." }], {
      maxContextTokens: 8_000,
    });
    const { look } = consolidation(project, [], { maxChars: 1_000, endpoint });
    expect((await look()).fields).toMatchObject({ status: "consolidated", consumed: 3 });
    for (const { messages } of endpoint.requests)
      expect(messages.reduce((sum, { content }) => sum + content.length, 0) / 4).toBeLessThan(8_000);
    expect(endpoint.requests[0]?.messages[1]?.content).toMatch(/^# Previous memory\n\nm+\.\.\./);
  });

  it("are worked into a memory whose text somebody has damaged, as far as it can be read", async () => {
    const project = pendingIn(makeProject(), 1);
    project.put(
      `memory/${stampAt(0)}.md`,
      Buffer.from("# Persistent Memory\n\nCaf\xe9 opens at nine.\n", "latin1"),
    );
    const { look, sources } = consolidation(project, [{ value: "Facts." }]);
    await look();
    expect(sources()[0]).toContain("# Previous memory\n\nCaf\ufffd opens at nine.\n\n# Conversation c1");
  });

  it("that vanished, or are no text, are passed over", async () => {
    const project = makeProject();
    project.put(`snapshots/c1/${stampAt(1)}.md`, new Uint8Array([0xff, 0xfe]));
    expect((await consolidation(project, []).look()).fields).toMatchObject({ status: "not_due", pending: 1 });
    project.put(`snapshots/c2/${stampAt(2)}.md`, snapshot("Text."));
    expect((await consolidation(project, [{ value: "Facts." }]).look()).fields).toMatchObject({
      consumed: 1,
    });
  });
});

describe("a summary's length", () => {
  it("over its budget, three times, is taken at its shortest; within tolerance it is taken at once", async () => {
    const project = pendingIn(makeProject(), 1);
    const script = [50, 20, 30].map((length) => ({ value: "m".repeat(length) }));
    const { look } = consolidation(project, script, { maxChars: 10 });
    expect((await look()).fields).toMatchObject({ status: "consolidated" });
    expect(project.read(`memory/${written}`)).toContain(`\n\n${"m".repeat(20)}\n\n`);
  });
});

describe("a model that fails", () => {
  it("by refusing the request is a failure of maintenance", async () => {
    const project = pendingIn(makeProject(), 1);
    const { look } = consolidation(project, [new MockProviderError("no", { statusCode: 402 })]);
    await expect(look()).rejects.toMatchObject({ code: "shed/maintenance", toolName: "consolidate_memory" });
  });

  it("for a while leaves the snapshots pending", async () => {
    const project = pendingIn(makeProject(), 1);
    const { look } = consolidation(project, [
      new MockProviderError("down", { statusCode: 503 }),
      { value: "Facts." },
    ]);
    expect((await look()).fields).toEqual({ status: "postponed", pending: 1, consumed: 0, memory: null });
    expect((await look()).fields).toMatchObject({ status: "consolidated" });
  });
});
