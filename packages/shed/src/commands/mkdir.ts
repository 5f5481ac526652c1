import type { FileAccess } from "../files/access.ts";
import { kindOf } from "../files/entry.ts";
import { childLocation, lastName, parentLocation } from "../files/file-name.ts";
import { systemCode, systemError } from "../files/system-error.ts";
import type { CommandDefinition, PathOperand } from "./command.ts";
import { CommandRefusal } from "./command.ts";
import { fingerprintOf, refusal, shownArguments, whyNoFile } from "./inputs.ts";
import { Output } from "./output.ts";
import { create, endsInDot, gnuQuoted } from "./targets.ts";

/** A directory that is to be made on the way to an operand, or the operand itself. */
interface Step {
  readonly location: string;
  readonly spelled: string;
}

/** `mkdir`: makes directories. */
export const mkdir: CommandDefinition = {
  name: "mkdir",
  options: {
    options: [
      { key: "parents", forms: ["-p", "--parents"] },
      { key: "verbose", forms: ["-v", "--verbose"] },
    ],
  },
  async prepare(command, { access, paths }) {
    const { options, operands } = command;
    if (operands.length === 0) throw new CommandRefusal("mkdir: it needs at least one path");
    const withParents = options.has("parents");
    const targets: PathOperand[] = [];
    for (const { text, tag } of operands) {
      if (tag !== "PTH") throw new CommandRefusal(`mkdir: ${gnuQuoted(text)} is no path; give it as PTH`);
      const target = await paths.literal(text);
      if (target.stats !== undefined && kindOf(target.stats) !== "directory") {
        throw refusal(
          "mkdir",
          target,
          kindOf(target.stats) === "file" ? "File exists" : whyNoFile(target.stats),
        );
      }
      targets.push(target);
    }
    const steps = targets.map((target) => (withParents ? missingSteps(access, target) : []));
    return {
      needs: targets.flatMap(({ location }, index) => [
        ...(steps[index] ?? []).map((step) => create(step.location)),
        create(location),
      ]),
      shown: shownArguments(
        command,
        targets.map(({ spelled }) => ({ shown: spelled })),
      ),
      fingerprint: () => fingerprintOf(targets),
      async run(io) {
        const output = new Output("mkdir", io);
        const made = (spelled: string) => {
          if (options.has("verbose")) output.add(`mkdir: created directory ${gnuQuoted(spelled)}\n`);
        };
        for (const [index, target] of targets.entries()) {
          try {
            if (withParents) makeSteps(access, steps[index] ?? [], made);
            else {
              makeOne(access, target.spelled);
              made(target.spelled);
            }
          } catch (error) {
            await output.complainAbout(`cannot create directory ${gnuQuoted(target.spelled)}`, error);
          }
        }
        await output.flush();
        return output.status;
      },
    };
  },
};

/** Every directory that a path names and that is not there, also one that a later `..` leaves again. */
function missingSteps(access: FileAccess, { spelled }: PathOperand): readonly Step[] {
  const steps: Step[] = [];
  let location = spelled.startsWith("/") ? "/" : access.base;
  let isMissing = false;
  for (const [component, upTo] of componentsOf(spelled)) {
    if (component === "..") {
      location = parentLocation(location);
      isMissing = steps.some((step) => step.location === location);
      continue;
    }
    const parent = location;
    location = childLocation(location, component);
    if (steps.some((step) => step.location === location)) {
      isMissing = true;
      continue;
    }
    const stats = isMissing ? undefined : access.at(parent).inspect(component);
    if (stats !== undefined && kindOf(stats) !== "directory") {
      throw refusal(
        "mkdir",
        { spelled, location, stats, hasParent: true, asksForDirectory: true },
        "Not a directory",
      );
    }
    isMissing = stats === undefined;
    if (isMissing) steps.push({ location, spelled: upTo });
  }
  return steps;
}

/** The components of a path, each with the text of the path up to it; slashes at the end belong to the last. */
function* componentsOf(path: string): Generator<readonly [component: string, upTo: string]> {
  for (const match of path.matchAll(/([^/]+)(?:\/+$)?/g)) {
    const [whole, component = ""] = match;
    if (component !== ".") yield [component, path.slice(0, match.index + whole.length)];
  }
}

function makeSteps(access: FileAccess, steps: readonly Step[], made: (spelled: string) => void): void {
  for (const { location, spelled } of steps) {
    const directory = access.at(parentLocation(location));
    try {
      directory.makeDirectory(lastName(location));
      made(spelled);
    } catch (error) {
      const stats = systemCode(error) === "EEXIST" ? directory.inspect(lastName(location)) : undefined;
      if (stats === undefined || kindOf(stats) !== "directory") throw error;
    }
  }
}

function makeOne(access: FileAccess, spelled: string): void {
  const { location, stats, hasParent } = access.lookUp(spelled);
  if (!hasParent) throw systemError("ENOENT");
  if (stats !== undefined) throw systemError("EEXIST");
  if (endsInDot(spelled)) throw systemError("ENOENT");
  access.at(parentLocation(location)).makeDirectory(lastName(location));
}
