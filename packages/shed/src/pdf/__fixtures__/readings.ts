import type { Reading } from "../pdf-process.ts";
import type { ReadRequest } from "../protocol.ts";

/** Asks for pages of a document, all of them by default. */
export function request(bytes: Uint8Array, from = 1, to: number | null = null): ReadRequest {
  return { bytes, range: { from, to }, mostCharacters: 36_000 };
}

/** The texts of the pages, or how the reading ended instead. */
export function textOf(reading: Reading): string {
  return reading.status === "read" ? reading.pages.map(({ text }) => text).join("|") : reading.status;
}
