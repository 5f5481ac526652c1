import type { OptionTable } from "./command.ts";
import { inputChunks } from "./inputs.ts";
import type { Input } from "./inputs.ts";
import { readerCommand } from "./reader.ts";

/** What `head` and `tail` take. */
export const endOptions: OptionTable = {
  options: [
    { key: "lines", forms: ["-n", "--lines"], value: "ARG", isCount: true },
    { key: "bytes", forms: ["-c", "--bytes"], value: "ARG", isCount: true },
    { key: "quiet", forms: ["-q", "--quiet", "--silent"] },
    { key: "verbose", forms: ["-v", "--verbose"] },
  ],
  conflicts: [
    ["lines", "bytes"],
    ["quiet", "verbose"],
  ],
};

/** How much of each input is wanted; larger counts than any file has are one and the same. */
export interface Amount {
  readonly unit: "lines" | "bytes";
  readonly count: number;
}

export function amountOf(options: ReadonlyMap<string, string | true>): Amount {
  const unit = options.has("bytes") ? "bytes" : "lines";
  const given = options.get(unit);
  return { unit, count: typeof given === "string" ? Math.min(Number(given), Number.MAX_SAFE_INTEGER) : 10 };
}

/** Whether each input is named before it is shown. */
export function hasHeadings(options: ReadonlyMap<string, string | true>, inputs: number): boolean {
  return options.has("verbose") || (inputs > 1 && !options.has("quiet"));
}

export function heading({ file, shown }: Input, isFirst: boolean): string {
  return `${isFirst ? "" : "\n"}==> ${file === null ? "standard input" : shown} <==\n`;
}

/** `head`: the first lines or bytes of files. */
export const head = readerCommand({
  name: "head",
  unnamed: "-",
  options: endOptions,
  async show({ options, inputs, output, each, ...source }) {
    const amount = amountOf(options);
    const named = hasHeadings(options, inputs.length);
    await each(async (input, index) => {
      if (named) output.add(heading(input, index === 0));
      let { count } = amount;
      if (count === 0) return;
      for await (const chunk of inputChunks(source, input)) {
        const part = firstOf(chunk, { ...amount, count });
        await output.pass(part.bytes);
        count = part.left;
        if (count === 0) break;
      }
    });
  },
});

function firstOf(chunk: Buffer, { unit, count }: Amount): { bytes: Buffer; left: number } {
  if (unit === "bytes") {
    const bytes = chunk.subarray(0, count);
    return { bytes, left: count - bytes.length };
  }
  let left = count;
  let end = 0;
  while (left > 0) {
    const newline = chunk.indexOf(10, end);
    if (newline === -1) return { bytes: chunk, left };
    end = newline + 1;
    left--;
  }
  return { bytes: chunk.subarray(0, end), left };
}
