import { closeSync, constants } from "node:fs";
import type { FileAccess } from "../files/access.ts";
import { kindOf } from "../files/entry.ts";
import { isWithin, lastName, parentLocation } from "../files/file-name.ts";
import { chunksOf } from "../files/reading.ts";
import { UnfinishedFile } from "../files/write-file.ts";
import type { CommandDefinition } from "./command.ts";
import { fingerprintOf, shownArguments } from "./inputs.ts";
import { copyOptions, mapOperands } from "./mapping.ts";
import type { MappedEntry } from "./mapping.ts";
import { Output } from "./output.ts";
import { gnuQuoted } from "./targets.ts";

/** `cp`: copies files, and trees with `-r`. */
export const cp: CommandDefinition = {
  name: "cp",
  options: {
    ...copyOptions,
    options: [...copyOptions.options, { key: "recursive", forms: ["-r", "-R", "--recursive"] }],
  },
  async prepare(command, context) {
    const { options } = command;
    const { mappings, needs, shown } = await mapOperands("cp", command, context);
    const entries = mappings.flatMap((mapping) => mapping.entries);
    return {
      needs,
      shown: shownArguments(command, shown),
      fingerprint: () => fingerprintOf(entries.flatMap(({ source, target }) => [source, target])),
      async run(io) {
        const output = new Output("cp", io);
        const copy = new Copy(context.access, output, options.has("force"));
        try {
          for (const entry of entries) {
            if (copy.isSkipped(entry)) continue;
            try {
              const isNew = await copy.entry(entry);
              if (options.has("verbose") && isNew) {
                output.add(`${gnuQuoted(entry.source.spelled)} -> ${gnuQuoted(entry.target.spelled)}\n`);
              }
            } catch (error) {
              copy.skip(entry);
              await output.complainAbout(`cannot copy ${gnuQuoted(entry.source.spelled)}`, error);
            }
            if (output.isDue) await output.flow();
          }
        } finally {
          await copy.finish();
        }
        await output.flush();
        return output.status;
      },
    };
  },
};

class Copy {
  readonly #access: FileAccess;
  readonly #output: Output;
  readonly #isForced: boolean;
  readonly #skipped: string[] = [];
  /** Directories that get a narrower mode once they are full, innermost last. */
  readonly #narrowed: { location: string; spelled: string; mode: number }[] = [];

  constructor(access: FileAccess, output: Output, isForced: boolean) {
    this.#access = access;
    this.#output = output;
    this.#isForced = isForced;
  }

  skip({ source }: MappedEntry): void {
    if (kindOf(source.stats) === "directory") this.#skipped.push(source.location);
  }

  isSkipped({ source }: MappedEntry): boolean {
    return this.#skipped.some((location) => isWithin(source.location, location));
  }

  /** Copies one entry; gives whether it made something, as opposed to merging into a directory. */
  async entry({ source, target }: MappedEntry): Promise<boolean> {
    const mode = Number(source.stats.mode & 0o777n);
    if (kindOf(source.stats) !== "directory") {
      await this.#file(source, target, mode);
      return true;
    }
    if (target.stats !== undefined) return false;
    const parent = this.#access.at(parentLocation(target.location));
    parent.makeDirectory(lastName(target.location), mode | 0o700);
    const made = Number(this.#access.at(target.location).stats.mode & 0o777n);
    if ((mode & 0o700) !== 0o700) this.#narrowed.push({ ...target, mode: made & mode });
    return true;
  }

  /** Also when the work was given up: what was copied must not stay wider than what it is a copy of. */
  async finish(): Promise<void> {
    for (const { location, spelled, mode } of this.#narrowed.reverse()) {
      try {
        this.#access.at(location).setMode(mode);
      } catch (error) {
        await this.#output.complainAbout(`setting permissions for ${gnuQuoted(spelled)}`, error);
      }
    }
  }

  async #file(source: MappedEntry["source"], target: MappedEntry["target"], mode: number): Promise<void> {
    const from = this.#access
      .at(parentLocation(source.location))
      .openFile(lastName(source.location), constants.O_RDONLY, source.stats);
    try {
      const { location, stats } = target;
      const file = new UnfinishedFile(this.#access, location, {
        expected: stats,
        mode,
        isForced: this.#isForced,
      });
      try {
        for (const chunk of chunksOf(from.descriptor)) {
          file.write(chunk);
          if (this.#output.isDue) await this.#output.flow();
        }
        file.finish();
      } finally {
        file.close();
      }
    } finally {
      closeSync(from.descriptor);
    }
  }
}
