import type { FileAccess } from "../files/access.ts";
import { isSame, kindOf } from "../files/entry.ts";
import { lastName, parentLocation } from "../files/file-name.ts";
import { FileChangedError } from "../files/system-error.ts";
import type { CommandDefinition } from "./command.ts";
import { fingerprintOf, shownArguments } from "./inputs.ts";
import { copyOptions, mapOperands } from "./mapping.ts";
import type { MappedEntry } from "./mapping.ts";
import { Output } from "./output.ts";
import { gnuQuoted } from "./targets.ts";

/** `mv`: renames files and directories within one file system. */
export const mv: CommandDefinition = {
  name: "mv",
  options: copyOptions,
  async prepare(command, context) {
    const { mappings, needs, shown } = await mapOperands("mv", command, context);
    return {
      needs,
      shown: shownArguments(command, shown),
      fingerprint: () =>
        fingerprintOf(
          mappings.flatMap(({ entries }) => entries.flatMap(({ source, target }) => [source, target])),
        ),
      async run(io) {
        const output = new Output("mv", io);
        for (const { top } of mappings) {
          const { source, target } = top;
          try {
            move(context.access, top);
            if (command.options.has("verbose")) {
              output.add(`renamed ${gnuQuoted(source.spelled)} -> ${gnuQuoted(target.spelled)}\n`);
            }
          } catch (error) {
            await output.complainAbout(
              `cannot move ${gnuQuoted(source.spelled)} to ${gnuQuoted(target.spelled)}`,
              error,
            );
          }
          if (output.isDue) await output.flow();
        }
        await output.flush();
        return output.status;
      },
    };
  },
};

function move(access: FileAccess, { source, target }: MappedEntry): void {
  const from = access.at(parentLocation(source.location));
  const to = access.at(parentLocation(target.location));
  const [name, targetName] = [lastName(source.location), lastName(target.location)];
  const moved = from.inspect(name);
  if (moved === undefined || !isSame(moved, source.stats)) throw new FileChangedError(source.location);
  const replaced = to.inspect(targetName);
  const isAsChecked =
    replaced === undefined || target.stats === undefined
      ? replaced === target.stats
      : isSame(replaced, target.stats);
  if (!isAsChecked) throw new FileChangedError(target.location);
  if (kindOf(source.stats) === "directory") {
    access.forget(source.location);
    access.forget(target.location);
  }
  from.rename(name, to, targetName);
}
