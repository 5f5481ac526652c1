import type { BigIntStats } from "node:fs";

import { CommandRefusal, type PathOperand } from "../commands/command.ts";
import { kindOf } from "../files/entry.ts";
import { childLocation, compareNames, lastName, parentLocation } from "../files/file-name.ts";
import { LinkOnPathError, systemCode } from "../files/system-error.ts";
import { onDiskName } from "../files/on-disk-name.ts";
import type { ListedEntry } from "../files/open-directory.ts";
import { quoted } from "../permissions/quote.ts";
import { Pace } from "./pace.ts";
import type { PathTokenContext } from "./path-tokens.ts";
import { LookDenied } from "./visibility.ts";

/** A component of a pattern, and the separators before it. */
interface Component {
  readonly separator: string;
  readonly text: string;
  readonly isLast: boolean;
}

/** A directory, or at last any entry, that a pattern has reached. */
interface Reached {
  readonly location: string;
  readonly spelled: string;
}

/**
 * What a source pattern matches, in byte order: `*` within a name, one `**` before a slash for any number of visible
 * folders. Names that begin with a dot are matched only by components that begin with one.
 *
 * @throws {@link CommandRefusal} when nothing matches, or too much; {@link LinkOnPathError} for a link on the way;
 * errors of the operating system.
 */
export async function matchesOf(pattern: string, context: PathTokenContext): Promise<readonly PathOperand[]> {
  const { components, ending } = read(pattern, context.name);
  const isAbsolute = pattern.startsWith("/");
  const walk = new Walk(context, pattern);
  let reached: readonly Reached[] = [{ location: isAbsolute ? "/" : context.access.base, spelled: "" }];
  for (const component of components) {
    const next: Reached[] = [];
    for (const place of reached) {
      for await (const found of walk.step(place, component)) next.push(found);
      walk.checkCount(next.length);
    }
    reached = next;
  }
  const matches: PathOperand[] = [];
  for (const place of reached) {
    if (walk.isPauseDue) await walk.goOn();
    const operand = walk.operand(place, ending);
    if (operand !== undefined) matches.push(operand);
  }
  matches.sort((left, right) => compareNames(left.spelled, right.spelled));
  if (matches.length === 0) throw new CommandRefusal(`${context.name}: nothing matches: ${quoted(pattern)}`);
  return matches;
}

/** Takes a pattern apart; what it ends in, such as `/` or `/.`, stays with each match. */
function read(pattern: string, name: string): { components: readonly Component[]; ending: string } {
  const ending = /(?:\/\.{0,2})+$/.exec(pattern)?.[0] ?? "";
  const pieces = [...pattern.slice(0, pattern.length - ending.length).matchAll(/(\/*)([^/]+)/g)];
  const components = pieces.map(([, separator = "", text = ""], index) => ({
    separator,
    text,
    isLast: index === pieces.length - 1 && ending === "",
  }));
  const deep = components.filter((component) => isRun(component.text) && !component.isLast);
  if (deep.some(({ text }) => text.length > 2))
    throw new CommandRefusal(`${name}: ${quoted(pattern)}: three stars before a slash mean nothing; use **/`);
  if (deep.filter(isDeep).length > 1)
    throw new CommandRefusal(
      `${name}: ${quoted(pattern)}: only one **/ may stand in a path; split it into several paths`,
    );
  return { components, ending };
}

function isRun(text: string): boolean {
  return /^\*+$/.test(text);
}

function isDeep({ text, isLast }: Component): boolean {
  return text === "**" && !isLast;
}

/** One expansion. Where nothing may show, it passes over links and errors without a word. */
class Walk {
  readonly #context: PathTokenContext;
  readonly #pattern: string;
  readonly #pace = new Pace();

  constructor(context: PathTokenContext, pattern: string) {
    this.#context = context;
    this.#pattern = pattern;
  }

  get isPauseDue(): boolean {
    return this.#pace.isDue;
  }

  /** Lets others work now and then. @throws The signal's reason, or {@link CommandRefusal} when the time is over. */
  async goOn(): Promise<void> {
    const { signal } = this.#context;
    if (this.isPauseDue) await this.#pace.pause(signal);
    signal.throwIfAborted();
    this.#context.checkBudget();
  }

  checkCount(count: number): void {
    const { mostMatches = 100_000 } = this.#context;
    if (count > mostMatches)
      throw new CommandRefusal(
        `${this.#context.name}: ${quoted(this.#pattern)}: more than ${mostMatches} matches; narrow the pattern`,
      );
  }

  /** Where one component leads from a place that was reached. */
  async *step(place: Reached, component: Component): AsyncGenerator<Reached, void> {
    if (isDeep(component)) yield* this.#visibleFolders(place, component.separator);
    else if (component.text.includes("*")) yield* await this.#named(place, component);
    else yield* this.#exactly(place, component);
  }

  /** A place that the whole pattern has reached; undefined when it may not show, or its ending asks for a folder. */
  operand({ location: reached, spelled }: Reached, ending: string): PathOperand | undefined {
    if (!this.#mayShow(reached) || (spelled === "" && !this.#pattern.startsWith("/"))) return undefined;
    const stats = this.#inspect(reached);
    if (stats === undefined) return undefined;
    const kind = kindOf(stats);
    if (ending === "") return operandOf(spelled, reached, { stats, asksForDirectory: false });
    if (kind === "link") throw new LinkOnPathError(reached);
    if (kind !== "directory") return undefined;
    let location = reached;
    for (const part of ending.split("/")) if (part === "..") location = parentLocation(location);
    if (!this.#mayShow(location)) throw new LookDenied(location);
    return operandOf(`${spelled}${ending}`, location, {
      stats: this.#inspect(location),
      asksForDirectory: true,
    });
  }

  *#exactly(place: Reached, component: Component): Generator<Reached, void> {
    const { text, isLast } = component;
    const spelled = this.#joined(place, component);
    if (text === ".") yield { location: place.location, spelled };
    else if (text === "..") yield { location: parentLocation(place.location), spelled };
    else {
      const written = childLocation(place.location, text);
      const stats = this.#inspect(written);
      const location = stats === undefined ? written : this.#onDisk(place.location, text, stats);
      const kind = stats === undefined ? undefined : kindOf(stats);
      if (kind === "link" && !isLast) this.#meetLink(location);
      if (kind === "directory" || (kind !== undefined && isLast)) yield { location, spelled };
    }
  }

  #onDisk(directory: string, name: string, stats: BigIntStats): string {
    return childLocation(directory, onDiskName(this.#context.access.at(directory), name, stats));
  }

  async #named(place: Reached, component: Component): Promise<readonly Reached[]> {
    const { text, isLast } = component;
    const matches = starMatcher(text);
    const mayBeHidden = text.startsWith(".");
    const found: Reached[] = [];
    for (const { name, kind } of await this.#list(place.location)) {
      if ((name.startsWith(".") && !mayBeHidden) || !matches(name)) continue;
      const location = childLocation(place.location, name);
      if (kind === "link" && !isLast) this.#meetLink(location);
      if (kind === "directory" || isLast)
        found.push({ location, spelled: this.#joined(place, { ...component, text: name }) });
    }
    return found;
  }

  /** A folder and all visible folders below it. */
  async *#visibleFolders(top: Reached, separator: string): AsyncGenerator<Reached, void> {
    const waiting: Reached[] = [top];
    for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
      yield place;
      const joint = place === top ? separator : "/";
      for (const { name, kind } of await this.#list(place.location)) {
        if (name.startsWith(".")) continue;
        const location = childLocation(place.location, name);
        if (kind === "link") this.#meetLink(location);
        if (kind === "directory")
          waiting.push({ location, spelled: this.#joined(place, { separator: joint, text: name }) });
      }
      this.checkCount(waiting.length);
    }
  }

  /** A spelling with one more component; a relative one does not begin with a separator. */
  #joined({ spelled }: Reached, { separator, text }: Pick<Component, "separator" | "text">): string {
    return spelled === "" && !this.#pattern.startsWith("/") ? text : `${spelled}${separator}${text}`;
  }

  #mayShow(location: string): boolean {
    return this.#context.visibility.isVisible(location);
  }

  #meetLink(location: string): void {
    if (this.#mayShow(location)) throw new LinkOnPathError(location);
  }

  #inspect(location: string): BigIntStats | undefined {
    const { access } = this.#context;
    try {
      if (location === "/") return access.at(location).stats;
      return access.at(parentLocation(location)).inspect(lastName(location));
    } catch (error) {
      this.#passOver(location, error);
      return undefined;
    }
  }

  async #list(location: string): Promise<readonly ListedEntry[]> {
    await this.goOn();
    try {
      return this.#context.access.at(location).listUnsorted();
    } catch (error) {
      this.#passOver(location, error);
      return [];
    }
  }

  /** Lets an error pass when the place is missing or may not show; throws it otherwise. */
  #passOver(location: string, error: unknown): void {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return;
    if (code === undefined || this.#mayShow(location)) throw error;
  }
}

function operandOf(
  spelled: string,
  location: string,
  facts: Pick<PathOperand, "stats" | "asksForDirectory">,
): PathOperand {
  return { spelled, location, hasParent: true, ...facts };
}

/** Whether a name matches a component whose only special character is the star. */
function starMatcher(text: string): (name: string) => boolean {
  const [first = "", ...rest] = text.split(/\*+/);
  const last = rest.pop() ?? "";
  return (name) => {
    if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last))
      return false;
    let at = first.length;
    for (const piece of rest) {
      const found = name.indexOf(piece, at);
      if (found === -1) return false;
      at = found + piece.length;
    }
    return at <= name.length - last.length;
  };
}
