import { closeSync, constants } from "node:fs";
import type { BigIntStats } from "node:fs";
import { kindOf } from "../files/entry.ts";
import type { EntryKind } from "../files/entry.ts";
import type { FileAccess } from "../files/access.ts";
import { lastName, parentLocation } from "../files/file-name.ts";
import { chunksOf } from "../files/reading.ts";
import { quoted } from "../permissions/quote.ts";
import type { RequiredPermission } from "../permissions/operation.ts";
import { CommandRefusal } from "./command.ts";
import type {
  CommandIo,
  CommandName,
  CommandToken,
  GivenCommand,
  PathOperand,
  PrepareContext,
} from "./command.ts";

/** An existing ordinary file with one name. */
export interface CheckedFile extends PathOperand {
  readonly stats: BigIntStats;
}

/** What a reader reads: a file, or for `null` what the step before wrote. */
export interface Input {
  readonly shown: string;
  readonly file: CheckedFile | null;
}

export function read(location: string): RequiredPermission {
  return { operation: "read", location };
}

/** A refusal that tells something about one place. */
export function refusal(name: string, { spelled, location }: PathOperand, problem: string): CommandRefusal {
  return new CommandRefusal(`${name}: ${quoted(spelled)}: ${problem}`, [read(location)]);
}

/** Refuses everything but an ordinary file that has no second name. */
export function checkFile(name: string, operand: PathOperand): CheckedFile {
  const { stats } = operand;
  if (stats === undefined) throw refusal(name, operand, "No such file or directory");
  const kind = kindOf(stats);
  if (kind === "directory") throw refusal(name, operand, "Is a directory");
  if (kind !== "file" || stats.nlink > 1n) throw refusal(name, operand, whyNoFile(stats));
  return { ...operand, stats };
}

/** Why something that is no directory cannot be used like an ordinary file. */
export function whyNoFile(stats: BigIntStats): string {
  return whyNoKind(kindOf(stats));
}

/** The same by its kind; of a file it is that it has a second name. */
export function whyNoKind(kind: EntryKind): string {
  if (kind === "link") return "Symbolic links are not followed";
  if (kind === "special") return "Neither a regular file nor a directory";
  return "Has more than one hard link";
}

/** The operands of a command that reads: paths, patterns, and `["-", "ARG"]` for the step before. */
export async function readerInputs(
  name: CommandName,
  operands: readonly CommandToken[],
  { paths }: Pick<PrepareContext, "paths">,
): Promise<readonly Input[]> {
  const inputs: Input[] = [];
  for (const { text, tag } of operands) {
    if (tag === "PTH") {
      for (const operand of await paths.source(text)) {
        inputs.push({ shown: operand.spelled, file: checkFile(name, operand) });
      }
    } else if (text === "-") {
      inputs.push({ shown: "-", file: null });
    } else {
      throw new CommandRefusal(
        `${name}: ${quoted(text)} is no path; give files as PTH, and the step before as "-"`,
      );
    }
  }
  return inputs;
}

/** What reading the inputs needs. */
export function inputNeeds(inputs: readonly Input[]): readonly RequiredPermission[] {
  return inputs.flatMap(({ file }) => (file === null ? [] : [read(file.location)]));
}

/** The options as they were given, and the operands with every pattern replaced by what it matches. */
export function shownArguments(
  { tokens, operands }: Pick<GivenCommand, "tokens" | "operands">,
  prepared: readonly { readonly shown: string }[],
): readonly string[] {
  const options = tokens.slice(0, tokens.length - operands.length).map(({ text }) => text);
  return [...options, ...prepared.map(({ shown }) => shown)];
}

/** Text that differs when another object stands at one of the places. */
export function fingerprintOf(operands: Iterable<Pick<PathOperand, "location" | "stats">>): string {
  const lines: string[] = [];
  for (const { location, stats } of operands) {
    const identity =
      stats === undefined ? "none" : `${stats.dev}:${stats.ino}:${stats.birthtimeNs}:${stats.mode >> 12n}`;
    lines.push(`${JSON.stringify(location)} ${identity}`);
  }
  return lines.join("\n");
}

export function inputFingerprint(inputs: readonly Input[]): string {
  return fingerprintOf(inputs.flatMap(({ file }) => (file === null ? [] : [file])));
}

/** Opens the very file that was checked, for as long as `use` takes. */
export async function withFile<T>(
  access: FileAccess,
  { location, stats }: Pick<CheckedFile, "location" | "stats">,
  use: (descriptor: number, stats: BigIntStats) => Promise<T>,
): Promise<T> {
  const opened = access.at(parentLocation(location)).openFile(lastName(location), constants.O_RDONLY, stats);
  try {
    return await use(opened.descriptor, opened.stats);
  } finally {
    closeSync(opened.descriptor);
  }
}

/** The bytes of the step before, as buffers that are good until the next one is asked for. */
export async function* passingStdin(io: CommandIo): AsyncGenerator<Buffer, void> {
  if (io.stdin === null) return;
  for await (const bytes of io.stdin) yield Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The bytes of the step before, as buffers to keep. */
export async function* stdinChunks(io: CommandIo): AsyncGenerator<Buffer, void> {
  for await (const bytes of passingStdin(io)) yield Buffer.from(bytes);
}

/** The bytes of an input from its start, as buffers that are good until the next one is asked for. */
export async function* inputChunks(
  { access, io }: { access: FileAccess; io: CommandIo },
  { file }: Input,
): AsyncGenerator<Buffer, void> {
  if (file === null) {
    yield* passingStdin(io);
    return;
  }
  const { location, stats } = file;
  const { descriptor } = access
    .at(parentLocation(location))
    .openFile(lastName(location), constants.O_RDONLY, stats);
  try {
    yield* chunksOf(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
