import { closeSync, constants, ftruncateSync } from "node:fs";
import type { FileAccess } from "../files/access.ts";
import { lastName, parentLocation } from "../files/file-name.ts";
import { systemSentence } from "../files/system-error.ts";
import { writeAll } from "../files/write-file.ts";
import { quoted } from "../permissions/quote.ts";
import type { CommandDefinition, CommandIo, CommandToken, PathOperand } from "./command.ts";
import { CommandRefusal } from "./command.ts";
import { fingerprintOf, passingStdin, shownArguments } from "./inputs.ts";
import { Output } from "./output.ts";
import { checkTarget, writeNeeds } from "./targets.ts";

/** `tee`: writes the step before, or a text, to files and onwards. */
export const tee: CommandDefinition = {
  name: "tee",
  options: { options: [{ key: "append", forms: ["-a", "--append"] }] },
  async prepare(command, { access, paths }) {
    const { text, destinations } = readOperands(command.operands);
    const targets: PathOperand[] = [];
    for (const { text: path } of destinations) targets.push(await paths.literal(path));
    for (const target of targets) checkTarget("tee", target);
    const append = command.options.has("append");
    return {
      needs: targets.flatMap(writeNeeds),
      shown: shownArguments(
        command,
        targets.map(({ spelled }) => ({ shown: spelled })),
      ),
      fingerprint: () => fingerprintOf(targets),
      async run(io) {
        const output = new Output("tee", io);
        const open = await openAll(access, targets, output, append);
        if (open === undefined) return output.status;
        try {
          for await (const chunk of chunksFor(io, text)) {
            for (const target of open) await writeTo(target, chunk, output);
            await output.pass(chunk);
          }
        } finally {
          for (const { descriptor } of new Set(open)) closeSync(descriptor);
        }
        await output.flush();
        return output.status;
      },
    };
  },
};

interface OpenTarget {
  readonly operand: PathOperand;
  readonly descriptor: number;
  hasFailed: boolean;
}

function readOperands(operands: readonly CommandToken[]): {
  text: string;
  destinations: readonly CommandToken[];
} {
  const [first] = operands;
  const text = first?.tag === "ARG" ? first.text : undefined;
  const destinations = text === undefined ? operands : operands.slice(1);
  const stray = destinations.find(({ tag }) => tag !== "PTH");
  if (stray !== undefined) {
    throw new CommandRefusal(
      `tee: ${quoted(stray.text)} is no path; it takes one text as ARG at most, and before the files`,
    );
  }
  return { text: text ?? "", destinations };
}

/** Opens every file before any is emptied; when one cannot be opened, none is changed. */
async function openAll(
  access: FileAccess,
  targets: readonly PathOperand[],
  output: Output,
  append: boolean,
): Promise<OpenTarget[] | undefined> {
  const open = new Map<string, OpenTarget>();
  const flags = constants.O_WRONLY | (append ? constants.O_APPEND : 0);
  for (const operand of targets) {
    const { location, stats, spelled } = operand;
    if (open.has(location)) continue;
    try {
      const directory = access.at(parentLocation(location));
      const name = lastName(location);
      const descriptor =
        stats === undefined
          ? directory.createFile(name, flags)
          : directory.openFile(name, flags, stats).descriptor;
      open.set(location, { operand, descriptor, hasFailed: false });
    } catch (error) {
      undo(access, open.values());
      await output.complainAbout(spelled, error);
      return undefined;
    }
  }
  if (!append) for (const { descriptor } of open.values()) ftruncateSync(descriptor, 0);
  // A file that is named twice is added to twice.
  return append ? targets.flatMap(({ location }) => open.get(location) ?? []) : [...open.values()];
}

function undo(access: FileAccess, open: Iterable<OpenTarget>): void {
  for (const { operand, descriptor } of open) {
    closeSync(descriptor);
    if (operand.stats === undefined)
      access.at(parentLocation(operand.location)).unlink(lastName(operand.location));
  }
}

async function* chunksFor(io: CommandIo, text: string): AsyncGenerator<Buffer, void> {
  if (io.stdin !== null) yield* passingStdin(io);
  else if (text !== "") yield Buffer.from(text, "utf8");
}

async function writeTo(target: OpenTarget, chunk: Buffer, output: Output): Promise<void> {
  if (target.hasFailed) return;
  try {
    writeAll(target.descriptor, chunk);
  } catch (error) {
    if (systemSentence(error) === undefined) throw error;
    target.hasFailed = true;
    await output.complainAbout(target.operand.spelled, error);
  }
}
