import { invalid } from "./errors.ts";

/** The token of the page after this place. */
export function writePage(place: readonly string[]): string {
  return Buffer.from(JSON.stringify(place)).toString("base64url");
}

/**
 * The place that a page token names.
 *
 * @throws {@link RobotoInvalidRequestException} for a token that no page had.
 */
export function readPage(token: string, parts: number): readonly string[] {
  let place: unknown;
  try {
    place = JSON.parse(Buffer.from(token, "base64url").toString());
  } catch {
    place = undefined;
  }
  if (!Array.isArray(place) || place.length !== parts || !place.every((part) => typeof part === "string"))
    throw invalid("The page token is none that a page had; begin with the first page");
  return place;
}
