import { openPdf, type OpenPdf } from "./parser.ts";
import type { ReadOutcome, ReadRequest } from "./protocol.ts";

type PageRead = Extract<ReadOutcome, { status: "read" }>["pages"][number];

/** Reads the text of a range of pages. Whatever is wrong with the document is an outcome. */
export async function readDocument(
  { bytes, range, mostCharacters }: ReadRequest,
  onPage: (page: number, last: number) => void,
): Promise<ReadOutcome> {
  let document: OpenPdf;
  try {
    document = await openPdf(bytes);
  } catch (error) {
    const isLocked = error instanceof Error && error.name === "PasswordException";
    return { status: isLocked ? "encrypted" : "damaged" };
  }
  try {
    const { pageCount, isEncrypted } = document;
    if (isEncrypted) return { status: "encrypted" };
    if (pageCount < 1) return { status: "damaged" };
    const to = Math.min(range?.to ?? pageCount, pageCount);
    if (range === null || range.from < 1 || range.from > to) return { status: "out-of-range", pageCount };
    const pages: PageRead[] = [];
    let room = mostCharacters;
    for (let page = range.from; page <= to && room > 0; page++) {
      const whole = await document.textOf(page).catch(() => undefined);
      const { text, length, isCut } = start(whole ?? "", room);
      pages.push({ page, text, isCut, isDamaged: whole === undefined });
      room -= length + pageCost;
      onPage(page, to);
    }
    if (pages.every(({ isDamaged }) => isDamaged)) return { status: "damaged" };
    return { status: "read", pageCount, pages, range: { from: range.from, to } };
  } finally {
    await document.close().catch(() => undefined);
  }
}

/** What a page takes of the room even when it has no text: its heading. */
const pageCost = 40;

/** The first characters of a text; whole ones, and whole lines where that costs little. */
function start(text: string, most: number): { text: string; length: number; isCut: boolean } {
  if (text.length <= most) return { text, length: text.length, isCut: false };
  const kept = text.slice(0, most).replace(/[\ud800-\udbff]$/, "");
  const line = kept.lastIndexOf("\n");
  return { text: line > most / 2 ? kept.slice(0, line) : kept, length: most, isCut: true };
}
