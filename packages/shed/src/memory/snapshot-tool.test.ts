import { MockLLMEndpoint } from "@roboz/core";
import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { log, makeProject, row, stampAt } from "./__fixtures__/project.ts";
import { snapshots, words } from "./__fixtures__/snapshots.ts";

const first = `snapshots/c1/${stampAt(0)}.md`;
const second = `snapshots/c1/${stampAt(1)}.md`;

describe("a conversation", () => {
  it("shed 117: that is completed is snapshotted, also for one small message", async () => {
    const project = makeProject();
    project.put("logs/clerk/c1.json", log("c1", [row(1, "Hello.")], { status: "completed" }));
    const { pass, sources } = snapshots(project, [{ value: "They said hello." }]);
    expect((await pass()).fields).toEqual({
      scanned: 1,
      parsed: 1,
      created: 1,
      skipped_invalid: 0,
      skipped_agent: 0,
    });
    expect(project.read(first)).toBe(
      "# Conversation Snapshot: clerk\n\nThey said hello.\n\n<!-- librarian:snapshot-coverage v1 sequence=1 -->\n",
    );
    expect(sources()).toEqual([
      [
        "# Source",
        "- Agent: clerk\n- Conversation: c1\n- Status: completed\n- Mode: terminal-completed\n- Started: 2026-05-01T10:00:00.000Z\n- Ended: 2026-05-01T11:00:00.000Z",
        "# New in the conversation",
        "## user",
        "[sequence=1 created_at=2026-05-01T10:00:01.000Z]\nHello.",
      ].join("\n\n"),
    ]);
  });

  it("that failed is snapshotted as such", async () => {
    const project = makeProject();
    project.put("logs/clerk/c1.json", log("c1", [row(1, "Hello.")], { status: "failed" }));
    const { pass, sources } = snapshots(project, [{ value: "It failed." }]);
    expect((await pass()).fields).toMatchObject({ created: 1 });
    expect(sources()[0]).toContain("- Mode: terminal-failed");
  });

  it("shed 118: that was cancelled never is, however long", async () => {
    const project = makeProject();
    project.put(
      "logs/clerk/c1.json",
      log("c1", [row(1, words(9_000)), row(2, words(9_000)), row(3, words(9_000))], { status: "cancelled" }),
    );
    const { pass } = snapshots(project, []);
    expect((await pass()).fields).toMatchObject({ parsed: 1, created: 0 });
  });

  it.each([
    { why: "with a token less than the threshold is left for later", growthThresholdTokens: 516, created: 0 },
    {
      why: "that has grown by the threshold is snapshotted while it goes on",
      growthThresholdTokens: 515,
      created: 1,
    },
  ])("$why", async ({ growthThresholdTokens, created }) => {
    const project = makeProject();
    project.put("logs/clerk/c1.json", log("c1", [row(1, words(500))]));
    const { pass, sources } = snapshots(project, [{ value: "So far." }], { growthThresholdTokens });
    expect((await pass()).fields).toMatchObject({ created });
    if (created === 1) expect(sources()[0]).toMatch(/- Mode: incremental\n- Started: .*\n- Ended: not yet/);
  });

  it("is summarised by what is new alone, with the snapshot before and its time, and without markers", async () => {
    const project = makeProject();
    const rows = [row(1, "One."), row(2, "Two.")];
    project.put("logs/clerk/c1.json", log("c1", rows, { status: "completed" }));
    project.put(
      `snapshots/c1/${stampAt(5)}.md`,
      "# Conversation Snapshot: clerk\n\nOne was said.\n\n<!-- librarian:snapshot-coverage v1 sequence=1 -->\n",
    );
    project.put("snapshots/c1/notes.md", "Not a snapshot.");
    const { pass, sources } = snapshots(project, [{ value: "One and two." }]);
    await pass();
    expect(sources()[0]).toContain(
      "# Previous snapshot, of 2026-05-01T12:00:00.000Z\n\nOne was said.\n\n# New",
    );
    expect(sources()[0]).not.toMatch(/One\.|librarian|Not a snapshot/);
    // Later than the one before, though the clock stands still.
    expect(project.read(`snapshots/c1/${stampAt(6)}.md`)).toContain("sequence=2");
  });

  it("is snapshotted later than the memory, also when the clock was set back: else no memory would take it up", async () => {
    const project = makeProject();
    project.put("logs/clerk/c1.json", log("c1", [row(1, "One.")], { status: "completed" }));
    project.put("memory/20990101T000000000000Z.md", "# Persistent Memory\n\nOld.\n");
    await snapshots(project, [{ value: "One." }]).pass();
    expect(await project.list("snapshots")).toEqual(["c1/20990101T000000000001Z.md"]);
  });

  it("is shown the beginning of a snapshot before that somebody made larger than a request", async () => {
    const project = makeProject();
    const rows = [row(1, "One."), row(2, "Two.")];
    project.put("logs/clerk/c1.json", log("c1", rows, { status: "completed" }));
    const marker = "<!-- librarian:snapshot-coverage v1 sequence=1 -->";
    project.put(first, `# Conversation Snapshot: clerk\n\n${"x".repeat(90_000)}\n\n${marker}\n`);
    const endpoint = new MockLLMEndpoint([{ value: "One and two." }], { maxContextTokens: 8_000 });
    const { pass } = snapshots(project, [], { endpoint, maxChars: 1_000 });
    expect((await pass()).fields).toMatchObject({ created: 1 });
    const [, source] = endpoint.requests[0]?.messages ?? [];
    expect(source?.content).toMatch(/x{1000}\.\.\.\n\n# New in the conversation\n\n[^]*Two\./);
    expect((source?.content.length ?? 0) / 4).toBeLessThan(8_000);
  });

  it.each([
    { why: "without a marker", last: "" },
    { why: "with a marker of another version", last: "<!-- librarian:snapshot-coverage v9 sequence=1 -->" },
    { why: "with a malformed number", last: "<!-- librarian:snapshot-coverage v1 sequence=1.5 -->" },
  ])("is new as a whole after a snapshot $why", async ({ last }) => {
    const project = makeProject();
    project.put("logs/clerk/c1.json", log("c1", [row(1, "One."), row(2, "Two.")], { status: "completed" }));
    project.put(first, `# Conversation Snapshot: clerk\n\nEarlier.\n${last}\n`);
    const { pass, sources } = snapshots(project, [{ value: "All." }]);
    await pass();
    expect(sources()[0]).toContain("One.");
    expect(project.read(second)).toContain("sequence=2");
  });

  it("in which nothing is new, or nothing that a model was shown, is left alone", async () => {
    const project = makeProject();
    const hidden = row(2, "status", { truncation: { threshold: 0, severity: 3 } });
    project.put("logs/clerk/c1.json", log("c1", [row(1, "One."), hidden], { status: "completed" }));
    project.put(
      first,
      "# Conversation Snapshot: clerk\n\nOne.\n\n<!-- librarian:snapshot-coverage v1 sequence=1 -->\n",
    );
    project.put("logs/clerk/c2.json", log("c2", [], { status: "completed" }));
    const { pass } = snapshots(project, []);
    expect((await pass()).fields).toMatchObject({ parsed: 2, created: 0 });
  });

  it("shed 119: that grows while it is summarised is covered up to what was read; the next pass takes the rest", async () => {
    const project = makeProject();
    const path = project.put("logs/clerk/c1.json", log("c1", [row(1, words(600))]));
    const { pass, sources } = snapshots(
      project,
      [
        () => {
          writeFileSync(path, log("c1", [row(1, words(600)), row(2, "Late.")], { status: "completed" }));
          return { value: "The first." };
        },
        { value: "All of it." },
      ],
      { growthThresholdTokens: 500 },
    );
    await pass();
    expect(project.read(first)).toContain("sequence=1 ");
    expect((await pass()).fields).toMatchObject({ created: 1 });
    expect(project.read(second)).toContain("sequence=2 ");
    expect(sources()[1]).toContain("Late.");
    expect(sources()[1]).not.toContain("wordword");
  });

  it.each([
    { why: "as much", covered: 1, files: 1 },
    { why: "more", covered: 5, files: 1 },
    { why: "less", covered: 0, files: 2 },
    { why: "nobody knows how much", covered: undefined, files: 2 },
  ])(
    "that somebody else snapshotted meanwhile with $why is written accordingly",
    async ({ covered, files }) => {
      const project = makeProject();
      project.put("logs/clerk/c1.json", log("c1", [row(1, "One.")], { status: "completed" }));
      const marker =
        covered === undefined ? "" : `<!-- librarian:snapshot-coverage v1 sequence=${covered} -->`;
      const { pass } = snapshots(project, [
        () => {
          project.put(
            `snapshots/c1/${stampAt(3)}.md`,
            `# Conversation Snapshot: clerk\n\nTheirs.\n\n${marker}\n`,
          );
          return { value: "Ours." };
        },
      ]);
      expect((await pass()).fields).toMatchObject({ created: files - 1 });
      expect(await project.list("snapshots")).toHaveLength(files);
    },
  );

  it("of any length is taken in parts that fit into one request, each marked with what it covers", async () => {
    const project = makeProject();
    const rows = Array.from({ length: 6 }, (_, index) => row(index + 1, `${index + 1}`.repeat(30_000)));
    project.put("logs/clerk/c1.json", log("c1", rows, { status: "completed" }));
    const endpoint = new MockLLMEndpoint(() => ({ value: "A part." }), { maxContextTokens: 30_000 });
    const { pass } = snapshots(project, [], { endpoint });
    expect((await pass()).fields).toMatchObject({ parsed: 1, created: 3 });
    expect((await pass()).fields).toMatchObject({ parsed: 1, created: 0 });
    for (const { messages } of endpoint.requests)
      expect(messages.reduce((sum, { content }) => sum + content.length, 0) / 4).toBeLessThan(30_000);
    expect(
      endpoint.requests.map(({ messages }) => /Mode: (\S+)/.exec(messages[1]?.content ?? "")?.[1]),
    ).toEqual(["incremental", "incremental", "terminal-completed"]);
    const texts = (await project.list("snapshots")).map((name) => project.read(`snapshots/${name}`));
    expect(texts.map((text) => /sequence=(\d+)/.exec(text)?.[1])).toEqual(["2", "4", "6"]);
  });

  it("whose rows have one number is not parted between them", async () => {
    const project = makeProject();
    const numbers = [1, 2, 2, 2, 3];
    const rows = numbers.map((sequence, index) => row(sequence, `${index}`.repeat(26_000)));
    project.put("logs/clerk/c1.json", log("c1", rows, { status: "completed" }));
    const endpoint = new MockLLMEndpoint(() => ({ value: "A part." }), { maxContextTokens: 40_000 });
    const { pass } = snapshots(project, [], { endpoint });
    const { fields } = await pass();
    const seen = endpoint.requests.map(({ messages }) =>
      [0, 1, 2, 3, 4].filter((index) => messages[1]?.content.includes(`${index}`.repeat(20))),
    );
    expect({ created: fields["created"], seen }).toEqual({ created: 3, seen: [[0], [1, 2, 3], [4]] });
  });

  it("whose summary is over its budget three times is given the shortest, with warnings", async () => {
    const project = makeProject();
    project.put("logs/clerk/c1.json", log("c1", [row(1, "Hello.")], { status: "completed" }));
    const script = [50, 20, 30].map((length) => ({ value: "s".repeat(length) }));
    const { pass } = snapshots(project, script, { maxChars: 10 });
    const { fields, events } = await pass();
    expect(fields).toMatchObject({ created: 1 });
    expect(events.map((event) => event.type === "runtime" && event.level)).toEqual(Array(4).fill("warning"));
    expect(project.read(first)).toContain(`\n\n${"s".repeat(20)}\n\n`);
  });

  it.each([
    { parity: "even", odd: "" },
    { parity: "odd", odd: "y" },
  ])(
    "with one message that no model takes is shown its first whole characters ($parity)",
    async ({ odd }) => {
      const project = makeProject();
      const huge = JSON.stringify(Array.from({ length: 20 }, () => `${odd}${"🐝".repeat(19_500)}`));
      project.put("logs/clerk/c1.json", log("c1", [row(1, huge)], { status: "completed" }));
      const endpoint = new MockLLMEndpoint([{ value: "Many bees." }], { maxContextTokens: 8_000 });
      const { pass } = snapshots(project, [], { endpoint });
      expect((await pass()).fields).toMatchObject({ created: 1 });
      const source = endpoint.requests[0]?.messages[1]?.content ?? "";
      expect(source.length / 4).toBeLessThan(8_000);
      expect(/\p{Surrogate}/u.test(source)).toBe(false);
    },
  );
});
