import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";

import { sampleFiles, type SampleFile } from "./__fixtures__/sample-files.ts";
import { similarity } from "./__fixtures__/similarity.ts";
import { openPdf } from "./parser.ts";

const files = sampleFiles();

async function textOf({ bytes }: SampleFile): Promise<string> {
  const document = await openPdf(Uint8Array.from(bytes));
  const pages: string[] = [];
  for (let page = 1; page <= document.pageCount; page++) pages.push(await document.textOf(page));
  await document.close();
  return pages.join("\n");
}

/** What the installed `pdftotext` gives now, or the kept text where there is none. */
function poppler({ path, pdftotext }: SampleFile): string {
  const { status, stdout } = spawnSync("pdftotext", ["-enc", "UTF-8", path, "-"], { encoding: "utf8" });
  return status === 0 ? stdout : pdftotext;
}

describe("files of Chromium, LibreOffice, Cairo, TeX and Ghostscript", () => {
  it("are read at least as close to their source as by pdftotext, on average", async () => {
    const rows: { readonly name: string; readonly ours: number; readonly pdftotext: number }[] = [];
    for (const file of files) {
      const ours = similarity(file.source, await textOf(file));
      rows.push({ name: file.name, ours, pdftotext: similarity(file.source, poppler(file)) });
    }
    const mean = (column: "ours" | "pdftotext"): number =>
      rows.reduce((sum, row) => sum + row[column], 0) / rows.length;
    const [ours, pdftotext] = [mean("ours"), mean("pdftotext")];
    console.info(
      `likeness to the source of ${rows.length} PDF files: ours ${ours.toFixed(4)}, pdftotext ${pdftotext.toFixed(4)}`,
    );
    expect(rows.length).toBeGreaterThanOrEqual(30);
    expect(ours).toBeGreaterThanOrEqual(pdftotext);
    expect(rows.filter((row) => row.ours < 0.97)).toEqual([]);
  });

  it("PD-13: give no control characters but line ends and tabs", async () => {
    for (const file of files) expect(await textOf(file)).not.toMatch(/[^\P{Cc}\n\t]/u);
  });
});
