import { closeSync, constants } from "node:fs";
import type { BigIntStats } from "node:fs";
import type { FileAccess } from "../files/access.ts";
import { lastName, parentLocation } from "../files/file-name.ts";
import { systemSentence } from "../files/system-error.ts";
import { UnfinishedFile, writeAll } from "../files/write-file.ts";
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
    const operands: PathOperand[] = [];
    for (const { text: path } of destinations) operands.push(await paths.literal(path));
    for (const operand of operands) checkTarget("tee", operand);
    const append = command.options.has("append");
    return {
      needs: operands.flatMap(writeNeeds),
      shown: shownArguments(
        command,
        operands.map(({ spelled }) => ({ shown: spelled })),
      ),
      fingerprint: () => fingerprintOf(operands),
      async run(io) {
        const output = new Output("tee", io);
        const targets = await openAll(access, operands, output, append);
        if (targets === undefined) return output.status;
        try {
          for await (const chunk of chunksFor(io, text)) {
            for (const target of targets)
              await attempt(target, output, ({ file }) => {
                file.write(chunk);
              });
            await output.pass(chunk);
          }
          for (const target of new Set(targets))
            await attempt(target, output, ({ file }) => {
              file.finish();
            });
        } finally {
          for (const { file } of targets) file.close();
        }
        await output.flush();
        return output.status;
      },
    };
  },
};

interface Target {
  readonly operand: PathOperand;
  readonly file: UnfinishedFile | AddedToFile;
  hasFailed: boolean;
}

/** A file that keeps what it holds; what is added to it stands there at once. */
class AddedToFile {
  readonly #descriptor: number;
  #isOpen = true;

  constructor(access: FileAccess, location: string, expected: BigIntStats) {
    const directory = access.at(parentLocation(location));
    const flags = constants.O_WRONLY | constants.O_APPEND;
    this.#descriptor = directory.openFile(lastName(location), flags, expected).descriptor;
  }

  write(chunk: Uint8Array): void {
    writeAll(this.#descriptor, chunk);
  }

  finish(): void {
    this.close();
  }

  close(): void {
    if (this.#isOpen) closeSync(this.#descriptor);
    this.#isOpen = false;
  }
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

/** Opens every file before any is written; when one cannot be opened, none is. */
async function openAll(
  access: FileAccess,
  operands: readonly PathOperand[],
  output: Output,
  append: boolean,
): Promise<Target[] | undefined> {
  const open = new Map<string, Target>();
  for (const operand of operands) {
    const { location, stats, spelled } = operand;
    if (open.has(location)) continue;
    try {
      const file =
        append && stats !== undefined
          ? new AddedToFile(access, location, stats)
          : new UnfinishedFile(access, location, { expected: stats });
      open.set(location, { operand, file, hasFailed: false });
    } catch (error) {
      for (const { file } of open.values()) file.close();
      await output.complainAbout(spelled, error);
      return undefined;
    }
  }
  // A file that is named twice is added to twice.
  return append ? operands.flatMap(({ location }) => open.get(location) ?? []) : [...open.values()];
}

async function* chunksFor(io: CommandIo, text: string): AsyncGenerator<Buffer, void> {
  if (io.stdin !== null) yield* passingStdin(io);
  else if (text !== "") yield Buffer.from(text, "utf8");
}

/** Does something with a target; one that has failed is left as it is. */
async function attempt(target: Target, output: Output, act: (target: Target) => void): Promise<void> {
  if (target.hasFailed) return;
  try {
    act(target);
  } catch (error) {
    if (systemSentence(error) === undefined) throw error;
    target.hasFailed = true;
    await output.complainAbout(target.operand.spelled, error);
  }
}
