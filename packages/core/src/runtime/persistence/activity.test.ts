import { existsSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { emptyPlace } from "./__fixtures__/scratch.ts";
import { activeAgents, activeRuns, clearActiveRuns, markActive } from "./activity.ts";
import { documentPath, writeRunDocument } from "./document-folder.ts";
import { parseRunDocument } from "./document.ts";

const unsafe = [
  { why: "core 101: a parent segment", id: "../x" },
  { why: "core 101: two segments", id: "a/b" },
  { why: "core 101: a drive", id: "C:\\x" },
  { why: "core 101: nothing", id: "" },
  { why: "PS-06: the folder itself", id: "." },
  { why: "PS-06: 300 characters", id: "x".repeat(300) },
  { why: "a NUL", id: "a\0b" },
  { why: "a line break", id: "a\nb" },
  { why: "a name that would be hidden", id: ".run" },
];

describe("ids", () => {
  it.each(unsafe)("PS-06: refuses to mark $why, and makes nothing", async ({ id }) => {
    const root = await emptyPlace();
    expect(() => markActive(root, id)).toThrow(expect.objectContaining({ code: "core/run-id" }));
    expect(existsSync(root)).toBe(false);
  });

  it.each(unsafe)("PS-06: refuses to write a document of $why, and makes nothing", async ({ id }) => {
    const root = await emptyPlace();
    const document = parseRunDocument(
      JSON.stringify({ conversation_id: id, agent_name: "a", started_at: "2026-05-01T00:00:00.000Z" }),
      "given",
    );
    await expect(writeRunDocument(root, document)).rejects.toMatchObject({ code: "core/run-id" });
    expect(existsSync(root)).toBe(false);
  });

  it("takes what is one safe path component", () => {
    expect(documentPath("/d", "A-1_b.c", "2026-05-01T23:59:59.999Z")).toBe("/d/2026/05/01/A-1_b.c.json");
  });
});

describe("markers", () => {
  it("are there until they are taken away, once or twice", async () => {
    const root = await emptyPlace();
    expect(await activeRuns(root)).toEqual([]);
    const unmark = markActive(root, "r1");
    markActive(root, "r2");
    expect(await activeRuns(root)).toEqual(["r1", "r2"]);
    unmark();
    unmark();
    expect(await activeRuns(root)).toEqual(["r2"]);
  });

  it("tell which agents below a common root are at work", async () => {
    const common = await emptyPlace();
    markActive(join(common, "busy"), "r1");
    await mkdir(join(common, "idle"), { recursive: true });
    await writeFile(join(common, "file"), "");
    expect(await activeAgents(common)).toEqual(["busy"]);
    expect(await activeAgents(common, ["idle", "busy", "unknown", "file"])).toEqual(["busy"]);
  });

  it.each([
    { why: "a parent segment", name: "../outside" },
    { why: "the parent", name: ".." },
    { why: "the root itself", name: "." },
    { why: "nothing", name: "" },
    { why: "a link that leads out", name: "link" },
  ])("of an agent whose name escapes the root are passed over ($why)", async ({ name }) => {
    const place = await emptyPlace();
    const common = join(place, "common");
    const outside = join(place, "outside");
    markActive(outside, "r1");
    markActive(common, "r2");
    markActive(place, "r3");
    await symlink(outside, join(common, "link"));
    expect(await activeAgents(common, [name])).toEqual([]);
    expect(await activeRuns(outside)).toEqual(["r1"]);
  });

  it("PS-11: are all cleared at start-up, also those of agents below, and none outside", async () => {
    const place = await emptyPlace();
    const common = join(place, "common");
    const outside = join(place, "outside");
    markActive(common, "r1");
    markActive(join(common, "agent"), "r2");
    markActive(outside, "r3");
    await symlink(outside, join(common, "link"));
    expect(await clearActiveRuns(common)).toEqual(["r1", "r2"]);
    expect(await activeRuns(common)).toEqual([]);
    expect(await activeRuns(outside)).toEqual(["r3"]);
    expect(await clearActiveRuns(join(place, "nowhere"))).toEqual([]);
  });
});
