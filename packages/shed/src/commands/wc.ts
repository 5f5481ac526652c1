import type { FileAccess } from "../files/access.ts";
import { chunksOf } from "../files/reading.ts";
import type { CommandIo } from "./command.ts";
import { passingStdin, withFile } from "./inputs.ts";
import type { Input } from "./inputs.ts";
import type { Output } from "./output.ts";
import { readerCommand } from "./reader.ts";
import { newlines } from "./tail.ts";
import { Counter, noCounts } from "./wc-counts.ts";
import type { Counts } from "./wc-counts.ts";

/** In the order of the columns. */
const columns = ["lines", "words", "chars", "bytes", "longest"] as const;
type Column = (typeof columns)[number];

/** `wc`: counts lines, words, characters and bytes of files. */
export const wc = readerCommand({
  name: "wc",
  unnamed: "",
  options: {
    options: [
      { key: "lines", forms: ["-l", "--lines"] },
      { key: "words", forms: ["-w", "--words"] },
      { key: "bytes", forms: ["-c", "--bytes"] },
      { key: "chars", forms: ["-m", "--chars"] },
      { key: "longest", forms: ["-L", "--max-line-length"] },
    ],
  },
  async show({ options, inputs, access, io, output, each }) {
    const wanted = columns.filter((column) =>
      options.size === 0
        ? column === "lines" || column === "words" || column === "bytes"
        : options.has(column),
    );
    const width = numberWidth(inputs, wanted);
    const total = noCounts();
    await each(async (input) => {
      const counts = await countsOf({ access, io, output }, input, wanted);
      addTo(total, counts);
      output.add(row(counts, wanted, width, input.shown));
    });
    if (inputs.length > 1) output.add(row(total, wanted, width, "total"));
  },
});

/** Columns are as wide as the sum of the sizes; a stream, whose size is not known, gets seven. */
function numberWidth(inputs: readonly Input[], wanted: readonly Column[]): number {
  if (inputs.length === 1 && wanted.length === 1) return 1;
  let sizes = 0;
  let least = 1;
  for (const { file } of inputs) {
    if (file === null) least = 7;
    else sizes += Number(file.stats.size);
  }
  return Math.max(least, String(sizes).length);
}

function row(counts: Counts, wanted: readonly Column[], width: number, shown: string): string {
  const numbers = wanted.map((column) => String(counts[column]).padStart(width)).join(" ");
  return `${numbers}${shown === "" ? "" : ` ${shown}`}\n`;
}

function addTo(total: Counts, counts: Counts): void {
  for (const column of columns) {
    total[column] =
      column === "longest" ? Math.max(total[column], counts[column]) : total[column] + counts[column];
  }
}

function countsOf(
  { access, io, output }: { access: FileAccess; io: CommandIo; output: Output },
  { file }: Input,
  wanted: readonly Column[],
): Promise<Counts> {
  if (file === null) return count(passingStdin(io), wanted, output);
  return withFile(access, file, (descriptor, { size }) => {
    // The size of a file is known without reading it.
    const isSizeOnly = wanted.every((column) => column === "bytes");
    if (isSizeOnly && size > 0n) return Promise.resolve({ ...noCounts(), bytes: Number(size) });
    return count(chunksOf(descriptor), wanted, output);
  });
}

async function count(
  chunks: Iterable<Buffer> | AsyncIterable<Buffer>,
  wanted: readonly Column[],
  output: Output,
): Promise<Counts> {
  if (wanted.every((column) => column === "lines" || column === "bytes")) {
    const counts = noCounts();
    for await (const chunk of chunks) {
      counts.bytes += chunk.length;
      if (wanted.includes("lines")) counts.lines += newlines(chunk);
      if (output.isDue) await output.flow();
    }
    return counts;
  }
  const counter = new Counter({ needsWidth: wanted.includes("longest") });
  for await (const chunk of chunks) {
    counter.add(chunk);
    if (output.isDue) await output.flow();
  }
  return counter.end();
}
