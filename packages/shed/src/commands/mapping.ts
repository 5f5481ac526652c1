import type { BigIntStats } from "node:fs";
import type { FileAccess } from "../files/access.ts";
import { kindOf } from "../files/entry.ts";
import { childLocation, isWithin, lastName, parentLocation } from "../files/file-name.ts";
import { onDiskName } from "../files/on-disk-name.ts";
import { systemSentence } from "../files/system-error.ts";
import { quoted } from "../permissions/quote.ts";
import type { RequiredPermission } from "../permissions/operation.ts";
import { CommandRefusal } from "./command.ts";
import type { GivenCommand, OptionTable, PathOperand, PrepareContext } from "./command.ts";
import { read, refusal, whyNoFile } from "./inputs.ts";
import { create, endsInDot, remove } from "./targets.ts";
import { joined, walkTree } from "./tree-walk.ts";

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
  readonly needs: readonly RequiredPermission[];
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
  const mapper = new Mapper({ name, options, destination, isInto, context });
  const mappings: Mapping[] = [];
  for (const source of sources) mappings.push(await mapper.map(source));
  checkApart(name, mappings);
  const last = typeof into === "string" ? [] : [{ shown: destination.spelled }];
  return {
    mappings,
    needs: mapper.needs,
    shown: [...sources.map(({ spelled }) => ({ shown: spelled })), ...last],
  };
}

function isIntoDirectory(
  name: "cp" | "mv",
  options: ReadonlyMap<string, unknown>,
  sources: readonly PathOperand[],
  destination: PathOperand,
): boolean {
  const { stats, hasParent } = destination;
  const isDirectory = stats !== undefined && kindOf(stats) === "directory";
  if (stats === undefined && endsInDot(destination.spelled))
    throw refusal(name, destination, "No such file or directory");
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

/** What is known when sources are mapped one after the other. */
interface MapperSettings {
  readonly name: "cp" | "mv";
  readonly options: ReadonlyMap<string, unknown>;
  readonly destination: PathOperand;
  readonly isInto: boolean;
  readonly context: PrepareContext;
}

/** Maps sources with everything in them, and keeps what that needs in the order in which it is judged. */
class Mapper {
  readonly #settings: MapperSettings;
  readonly #needs: RequiredPermission[] = [];

  constructor(settings: MapperSettings) {
    this.#settings = settings;
  }

  /** For each entry: taking the source, making the target, and giving up what stands there. */
  get needs(): readonly RequiredPermission[] {
    return this.#needs;
  }

  async map(source: PathOperand): Promise<Mapping> {
    const { name, options, destination, isInto, context } = this.#settings;
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
    const { location, spelled } = source;
    const below = isInto && !meansContents ? { directory: destination, name: lastName(location) } : undefined;
    try {
      const top = this.#entry({ location, spelled, stats }, below ?? destination);
      const entries = isDirectory ? [top, ...(await this.#below(top))] : [top];
      if (name === "mv") checkMovable(top, context.access);
      return { top, entries };
    } catch (error) {
      // What stands where nobody may look must not show in the reason: all that comes before it is judged first.
      if (!(error instanceof CommandRefusal)) throw error;
      throw new CommandRefusal(error.message, [...this.#needs, ...error.needs]);
    }
  }

  async #below(top: MappedEntry): Promise<readonly MappedEntry[]> {
    const { name, context } = this.#settings;
    const entries: MappedEntry[] = [];
    const targets = new Map([[top.source.location, top.target]]);
    const work = name === "cp" ? "Copy" : "Move";
    for await (const found of walkTree(top.source, context, { name, work })) {
      const { location, spelled, stats } = found;
      const directory = targets.get(found.directory);
      if (directory === undefined) throw new Error(`Nothing was mapped for \`${found.directory}\``);
      const entry = this.#entry({ location, spelled, stats }, { directory, name: found.name });
      if (found.kind === "directory") targets.set(location, entry.target);
      entries.push(entry);
    }
    return entries;
  }

  /** @param to - A place that was looked at, or a name in a directory that was, or that is still to be made. */
  #entry(
    source: MappedEntry["source"],
    to: MappedEntry["target"] | { readonly directory: MappedEntry["target"]; readonly name: string },
  ): MappedEntry {
    const { name } = this.#settings;
    this.#needs.push(read(source.location));
    if (name === "mv") this.#needs.push(remove(source.location));
    const target = "directory" in to ? this.#standing(to) : this.#made(to);
    checkPlain(name, source.spelled, source.location, source.stats);
    const entry = { source, target };
    if (target.stats !== undefined) checkReplaceable(name, entry, target.stats);
    if (target.stats !== undefined && (name === "mv" || kindOf(target.stats) !== "directory")) {
      this.#needs.push(read(target.location), remove(target.location));
    }
    return entry;
  }

  #made(target: MappedEntry["target"]): MappedEntry["target"] {
    this.#needs.push(create(target.location));
    return target;
  }

  /** What stands under a name; nothing does in a directory that is still to be made. */
  #standing({ directory, name }: { readonly directory: MappedEntry["target"]; readonly name: string }) {
    const { access } = this.#settings.context;
    const spelled = joined(directory.spelled, name);
    const target = this.#made({
      location: childLocation(directory.location, name),
      spelled,
      stats: undefined,
    });
    if (directory.stats === undefined) return target;
    try {
      const stats = access.at(directory.location).inspect(name);
      if (stats === undefined) return target;
      // Where a file system does not care for the spelling, another name may stand there than the one that was meant.
      const found = onDiskName(access.at(directory.location), name, stats);
      const standing = { location: childLocation(directory.location, found), spelled, stats };
      return found === name ? standing : this.#made(standing);
    } catch (error) {
      const sentence = systemSentence(error);
      if (sentence === undefined) throw error;
      throw new CommandRefusal(`${this.#settings.name}: ${quoted(spelled)}: ${sentence}`, [
        read(target.location),
      ]);
    }
  }
}

function checkPlain(name: "cp" | "mv", spelled: string, location: string, stats: BigIntStats): void {
  const kind = kindOf(stats);
  if (kind === "directory" || (kind === "file" && stats.nlink === 1n)) return;
  throw new CommandRefusal(`${name}: ${quoted(spelled)}: ${whyNoFile(stats)}`, [read(location)]);
}

/** Refuses what cannot, or must not, take the place of what stands at the target. */
function checkReplaceable(name: "cp" | "mv", { source, target }: MappedEntry, stats: BigIntStats): void {
  const { spelled, location } = target;
  checkPlain(name, spelled, location, stats);
  const isDirectory = kindOf(stats) === "directory";
  if (isDirectory !== (kindOf(source.stats) === "directory")) {
    const problem = isDirectory ? "A file cannot replace a directory" : "A directory cannot replace a file";
    throw new CommandRefusal(`${name}: ${quoted(spelled)}: ${problem}`, [read(location)]);
  }
  if (!isDirectory && stats.ino === source.stats.ino && stats.dev === source.stats.dev) {
    throw new CommandRefusal(`${name}: ${quoted(source.spelled)} and ${quoted(spelled)} are the same file`, [
      read(location),
    ]);
  }
}

/** Refuses what one rename cannot do. */
function checkMovable({ source, target }: MappedEntry, access: FileAccess): void {
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
