import { quoted } from "../permissions/quote.ts";
import type { Reading } from "./pdf-process.ts";

/** The most characters of text in a result, which stays under 40,000 with its frame. */
export const mostCharacters = 36_000;

/** A result for the model. */
export interface PdfText {
  readonly outcome: "done" | "failed";
  readonly text: string;
  readonly page_count: number | null;
  /** Whether there is more text in the range than is shown. */
  readonly is_cut: boolean;
}

/** Says what a reading gave: pages under headings, or what is wrong and what helps. */
export function pdfText(reading: Reading, path: string): PdfText {
  const failure = (problem: string, pageCount: number | null = null): PdfText => ({
    outcome: "failed",
    text: `${quoted(path)} ${problem}`,
    page_count: pageCount,
    is_cut: false,
  });
  switch (reading.status) {
    case "read":
      return pagesText(reading);
    case "out-of-range": {
      const { pageCount } = reading;
      return failure(
        `has ${pageCount} ${pageCount === 1 ? "page" : "pages"}; start_page and end_page are whole numbers from 1 to ${pageCount}, start_page the smaller one`,
        pageCount,
      );
    }
    case "encrypted":
      return failure("is encrypted; ask for a decrypted copy of it");
    case "damaged":
      return failure("is no PDF document, or one that is too damaged for these pages to be read");
    case "too-slow":
      return failure("took more than 10 seconds to read; try fewer pages");
    case "too-much-memory":
      return failure("needs more memory than a document may take; try fewer pages");
    case "crashed":
      return failure("could not be read: the reader ended");
  }
}

function pagesText({ pageCount, pages, range }: Extract<Reading, { status: "read" }>): PdfText {
  const shown = pages.map(({ page, text, isDamaged }) => {
    const none = isDamaged ? "[this page is damaged and cannot be read]" : "[no text on this page]";
    const body = text === "" ? none : unheaded(text);
    return `${heading(page, pageCount)}\n${body}`;
  });
  const last = pages.at(-1);
  const next = last === undefined ? range.from : last.isCut ? last.page : last.page + 1;
  const isCut = next <= range.to;
  if (isCut)
    shown.push(advice({ next, to: range.to, isWithin: last?.isCut === true, isFirst: pages.length === 1 }));
  return { outcome: "done", text: shown.join("\n\n"), page_count: pageCount, is_cut: isCut };
}

function heading(page: number, pageCount: number): string {
  return `--- page ${page} of ${pageCount} ---`;
}

// Also with spaces or dashes of other kinds, which a reader would take for the same.
const like = /^(?=[\s\p{Cf}\p{Mn}]*\p{Pd}{2,}[\s\p{Cf}]*(?:page|begin|end|cut)\b)/gimu;

/** Text whose lines cannot be taken for a heading or a frame. */
function unheaded(text: string): string {
  return text.replace(like, "\\");
}

function advice({
  next,
  to,
  isWithin,
  isFirst,
}: {
  readonly next: number;
  readonly to: number;
  readonly isWithin: boolean;
  readonly isFirst: boolean;
}): string {
  if (isWithin && isFirst)
    return `--- cut: page ${next} has more text than the ${mostCharacters} characters that are shown; the rest of it cannot be shown${next < to ? `; go on with start_page ${next + 1}` : ""} ---`;
  return `--- cut: the text is longer than ${mostCharacters} characters; go on with a smaller range from page ${next} ---`;
}
