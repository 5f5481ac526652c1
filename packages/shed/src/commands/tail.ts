import { readSync } from "node:fs";
import type { FileAccess } from "../files/access.ts";
import { chunksOf } from "../files/reading.ts";
import type { CommandIo } from "./command.ts";
import { amountOf, endOptions, hasHeadings, heading } from "./head.ts";
import type { Amount } from "./head.ts";
import { stdinChunks, withFile } from "./inputs.ts";
import type { CheckedFile } from "./inputs.ts";
import type { Output } from "./output.ts";
import { readerCommand } from "./reader.ts";

/** `tail`: the last lines or bytes of files. */
export const tail = readerCommand({
  name: "tail",
  unnamed: "-",
  options: endOptions,
  async show({ options, inputs, access, io, output, each }) {
    const amount = amountOf(options);
    // Wanting nothing, the program does not even name its inputs.
    if (amount.count === 0) return;
    const named = hasHeadings(options, inputs.length);
    await each(async (input, index) => {
      if (named) output.add(heading(input, index === 0));
      if (input.file === null) await lastOfStream(io, amount, output);
      else await lastOfFile(access, input.file, amount, output);
    });
  },
});

function lastOfFile(
  access: FileAccess,
  file: CheckedFile,
  { unit, count }: Amount,
  output: Output,
): Promise<void> {
  return withFile(access, file, async (descriptor, stats) => {
    const size = Number(stats.size);
    const start =
      unit === "bytes" ? Math.max(0, size - count) : await startOfLines(descriptor, size, count, output);
    for (const chunk of chunksOf(descriptor, start)) await output.pass(chunk);
  });
}

const blockBytes = 64 * 1024;

/** Where the last lines start, found by reading backwards. A last line without a newline is a line too. */
async function startOfLines(
  descriptor: number,
  size: number,
  count: number,
  output: Output,
): Promise<number> {
  let left = count;
  const block = Buffer.allocUnsafe(blockBytes);
  for (let end = size; end > 0;) {
    const start = Math.max(0, end - blockBytes);
    const length = readSync(descriptor, block, 0, end - start, start);
    const bytes = block.subarray(0, length);
    // The newline that ends the file ends the last line; it starts no further one.
    let before = start + length === size && bytes.at(-1) === 10 ? length - 1 : length;
    while (before > 0) {
      const newline = bytes.lastIndexOf(10, before - 1);
      if (newline === -1) break;
      if (--left === 0) return start + newline + 1;
      before = newline;
    }
    end = start;
    if (output.isDue) await output.flow();
  }
  return 0;
}

/** Keeps no more of a stream than its end needs. */
async function lastOfStream(io: CommandIo, { unit, count }: Amount, output: Output): Promise<void> {
  const kept: { bytes: Buffer; amount: number }[] = [];
  let total = 0;
  for await (const bytes of stdinChunks(io)) {
    const amount = unit === "bytes" ? bytes.length : newlines(bytes);
    kept.push({ bytes, amount });
    total += amount;
    // One line more than wanted is kept: the last one may have no newline.
    for (let first = kept[0]; first !== undefined && total - first.amount > count; first = kept[0]) {
      total -= first.amount;
      kept.shift();
    }
    if (output.isDue) await output.flow();
  }
  const end = kept.at(-1)?.bytes.at(-1);
  const extra = unit === "lines" && end !== undefined && end !== 10 ? 1 : 0;
  let skipped = total + extra - count;
  for (const { bytes, amount } of kept) {
    if (skipped <= 0) {
      output.add(bytes);
    } else if (unit === "bytes") {
      output.add(bytes.subarray(skipped));
      skipped -= Math.min(amount, skipped);
    } else {
      const { rest, lines } = withoutLines(bytes, skipped);
      output.add(rest);
      skipped -= lines;
    }
    if (output.isDue) await output.flow();
  }
}

function withoutLines(bytes: Buffer, count: number): { rest: Buffer; lines: number } {
  let start = 0;
  for (let lines = 0; lines < count; lines++) {
    const newline = bytes.indexOf(10, start);
    if (newline === -1) return { rest: bytes.subarray(bytes.length), lines };
    start = newline + 1;
  }
  return { rest: bytes.subarray(start), lines: count };
}

/** How many words are looked at together, and of how many bytes each is. */
const wordsInARow = 4;
const wordBytes = 4;

/** How many lines end in a chunk. */
export function newlines(bytes: Buffer): number {
  // Whole words at a time: a search per line would cost more, for all but very long lines.
  const isAligned = bytes.byteOffset % wordBytes === 0;
  const rows = isAligned ? Math.trunc(bytes.length / (wordsInARow * wordBytes)) : 0;
  const words = new Int32Array(bytes.buffer, isAligned ? bytes.byteOffset : 0, rows * wordsInARow);
  let count = newlinesOf(words);
  for (let index = words.length * wordBytes; index < bytes.length; index++) if (bytes[index] === 10) count++;
  return count;
}

/** @param words - A multiple of {@link wordsInARow} of them. */
function newlinesOf(words: Int32Array): number {
  let others = 0;
  for (let index = 0; index < words.length;) {
    // Each byte of `lanes` counts at its place in the words; more than 255 would not fit.
    let lanes = 0;
    for (const pause = Math.min(words.length, index + 252); index < pause; index += wordsInARow) {
      lanes =
        (lanes +
          othersIn(words[index] ?? 0) +
          othersIn(words[index + 1] ?? 0) +
          othersIn(words[index + 2] ?? 0) +
          othersIn(words[index + 3] ?? 0)) |
        0;
    }
    others += (lanes & 255) + ((lanes >>> 8) & 255) + ((lanes >>> 16) & 255) + (lanes >>> 24);
  }
  return words.length * wordBytes - others;
}

const lowBits = 0x7f7f7f7f;

/** 1 at the place of each byte of a word that is no end of a line, 0 at the others. */
function othersIn(word: number): number {
  const other = word ^ 0x0a0a0a0a;
  // The highest bit of a byte is set where the byte has any bit at all; nothing is carried from byte to byte.
  return ((((other & lowBits) + lowBits) | other) >>> 7) & 0x01010101;
}
