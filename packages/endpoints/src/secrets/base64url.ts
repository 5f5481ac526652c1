/** Writes bytes in the URL-safe alphabet of RFC 4648, section 5. */
export function encodeBase64url(bytes: Buffer, { isPadded }: { isPadded: boolean }): string {
  const text = bytes.toString("base64url");
  return isPadded ? text + "=".repeat((4 - (text.length % 4)) % 4) : text;
}

/**
 * Reads what {@link encodeBase64url} writes and nothing else: no other alphabet, no white space, no missing or
 * extra padding, no stray bits in the last character. `undefined` for any other text.
 */
export function decodeBase64url(text: string, { isPadded }: { isPadded: boolean }): Buffer | undefined {
  const bytes = Buffer.from(text, "base64url");
  return encodeBase64url(bytes, { isPadded }) === text ? bytes : undefined;
}
