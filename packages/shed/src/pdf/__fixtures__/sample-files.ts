import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = join(import.meta.dirname, "../../../fixtures-pdf/files");

/** A PDF file of some producer, made by `fixtures-pdf/make.mjs`. */
export interface SampleFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** What the document was made from. */
  readonly source: string;
  /** What `pdftotext` of poppler-utils 22.12 gives for it. */
  readonly pdftotext: string;
  readonly path: string;
}

export function sampleFiles(): readonly SampleFile[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".pdf"))
    .map((file) => {
      const name = file.replace(/\.pdf$/, "");
      const text = (end: string): string => readFileSync(join(folder, `${name}${end}`), "utf8");
      const path = join(folder, file);
      return {
        name,
        bytes: Uint8Array.from(readFileSync(path)),
        source: text(".txt"),
        pdftotext: text(".pdftotext.txt"),
        path,
      };
    });
}
