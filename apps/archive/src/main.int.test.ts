import { mkdtemp, readdir, rm } from "node:fs/promises";
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { scriptedProvider } from "@roboz/endpoints/testing";
import { describe, expect, it, onTestFinished } from "vitest";

import { runApp } from "../../../tools/run-app.ts";

const run = runApp.bind(undefined, "archive");

function foldersLeft(): readonly string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith("roboz-archive-"));
}

const remembered = "- Filed `projects/archive/papers/bees.pdf` under bees, colony, hive.";

describe("npm start -- archive", () => {
  it("files a PDF with a specialist, remembers it, and begins the next conversation with the memory", async () => {
    const before = foldersLeft();
    const { code, stdout, stderr } = await run();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const [, first = "", memory = "", next = ""] =
      /^The first conversation\n([^]*)\nThe memory\n([^]*)\nThe next conversation, which begins with it\n([^]*)$/.exec(
        stdout,
      ) ?? [];
    // The orchestrator reads the PDF and the notes, and delegates.
    expect(first).toMatch(/orchestrator {2}→ execute_process_pdf\n[^]*Notes on keeping bees/);
    expect(first).toMatch(
      /orchestrator {2}→ execute_file_command\n[^]*A paper is filed under three headings\./,
    );
    expect(first).toMatch(/cataloguer {4}○ --- begin: process_pdf/);
    expect(first).toMatch(/\nThe catalogue\n# Catalogue\n\n- papers\/bees\.pdf: bees, colony, hive\n/);
    // The Librarian works beside it, and after it.
    expect(first).toMatch(
      /librarian {5}→ snapshot_conversations\n[^]*\nmodel calls: 6, skipped: 6\n[^]*librarian {5}→ consolidate_memory\n/,
    );
    expect(memory).toMatch(
      /^# Persistent Memory\n\n- I want weights in kilograms and answers of one sentence\.\n/,
    );
    expect(memory).toContain(`${remembered}\n`);
    expect(memory).toMatch(/agent: cataloguer, [^]*agent: orchestrator, /);
    // What was remembered, and nothing else, says where the paper is.
    expect(next).toMatch(/^ {2}orchestrator {2}○ # Persistent Memory\n/);
    expect(next).toContain("process_pdf: I remember where it is.");
    expect(next).toMatch(/\nFifteen kilograms of sugar[^\n]*\.\nmodel calls: 2, /);
    expect(foldersLeft()).toEqual(before);
  });

  it("goes on in a folder in which it was before, in another process", async () => {
    const folder = await mkdtemp(join(tmpdir(), "roboz-kept-archive-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    await run(["--folder", folder]);
    const memories = join(folder, "projects/archive/memory");
    expect(await readdir(memories)).toHaveLength(2);
    const { code, stdout } = await run(["--folder", folder]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^The memory\n# Persistent Memory\n/);
    expect(stdout).toContain(remembered);
    expect(stdout).toMatch(/\nFifteen kilograms of sugar/);
    expect(await readdir(memories)).toHaveLength(3);
  });

  it("draws its tools", async () => {
    const { code, stdout } = await run(["--graph"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^flowchart TD\n[^]*process_pdf/);
  });

  it("prints its options", async () => {
    const { code, stdout } = await run(["--help"]);
    expect([code, stdout]).toEqual([0, expect.stringContaining("--folder <path>")]);
  });

  it("refuses an unknown option in one line, with exit code 2", async () => {
    const { code, stdout, stderr } = await run(["--fast"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^[^\n]*--fast[^\n]+--help[^\n]+\n$/);
  });
});

describe("npm start -- archive --model", () => {
  it("says in one line which key is missing, and leaves no folder behind", async () => {
    const before = foldersLeft();
    await using provider = await scriptedProvider([]);
    const { code, stderr } = await run(["--model", "local.chat"], { baseUrl: provider.baseUrl });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^[^\n]*`LOCAL_API_KEY`[^\n]*leave out --model[^\n]*\n$/);
    expect(foldersLeft()).toEqual(before);
  });
});
