import { readSync } from "node:fs";

const chunkBytes = 256 * 1024;
const firstBytes = 4 * 1024;

/**
 * Reads a file from a position to its end, or to `end`; what is added meanwhile is read as long as it keeps coming. Most
 * files are small, so the first chunk is.
 */
export function* chunksOf(
  descriptor: number,
  { position = 0, end = Number.POSITIVE_INFINITY }: { position?: number; end?: number } = {},
): Generator<Buffer, void> {
  let at = position;
  let most = firstBytes;
  while (at < end) {
    const buffer = Buffer.allocUnsafe(Math.min(most, end - at));
    most = chunkBytes;
    const count = readSync(descriptor, buffer, 0, buffer.length, at);
    if (count === 0) return;
    at += count;
    yield count === buffer.length ? buffer : buffer.subarray(0, count);
  }
}
