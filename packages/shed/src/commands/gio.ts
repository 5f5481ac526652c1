import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { CommandDefinition } from "./command.ts";
import { CommandRefusal } from "./command.ts";
import { fingerprintOf } from "./inputs.ts";
import { Output } from "./output.ts";
import { doomedBy, removalOperands } from "./removal.ts";
import type { Doomed } from "./removal.ts";
import { remove } from "./targets.ts";
import { moveToTrash } from "./trash.ts";

/** `gio trash`: moves names to the trash of the person who runs the process. */
export const gio: CommandDefinition = {
  name: "gio",
  options: { options: [], hasNoEnd: true },
  async prepare(command, context) {
    const [word, ...operands] = command.operands;
    if (word?.tag !== "ARG" || word.text !== "trash") {
      throw new CommandRefusal('gio: only ["trash", "ARG"] is supported, followed by paths');
    }
    const targets = await removalOperands("gio", operands, context);
    const doomed: (readonly Doomed[])[] = [];
    for (const target of targets) doomed.push(await doomedBy("gio", target, context));
    const needs = targets.flatMap(({ location, stats }, index) =>
      stats === undefined ? [remove(location)] : (doomed[index] ?? []).map((entry) => remove(entry.location)),
    );
    return {
      needs: targets.length === 0 ? [remove(context.access.base)] : needs,
      shown: ["trash", ...targets.map(({ spelled }) => spelled)],
      fingerprint: () => fingerprintOf(doomed.flat()),
      async run(io) {
        const output = new Output("gio", io);
        if (targets.length === 0) await output.complain("trash: no files given");
        for (const { location, spelled, stats } of targets) {
          if (stats === undefined) {
            await output.complain(`trash: ${spelled}: No such file or directory`);
            continue;
          }
          try {
            const problem = moveToTrash(context.access, { location, stats }, trashFolder());
            if (problem !== undefined) await output.complain(`trash: ${spelled}: ${problem}`);
          } catch (error) {
            await output.complainAbout(`trash: ${spelled}`, error);
          }
          if (output.isDue) await output.flow();
        }
        return output.status;
      },
    };
  },
};

/** The home trash; `undefined` when nobody's home is known. XDG Base Directory Specification 0.8. */
function trashFolder(): string | undefined {
  const data = process.env["XDG_DATA_HOME"];
  if (data !== undefined && isAbsolute(data)) return join(data, "Trash");
  const home = process.env["HOME"] ?? homedir();
  return isAbsolute(home) ? join(home, ".local/share/Trash") : undefined;
}
