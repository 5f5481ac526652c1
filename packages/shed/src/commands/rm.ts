import { kindOf } from "../files/entry.ts";
import { isWithin } from "../files/file-name.ts";
import { systemCode } from "../files/system-error.ts";
import type { CommandDefinition, PathOperand } from "./command.ts";
import { CommandRefusal } from "./command.ts";
import { fingerprintOf, shownArguments } from "./inputs.ts";
import { Output } from "./output.ts";
import { doomedBy, itself, removalOperands, removeName } from "./removal.ts";
import type { Doomed } from "./removal.ts";
import { gnuQuoted, remove } from "./targets.ts";

/** `rm`: removes names. */
export const rm: CommandDefinition = {
  name: "rm",
  options: {
    options: [
      { key: "recursive", forms: ["-r", "-R", "--recursive"] },
      { key: "force", forms: ["-f", "--force"] },
    ],
  },
  async prepare(command, context) {
    const { options, operands } = command;
    const isForced = options.has("force");
    const targets = await removalOperands("rm", operands, context);
    if (targets.length === 0 && !isForced) throw new CommandRefusal("rm: missing operand");
    const isRecursive = options.has("recursive");
    const plans: { readonly target: PathOperand; readonly doomed: readonly Doomed[] }[] = [];
    for (const target of targets) {
      const takesTree = isRecursive && !endsInDots(target);
      plans.push({ target, doomed: takesTree ? await doomedBy("rm", target, context) : itself(target) });
    }
    return {
      needs: plans.flatMap(({ target, doomed }) =>
        target.stats === undefined
          ? [remove(target.location)]
          : doomed.map(({ location }) => remove(location)),
      ),
      shown: shownArguments(
        command,
        targets.map(({ spelled }) => ({ shown: spelled })),
      ),
      fingerprint: () => fingerprintOf(plans.flatMap(({ doomed }) => doomed)),
      async run(io) {
        const output = new Output("rm", io);
        const gone = new Set<string>();
        for (const { target, doomed } of plans) {
          const problem = whyKept(target, { isRecursive, isForced, isGone: gone.has(target.location) });
          if (problem !== undefined) {
            if (problem !== "") await output.complain(problem);
            continue;
          }
          await removeAll(target, doomed, gone);
        }
        return output.status;

        async function removeAll(
          target: PathOperand,
          doomed: readonly Doomed[],
          done: Set<string>,
        ): Promise<void> {
          // Children come after their parents in the plan, so its reverse empties each directory before removing it.
          const kept: string[] = [];
          for (let index = doomed.length - 1; index >= 0; index--) {
            const entry = doomed[index];
            if (entry === undefined || done.has(entry.location)) continue;
            if (kept.some((location) => isWithin(location, entry.location))) continue;
            try {
              removeName(context.access, entry);
              done.add(entry.location);
            } catch (error) {
              if (isForced && systemCode(error) === "ENOENT") continue;
              kept.push(entry.location);
              const shown =
                target.spelled.replace(/(?<=.)\/+$/, "") + entry.location.slice(target.location.length);
              await output.complainAbout(`cannot remove ${gnuQuoted(shown)}`, error);
            }
            if (output.isDue) await output.flow();
          }
        }
      },
    };
  },
};

function endsInDots({ spelled }: PathOperand): boolean {
  return /(?:^|\/)\.\.?\/*$/.test(spelled);
}

/** Why an operand is not removed; an empty text when nothing is to be said about it. */
function whyKept(
  target: PathOperand,
  { isRecursive, isForced, isGone }: { isRecursive: boolean; isForced: boolean; isGone: boolean },
): string | undefined {
  const shown = gnuQuoted(target.spelled);
  if (target.stats === undefined || isGone) {
    return isForced ? "" : `cannot remove ${shown}: No such file or directory`;
  }
  if (kindOf(target.stats) !== "directory") return undefined;
  if (!isRecursive) return `cannot remove ${shown}: Is a directory`;
  return endsInDots(target) ? `refusing to remove '.' or '..' directory: skipping ${shown}` : undefined;
}
