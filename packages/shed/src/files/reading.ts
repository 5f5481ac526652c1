import { closeSync, constants, readFileSync, readSync } from "node:fs";
import type { BigIntStats } from "node:fs";
import type { FileAccess } from "./access.ts";
import { lastName, parentLocation } from "./file-name.ts";

const chunkBytes = 256 * 1024;
/** So small that the memory comes from a pool. */
const firstBytes = 2 * 1024;

/**
 * Reads a file from a position to its end; what is added meanwhile is read as long as it keeps coming. All chunks take
 * the same place in memory, which saves most of the time that a large file takes: each is good until the next one is
 * asked for. Most files are small, so the first chunk is.
 */
export function* chunksOf(descriptor: number, position = 0): Generator<Buffer, void> {
  let buffer = Buffer.allocUnsafe(firstBytes);
  for (let at = position; ;) {
    const count = readSync(descriptor, buffer, 0, buffer.length, at);
    if (count === 0) return;
    at += count;
    yield buffer.subarray(0, count);
    if (count === firstBytes) buffer = Buffer.allocUnsafeSlow(chunkBytes);
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
