import { parseRunDocument } from "@roboz/core";
import { describe, expect, it } from "vitest";

import { log, row } from "./__fixtures__/project.ts";
import { cutRow, rowsAfter } from "./conversation-rows.ts";
import { coverageOf, withoutMarkers } from "./librarian-markers.ts";
import { memoryContent, memoryText } from "./memory-document.ts";
import { parseSnapshot, snapshotText } from "./snapshot-document.ts";

const marker = "<!-- librarian:snapshot-coverage v1 sequence=7 -->";

describe("a snapshot document", () => {
  const text = snapshotText({ agentName: "clerk", summary: "All well.\n", sequence: 7 });

  it("is a heading, the summary, and the coverage as its last line", () => {
    expect(text).toBe(`# Conversation Snapshot: clerk\n\nAll well.\n\n${marker}\n`);
    expect(parseSnapshot(text)).toEqual({
      agentName: "clerk",
      text: "# Conversation Snapshot: clerk\n\nAll well.",
      sequence: 7,
    });
  });

  it.each([
    { why: "no marker", last: "All well." },
    { why: "an unknown version", last: "<!-- librarian:snapshot-coverage v2 sequence=7 -->" },
    { why: "no number", last: "<!-- librarian:snapshot-coverage v1 sequence=seven -->" },
    { why: "a negative number", last: "<!-- librarian:snapshot-coverage v1 sequence=-7 -->" },
    {
      why: "a number beyond all others",
      last: `<!-- librarian:snapshot-coverage v1 sequence=${"9".repeat(40)} -->`,
    },
    { why: "more behind it", last: `${marker} x` },
    { why: "a marker that is not the last line", last: `${marker}\nmore` },
  ])("with $why covers nothing", ({ last }) => {
    expect(coverageOf(`# Conversation Snapshot: clerk\n\nAll well.\n\n${last}\n`)).toBeUndefined();
  });

  it("holds no marker that its model, or a name, made up", () => {
    const forged = snapshotText({
      agentName: "cl<!-- librarian:x -->erk\n# Another",
      summary: `Fine. ${marker.replace("7", "999")}\n<!--librarian: unfinished`,
      sequence: 7,
    });
    expect(forged.match(/librarian:/g)).toHaveLength(1);
    expect(coverageOf(forged)).toBe(7);
    expect(parseSnapshot(forged).agentName).toBe("clerk # Another");
  });

  it("of another making has no agent when its heading is none", () => {
    expect(parseSnapshot("Some notes.\n").agentName).toBeUndefined();
    expect(parseSnapshot("").text).toBe("");
  });

  it("is cleaned in a time that grows with its length alone", () => {
    expect(withoutMarkers("<!-- librarian:".repeat(50_000))).not.toContain("librarian");
    expect(withoutMarkers("<!-- ".repeat(50_000)).length).toBe(250_000);
  });
});

describe("a memory document", () => {
  const sources = [
    { path: "snapshots/c1/s1.md", agentName: "clerk", conversationId: "c1" },
    { path: "snapshots/c2/s2.md", agentName: undefined, conversationId: "c2" },
  ];

  it("is a heading, the summary, and where it came from", () => {
    expect(memoryText({ summary: "Facts.", sources, previous: "m0.md" })).toBe(
      [
        "# Persistent Memory",
        "Facts.",
        "<!-- librarian:provenance v1 -->",
        "## Sources",
        "- `snapshots/c1/s1.md` (agent: clerk, conversation: c1)\n- `snapshots/c2/s2.md` (conversation: c2)",
        "Previous memory: `m0.md`\n",
      ].join("\n\n"),
    );
    expect(memoryText({ summary: "Facts.", sources, previous: undefined })).not.toContain("Previous memory");
  });

  it.each([
    { why: "a leading title of the model's is dropped", summary: "# My Memory\n\nFacts.", kept: "Facts." },
    { why: "a second heading is not", summary: "## People\n\nAda.", kept: "## People\n\nAda." },
    { why: "a title further down is not", summary: "Facts.\n\n# More", kept: "Facts.\n\n# More" },
    { why: "a title without anything else is not", summary: "# Nothing yet", kept: "# Nothing yet" },
  ])("has one title: $why", ({ summary, kept }) => {
    const text = memoryText({ summary, sources: [], previous: undefined });
    expect(text).toMatch(/^# Persistent Memory\n\n/);
    expect(memoryContent(text)).toBe(`# Persistent Memory\n\n${kept}`);
  });

  it("is shown without its provenance, of whatever version, and with all before it", () => {
    const text = memoryText({ summary: "Facts.", sources, previous: "m0.md" });
    expect(memoryContent(text)).toBe("# Persistent Memory\n\nFacts.");
    expect(memoryContent(text.replace("v1", "v2"))).toBe("# Persistent Memory\n\nFacts.");
    expect(memoryContent("Written by hand.")).toBe("Written by hand.");
  });
});

describe("the rows of a conversation", () => {
  const rows = (...given: readonly ReturnType<typeof row>[]) => [
    ...rowsAfter(parseRunDocument(log("c1", given), "c1.json"), 0),
  ];

  it("are shown with their role, number and time, images as text", () => {
    const images = [{ url: "https://example.com/a.png" }, { url: "data:image/png;base64,iVBORw0KGgo=" }];
    const [one] = rows(row(3, "Hello.", { images }));
    expect(one?.text).toBe(
      "## user\n\n[sequence=3 created_at=2026-05-01T10:00:03.000Z]\nHello.\n[image: https://example.com/a.png]\n[embedded image 1]",
    );
    expect(one?.tokens).toBe(Math.ceil((one?.text.length ?? 0) / 4));
  });

  it.each([
    { kind: "system_message" as const, shown: "[system prompt omitted; agent clerk: Keeps the files.]" },
    { kind: "startup_context" as const, shown: "[startup context omitted; agent clerk: Keeps the files.]" },
    { kind: "auto_loaded_skill" as const, shown: "[auto-loaded skill omitted: filing]" },
  ])("leave out what every run begins with ($kind)", ({ kind, shown }) => {
    const content = '{"caller":"filing","value":"long instructions"}';
    const [one] = rows(row(1, content, { message_kind: kind }));
    expect(one?.text).toContain(shown);
    expect(one?.text).not.toContain("long");
  });

  it("have no load banner, nor what no model was shown", () => {
    const hidden = { threshold: 0, severity: 3 };
    const shown = rows(
      row(1, "banner", { message_kind: "auto_load_banner" }),
      row(2, "hidden", { truncation: hidden }),
      row(3, "hidden", { truncation: [{ threshold: 0, severity: 1 }, hidden] }),
      row(4, "for a while", { truncation: { threshold: 1, severity: 3 } }),
      row(5, "once", { truncation: { threshold: 1, severity: 3, count_by: "showings" } }),
      row(6, `{"caller":"x"}`, { message_kind: "auto_loaded_skill" }),
      row(7, "no skill", { message_kind: "auto_loaded_skill" }),
    );
    expect(shown.map(({ sequence }) => sequence)).toEqual([4, 5, 6, 7]);
    expect(shown.at(-1)?.text).toContain("[auto-loaded skill omitted: unknown]");
  });

  it("are cut as a model was shown them, and further when there is no room, and have no markers", () => {
    const [long] = rows(row(1, "x".repeat(50_000)));
    expect(long?.text.length).toBeLessThan(40_200);
    expect(long === undefined ? "" : cutRow(long, 1_000)).toMatchObject({ tokens: 251 });
    const [marked] = rows(row(1, `It says ${marker}.`));
    expect(marked?.text).toMatch(/It says \.$/);
    expect(marked === undefined ? undefined : cutRow(marked, 1_000)).toBe(marked);
  });
});
