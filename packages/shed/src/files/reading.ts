import { closeSync, constants, readFileSync, readSync } from "node:fs";
import type { BigIntStats } from "node:fs";
import type { FileAccess } from "./access.ts";
import { lastName, parentLocation } from "./file-name.ts";

const chunkBytes = 256 * 1024;
/** So small that the memory comes from a pool. */
const firstBytes = 2 * 1024;

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

/**
 * The content of the very file that was looked at, and how it is now; `undefined` when it is larger than `mostBytes`.
 *
 * @throws {@link FileChangedError}, or an error of the operating system.
 */
export function readWhole(
  access: FileAccess,
  { location, stats: expected }: { readonly location: string; readonly stats: BigIntStats },
  mostBytes: number,
): { readonly content: Buffer; readonly stats: BigIntStats } | undefined {
  const directory = access.at(parentLocation(location));
  const { descriptor, stats } = directory.openFile(lastName(location), constants.O_RDONLY, expected);
  try {
    return stats.size > BigInt(mostBytes) ? undefined : { content: readFileSync(descriptor), stats };
  } finally {
    closeSync(descriptor);
  }
}
