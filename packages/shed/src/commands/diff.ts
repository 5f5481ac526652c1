import type { BigIntStats } from "node:fs";
import type { FileAccess } from "../files/access.ts";
import { chunksOf } from "../files/reading.ts";
import type { CommandDefinition } from "./command.ts";
import { CommandRefusal } from "./command.ts";
import { changesBetween } from "./diff-edits.ts";
import { editsOf, normalFormat, textOf, unifiedFormat } from "./diff-text.ts";
import type { Text } from "./diff-text.ts";
import { inputFingerprint, inputNeeds, readerInputs, shownArguments, withFile } from "./inputs.ts";
import type { CheckedFile } from "./inputs.ts";
import { Output } from "./output.ts";

/** Both files are held in memory, a few times over. */
const largestBytes = 64 * 1024 * 1024;

interface Side {
  readonly file: CheckedFile;
  readonly bytes: Buffer;
  readonly stats: BigIntStats;
}

/** `diff`: how two files differ. */
export const diff: CommandDefinition = {
  name: "diff",
  options: {
    options: [
      { key: "unified", forms: ["-u", "--unified"] },
      { key: "brief", forms: ["-q", "--brief"] },
      { key: "report-identical", forms: ["-s", "--report-identical-files"] },
      { key: "ignore-case", forms: ["-i", "--ignore-case"] },
      { key: "ignore-space", forms: ["-w", "--ignore-all-space"] },
    ],
  },
  async prepare(command, context) {
    const { options, operands } = command;
    const inputs = await readerInputs("diff", operands, context);
    const files = inputs.flatMap(({ file }) => (file === null ? [] : [file]));
    const [left, right] = files;
    if (inputs.length !== 2 || left === undefined || right === undefined) {
      throw new CommandRefusal("diff: it needs exactly two files, and takes nothing from the step before");
    }
    return {
      needs: inputNeeds(inputs),
      shown: shownArguments(command, inputs),
      fingerprint: () => inputFingerprint(inputs),
      async run(io) {
        const output = new Output("diff", io);
        const sides: Side[] = [];
        for (const file of [left, right]) {
          try {
            const side = await readSide(context.access, file, output);
            if (side === undefined) await output.complain(`${file.spelled}: File too large to compare`, 2);
            else sides.push(side);
          } catch (error) {
            await output.complainAbout(file.spelled, error, 2);
          }
        }
        const [one, other] = sides;
        const status =
          one === undefined || other === undefined
            ? 0
            : await compare(one, other, new Set(options.keys()), output);
        await output.flush();
        return Math.max(status, output.status);
      },
    };
  },
};

async function readSide(access: FileAccess, file: CheckedFile, output: Output): Promise<Side | undefined> {
  return withFile(access, file, async (descriptor, stats) => {
    const chunks: Buffer[] = [];
    let size = 0;
    for (const chunk of chunksOf(descriptor)) {
      size += chunk.length;
      if (size > largestBytes) return undefined;
      chunks.push(Buffer.from(chunk));
      if (output.isDue) await output.flow();
    }
    return { file, bytes: Buffer.concat(chunks), stats };
  });
}

/** Compares two files and writes what there is to say; 0 when they are the same, 1 when not, 2 when it cannot tell how. */
async function compare(
  one: Side,
  other: Side,
  options: ReadonlySet<string>,
  output: Output,
): Promise<number> {
  const [left, right] = [one.file.spelled, other.file.spelled];
  const isSame = one.bytes.equals(other.bytes);
  const isBinary = [one, other].some(({ bytes }) => bytes.subarray(0, 4096).includes(0));
  const isLoose = options.has("ignore-case") || options.has("ignore-space");
  if (!isSame && isBinary) {
    output.add(`${options.has("brief") ? "Files" : "Binary files"} ${left} and ${right} differ\n`);
    return 1;
  }
  if (isSame || isBinary) return identical(left, right, options, output);
  if (options.has("brief") && !isLoose) {
    output.add(`Files ${left} and ${right} differ\n`);
    return 1;
  }
  const [text, otherText] = [textOf(one.bytes), textOf(other.bytes)];
  const numbers = numberLines(text, otherText, options);
  const changes = await changesBetween(numbers.left, numbers.right, () => output.flow());
  const edits = editsOf(changes);
  if (edits.length === 0) return identical(left, right, options, output);
  if (options.has("brief")) {
    output.add(`Files ${left} and ${right} differ\n`);
    return 1;
  }
  const isUnified = options.has("unified");
  if (isUnified)
    output.add(
      `--- ${headerName(left)}\t${timeText(one.stats)}\n+++ ${headerName(right)}\t${timeText(other.stats)}\n`,
    );
  for (const piece of (isUnified ? unifiedFormat : normalFormat)(edits, text, otherText)) {
    output.add(Buffer.from(piece, "latin1"));
    if (output.isDue) await output.flow();
  }
  return 1;
}

function identical(left: string, right: string, options: ReadonlySet<string>, output: Output): number {
  if (options.has("report-identical")) output.add(`Files ${left} and ${right} are identical\n`);
  return 0;
}

/** Gives equal lines equal numbers. A last line without a newline equals only another such line. */
function numberLines(
  left: Text,
  right: Text,
  options: ReadonlySet<string>,
): { left: number[]; right: number[] } {
  const known = new Map<string, number>();
  const ignoresSpace = options.has("ignore-space");
  const number = ({ lines, isCut }: Text): number[] =>
    lines.map((line, index) => {
      const spaced = ignoresSpace ? line.replace(/[\t\n\v\f\r ]+/g, "") : line;
      const folded = options.has("ignore-case")
        ? spaced.replace(/[A-Z]+/g, (text) => text.toLowerCase())
        : spaced;
      const isLastAndCut = isCut && index === lines.length - 1 && !ignoresSpace;
      const key = isLastAndCut ? `${folded}\n` : folded;
      const found = known.get(key) ?? known.size;
      known.set(key, found);
      return found;
    });
  return { left: number(left), right: number(right) };
}

/** A name in a header: quoted when it holds what could be taken for something else. */
function headerName(name: string): string {
  if (!/[\s"\\\p{Cc}]/u.test(name)) return name;
  const quoted = name.replace(/["\\\p{Cc}]/gu, (character) => {
    if (character === '"' || character === "\\") return `\\${character}`;
    return escapes[character] ?? `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`;
  });
  return `"${quoted}"`;
}

const escapes: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\v": "\\v",
  "\f": "\\f",
  "\r": "\\r",
};

/** The time of the last change, local, with nanoseconds and zone. */
function timeText({ mtimeNs }: BigIntStats): string {
  const date = new Date(Number(mtimeNs / 1_000_000n));
  const offset = -date.getTimezoneOffset();
  const local = new Date(date.getTime() + offset * 60_000).toISOString();
  const two = (value: number) => String(value).padStart(2, "0");
  const minutes = Math.abs(offset);
  const zone = `${offset < 0 ? "-" : "+"}${two(Math.trunc(minutes / 60))}${two(minutes % 60)}`;
  const nanoseconds = String(mtimeNs % 1_000_000_000n).padStart(9, "0");
  return `${local.slice(0, 10)} ${local.slice(11, 19)}.${nanoseconds} ${zone}`;
}
