import type { BigIntStats } from "node:fs";
import type { FileAccess } from "../files/access.ts";
import { kindOf } from "../files/entry.ts";
import { childLocation, isWithin, lastName, parentLocation } from "../files/file-name.ts";
import { treeBelow } from "../files/tree.ts";
import { quoted } from "../permissions/quote.ts";
import type { RequiredPermission } from "../permissions/operation.ts";
import { CommandRefusal } from "./command.ts";
import type { GivenCommand, OptionTable, PathOperand, PrepareContext } from "./command.ts";
import { read, refusal, whyNoFile } from "./inputs.ts";
import { create, remove } from "./targets.ts";

/** What `cp` and `mv` share. */
export const copyOptions: OptionTable = {
  options: [
    { key: "target-directory", forms: ["-t", "--target-directory"], value: "PTH" },
    { key: "no-target-directory", forms: ["-T", "--no-target-directory"] },
    { key: "verbose", forms: ["-v", "--verbose"] },
    { key: "force", forms: ["-f", "--force"] },
    { key: "strip-trailing-slashes", forms: ["--strip-trailing-slashes"] },
  ],
  conflicts: [["target-directory", "no-target-directory"]],
};

/** One object, where it goes, and what stands there now. */
export interface MappedEntry {
  readonly source: { readonly location: string; readonly spelled: string; readonly stats: BigIntStats };
  readonly target: {
    readonly location: string;
    readonly spelled: string;
    readonly stats: BigIntStats | undefined;
  };
}

/** One source with everything in it, parents before children. */
export interface Mapping {
  readonly top: MappedEntry;
  readonly entries: readonly MappedEntry[];
}

interface MappingPlan {
  readonly mappings: readonly Mapping[];
  /** The operands with patterns replaced by their matches. */
  readonly shown: readonly { readonly shown: string }[];
}

/** Works out what goes where, and refuses everything that is not separate and plain. */
export async function mapOperands(
  name: "cp" | "mv",
  { options, operands }: GivenCommand,
  context: PrepareContext,
): Promise<MappingPlan> {
  const stray = operands.find(({ tag }) => tag !== "PTH");
  if (stray !== undefined)
    throw new CommandRefusal(`${name}: ${quoted(stray.text)} is no path; give it as PTH`);
  const into = options.get("target-directory");
  const sourceTokens = typeof into === "string" ? operands : operands.slice(0, -1);
  const destinationText = typeof into === "string" ? into : operands.at(-1)?.text;
  if (destinationText === undefined || sourceTokens.length === 0) {
    throw new CommandRefusal(`${name}: it needs at least one source and a destination`);
  }
  const sources: PathOperand[] = [];
  for (const { text } of sourceTokens) {
    const stripped = options.has("strip-trailing-slashes") ? text.replace(/(?<=[^/])\/+$/, "") : text;
    sources.push(...(await context.paths.source(stripped)));
  }
  const destination = await context.paths.literal(destinationText);
  const isInto = isIntoDirectory(name, options, sources, destination);
  const mappings = sources.map((source) =>
    mapSource(name, source, { destination, isInto }, options, context),
  );
  checkApart(name, mappings);
  const last = typeof into === "string" ? [] : [{ shown: destination.spelled }];
  return { mappings, shown: [...sources.map(({ spelled }) => ({ shown: spelled })), ...last] };
}

function isIntoDirectory(
  name: "cp" | "mv",
  options: ReadonlyMap<string, unknown>,
  sources: readonly PathOperand[],
  destination: PathOperand,
): boolean {
  const { stats, hasParent } = destination;
  const isDirectory = stats !== undefined && kindOf(stats) === "directory";
  if (options.has("target-directory") && !isDirectory) throw refusal(name, destination, "Not a directory");
  if (options.has("no-target-directory")) {
    if (sources.length > 1) throw new CommandRefusal(`${name}: with -T there can be only one source`);
    if (!hasParent) throw refusal(name, destination, "No such file or directory");
    return false;
  }
  if (sources.length > 1 && !isDirectory) {
    throw refusal(name, destination, "Several sources need an existing directory");
  }
  if (!hasParent) throw refusal(name, destination, "No such file or directory");
  return isDirectory;
}

function mapSource(
  name: "cp" | "mv",
  source: PathOperand,
  { destination, isInto }: { destination: PathOperand; isInto: boolean },
  options: ReadonlyMap<string, unknown>,
  context: PrepareContext,
): Mapping {
  const { stats } = source;
  if (stats === undefined) throw refusal(name, source, "No such file or directory");
  checkPlain(name, source.spelled, source.location, stats);
  const isDirectory = kindOf(stats) === "directory";
  if (isDirectory && name === "cp" && !options.has("recursive")) {
    throw refusal(name, source, "Is a directory; copying one needs -r");
  }
  if (!isDirectory && destination.asksForDirectory && destination.stats === undefined) {
    throw refusal(name, destination, "Not a directory");
  }
  const meansContents = /(?:^|\/)\.\.?\/*$/.test(source.spelled);
  if (name === "mv" && (meansContents || isWithin(context.access.base, source.location))) {
    throw refusal(name, source, "A directory that is in use cannot be moved");
  }
  const base = isInto && !meansContents ? lastName(source.location) : undefined;
  const location = base === undefined ? destination.location : childLocation(destination.location, base);
  const spelled = base === undefined ? destination.spelled : joined(destination.spelled, base);
  const top = mapEntry(
    name,
    { location: source.location, spelled: source.spelled, stats },
    { location, spelled },
    context.access,
  );
  const entries = [top];
  if (isDirectory) {
    for (const entry of treeBelow(context.access, source.location)) {
      context.signal.throwIfAborted();
      const below = entry.location.slice(source.location === "/" ? 1 : source.location.length + 1);
      const from = { location: entry.location, spelled: joined(source.spelled, below), stats: entry.stats };
      checkPlain(name, from.spelled, from.location, from.stats);
      entries.push(
        mapEntry(
          name,
          from,
          { location: childLocation(location, below), spelled: joined(spelled, below) },
          context.access,
        ),
      );
    }
  }
  checkMovable(name, top, context.access);
  return { top, entries };
}

function joined(directory: string, below: string): string {
  return `${directory.replace(/(?<=.)\/+$/, "")}${directory === "/" ? "" : "/"}${below}`;
}

function checkPlain(name: "cp" | "mv", spelled: string, location: string, stats: BigIntStats): void {
  const kind = kindOf(stats);
  if (kind === "directory" || (kind === "file" && stats.nlink === 1n)) return;
  throw new CommandRefusal(`${name}: ${quoted(spelled)}: ${whyNoFile(stats)}`, [read(location)]);
}

function mapEntry(
  name: "cp" | "mv",
  source: MappedEntry["source"],
  { location, spelled }: { location: string; spelled: string },
  access: FileAccess,
): MappedEntry {
  const stats = inspectTarget(access, location);
  if (stats !== undefined) {
    checkPlain(name, spelled, location, stats);
    const isSourceDirectory = kindOf(source.stats) === "directory";
    const isTargetDirectory = kindOf(stats) === "directory";
    if (isSourceDirectory !== isTargetDirectory) {
      const problem = isTargetDirectory
        ? "A file cannot replace a directory"
        : "A directory cannot replace a file";
      throw new CommandRefusal(`${name}: ${quoted(spelled)}: ${problem}`, [read(location)]);
    }
    if (!isTargetDirectory && stats.ino === source.stats.ino && stats.dev === source.stats.dev) {
      throw new CommandRefusal(
        `${name}: ${quoted(source.spelled)} and ${quoted(spelled)} are the same file`,
        [read(location)],
      );
    }
  }
  return { source, target: { location, spelled, stats } };
}

/** What stands at a target; nothing does when a directory on the way is still to be made. */
function inspectTarget(access: FileAccess, location: string): BigIntStats | undefined {
  const { hasParent, stats } = access.lookUp(location);
  return hasParent ? stats : undefined;
}

function checkMovable(name: "cp" | "mv", { source, target }: MappedEntry, access: FileAccess): void {
  if (name === "cp") return;
  const parent = access.at(parentLocation(target.location));
  if (parent.stats.dev !== source.stats.dev) {
    throw new CommandRefusal(
      `mv: ${quoted(source.spelled)} and ${quoted(target.spelled)} are on different file systems; copy it instead`,
      [read(source.location), create(target.location)],
    );
  }
  const isDirectory = target.stats !== undefined && kindOf(target.stats) === "directory";
  if (isDirectory && access.at(target.location).list().length > 0) {
    throw new CommandRefusal(`mv: ${quoted(target.spelled)}: Directory not empty`, [read(target.location)]);
  }
}

/** No source is taken twice, and no target is, lies in, or holds another target or any source. */
function checkApart(name: "cp" | "mv", mappings: readonly Mapping[]): void {
  const sources = new Set<string>();
  const targets = new Set<string>();
  for (const { top } of mappings) {
    const { source, target } = top;
    if (sources.has(source.location)) throw overlap(name, top, "is given twice");
    if (targets.has(target.location)) throw overlap(name, top, "would go where another source goes");
    sources.add(source.location);
    targets.add(target.location);
  }
  for (const { top } of mappings) {
    const { source, target } = top;
    const above = ancestorsOf(target.location);
    if (above.some((location) => targets.has(location)))
      throw overlap(name, top, "would go into the place of another");
    if (sources.has(target.location) || above.some((location) => sources.has(location))) {
      throw overlap(name, top, `would overlap with a source at ${quoted(target.spelled)}`);
    }
    if (ancestorsOf(source.location).some((location) => targets.has(location))) {
      throw overlap(name, top, "lies in a place that is written to");
    }
  }
}

function overlap(name: "cp" | "mv", { source, target }: MappedEntry, problem: string): CommandRefusal {
  return new CommandRefusal(`${name}: ${quoted(source.spelled)} ${problem}`, [
    read(source.location),
    create(target.location),
  ]);
}

function ancestorsOf(location: string): readonly string[] {
  const above: string[] = [];
  for (let at = location; at !== "/";) {
    at = parentLocation(at);
    above.push(at);
  }
  return above;
}

/** What an entry needs: taking the source, making the target, and giving up what stands there. */
export function mappingNeeds(name: "cp" | "mv", mappings: readonly Mapping[]): readonly RequiredPermission[] {
  return mappings.flatMap(({ entries }) =>
    entries.flatMap(({ source, target }) => {
      const needs =
        name === "cp" ? [read(source.location)] : [read(source.location), remove(source.location)];
      needs.push(create(target.location));
      if (target.stats !== undefined && (name === "mv" || kindOf(target.stats) !== "directory")) {
        needs.push(read(target.location), remove(target.location));
      }
      return needs;
    }),
  );
}
