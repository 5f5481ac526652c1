import { closeSync, constants } from "node:fs";
import type { FileAccess } from "../files/access.ts";
import { lastName, parentLocation } from "../files/file-name.ts";
import type { FileThread } from "../files/file-thread.ts";
import { joinTexts, mostJoinedBytes } from "../files/joined-texts.ts";
import type { JoinedTexts, OpenedFile } from "../files/joined-texts.ts";
import { packIdentities, packTexts } from "../files/packed-entries.ts";
import { sharedWork } from "../files/shared-work.ts";
import { FileChangedError, systemCode, systemSentence } from "../files/system-error.ts";
import type { Output } from "./output.ts";
import type { ProgramName } from "./programs.ts";
import { hasMoreNames } from "./search-plan.ts";
import { FileShare, sharesOf } from "./search-shares.ts";
import type { Share } from "./search-shares.ts";
import { FoundFiles, inOrder, TreeFile } from "./search-tree.ts";
import type { Searched, ShownTree } from "./search-tree.ts";

/** What a search goes through, in order: files that were named, files that were found in a tree, the step before. */
export type SearchItem = FileItem | FoundFiles;
export type FileItem = Searched | "stdin";

/** Files that were looked at, and their text. */
interface Looked {
  readonly share: Share;
  readonly joined: JoinedTexts;
}

/**
 * The files of a search, looked at before any of them is searched by itself: each is opened through its directory, must
 * be an ordinary file with one name, and is then read as part of one long text, file after file. Where a line of it
 * matches, the file is worth to be searched by itself.
 */
export class SearchTexts {
  readonly #name: ProgramName;
  readonly #access: FileAccess;
  readonly #output: Output;
  readonly #items: readonly SearchItem[];
  /** Files that were not looked at. */
  readonly #left: Share[];
  /** Files that are searched by themselves whatever the text says: large, binary, or not to be read. */
  readonly #apart = new Set<Searched>();
  /** Files of the text in order, and where each begins in it. */
  readonly #joined: Searched[] = [];
  readonly #starts: number[] = [];
  readonly #matched = new Set<Searched>();
  #size = 0;
  #cursor = 0;

  constructor(
    name: ProgramName,
    items: readonly SearchItem[],
    { access, output }: { access: FileAccess; output: Output },
  ) {
    this.#name = name;
    this.#items = items;
    this.#access = access;
    this.#output = output;
    this.#left = sharesOf(items.filter((item) => item !== "stdin"));
  }

  /**
   * Looks at files that are not searched, and still must not have a second name.
   *
   * @throws CommandRefusal for one that has.
   */
  async passOver(trees: readonly FoundFiles[]): Promise<void> {
    for (const tree of trees) {
      for (const directory of tree.directories) {
        for (const file of directory.files()) {
          if (this.#isLinked(file)) this.#refuse(tree.files().find((other) => this.#isLinked(other)) ?? file);
          if (this.#output.isDue) await this.#output.flow();
        }
      }
    }
  }

  /**
   * The text, in blocks; each file is looked at when its turn comes. A second thread helps where there are many.
   *
   * @throws CommandRefusal for a file of a tree that has more than one name.
   */
  async *blocks(): AsyncGenerator<Uint8Array, void> {
    for await (const looked of this.#looks(undefined)) {
      this.#noteText(looked);
      if (looked.joined.text.length > 0) yield looked.joined.text;
    }
  }

  /**
   * Finds the files that hold some words, which have no line break. Each file is looked at as by {@link blocks}.
   *
   * @throws CommandRefusal as {@link blocks} does.
   */
  async find(words: string): Promise<void> {
    for await (const { share, joined } of this.#looks(words)) {
      for (const file of chosen(share, joined.files)) this.#matched.add(file);
    }
  }

  async *#looks(words: string | undefined): AsyncGenerator<Looked, void> {
    const space = Buffer.allocUnsafeSlow(mostJoinedBytes);
    const open = (file: Searched) => this.#open(file);
    const work = {
      here: (share: Share) => ({ share, joined: joinTexts(share.files(), { space, open, words }) }),
      there: (thread: FileThread, share: Share) => this.#joinThere(thread, share, words),
    };
    for await (const looked of sharedWork(this.#left, work)) {
      const { share, joined } = looked;
      if (joined.hasSecondName) this.#refuseFirst(share.at(joined.taken - 1));
      if (joined.taken < share.count) this.#left.push(new FileShare(share.files().slice(joined.taken)));
      for (const file of chosen(share, joined.apart)) this.#apart.add(file);
      yield looked;
      if (this.#output.isDue) await this.#output.flow();
    }
  }

  /**
   * Looks at the files whose turn has not come, without reading them.
   *
   * @throws CommandRefusal as {@link blocks} does.
   */
  async look(): Promise<void> {
    for (const share of this.#left.splice(0)) {
      for (const file of share.files()) {
        if (this.#hasSecondName(file)) this.#refuseFirst(file);
        if (this.#output.isDue) await this.#output.flow();
      }
    }
  }

  /** Notes that a line matches which begins at this place of the text; places come in order. */
  matchAt(place: number): void {
    while ((this.#starts[this.#cursor + 1] ?? Number.POSITIVE_INFINITY) <= place) this.#cursor += 1;
    const file = this.#joined[this.#cursor];
    if (file !== undefined) this.#matched.add(file);
  }

  /** The items that may hold a match, as far as is known. */
  mayMatch(): readonly FileItem[] {
    const worth = new Set([...this.#matched, ...this.#apart]);
    const found = new Map<ShownTree, TreeFile[]>();
    for (const file of worth) {
      if (!(file instanceof TreeFile)) continue;
      const ofTree = found.get(file.tree);
      if (ofTree === undefined) found.set(file.tree, [file]);
      else ofTree.push(file);
    }
    return this.#items.flatMap((item): readonly FileItem[] => {
      if (item instanceof FoundFiles) return inOrder(found.get(item.tree) ?? []);
      return item === "stdin" || worth.has(item) ? [item] : [];
    });
  }

  #noteText({ share, joined }: Looked): void {
    for (const start of joined.starts) this.#starts.push(this.#size + start);
    for (const file of chosen(share, joined.files)) this.#joined.push(file);
    this.#size += joined.text.length;
  }

  /** Names the first file that has a second name, whichever was met first. */
  #refuseFirst(met: Searched | undefined): void {
    for (const file of filesOf(this.#items)) {
      if (file === "stdin") continue;
      if (file.location === met?.location || this.#hasSecondName(file)) this.#refuse(file);
    }
  }

  #refuse(file: Searched): never {
    throw hasMoreNames(this.#name, file);
  }

  /** Looks at a file that is not opened. Where its directory has gone, nothing is left that could be searched. */
  #isLinked(file: TreeFile): boolean {
    if (file.stats !== undefined) return false;
    try {
      const stats = this.#access.at(file.directory).inspect(file.name);
      return stats !== undefined && stats.nlink > 1n && !stats.isDirectory();
    } catch (error) {
      if (error instanceof FileChangedError || systemCode(error) === "ENOENT") return false;
      throw error;
    }
  }

  /** Opens and checks a file; what goes wrong is told when it is searched by itself. */
  #hasSecondName(file: Searched): boolean {
    try {
      const { descriptor, names } = this.#open(file);
      closeSync(descriptor);
      return names > 1;
    } catch (error) {
      if (systemSentence(error) === undefined) throw error;
      this.#apart.add(file);
      return false;
    }
  }

  #open(file: Searched): OpenedFile {
    if (file instanceof TreeFile && file.stats === undefined)
      return this.#access.at(file.directory).openAnyFile(file.name);
    const { location, stats } = file;
    const directory = this.#access.at(parentLocation(location));
    const opened = directory.openFile(lastName(location), constants.O_RDONLY, stats);
    return { descriptor: opened.descriptor, size: Number(opened.stats.size), names: 1 };
  }

  /** Undefined when the thread cannot do it. */
  async #joinThere(thread: FileThread, share: Share, words: string | undefined): Promise<Looked | undefined> {
    const directories = share.names();
    if (directories === undefined) return undefined;
    const locations = directories.map(({ location }) => location);
    const identities = locations.map((location) => this.#access.identityOf(location));
    if (identities.includes(undefined)) return undefined;
    const reply = await thread.do({
      kind: "join",
      containment: this.#access.containment,
      locations: packTexts(locations),
      identities: packIdentities(identities),
      names: packTexts(directories.map(({ names }) => names)),
      words,
    });
    return reply?.kind === "join" ? { share, joined: reply.joined } : undefined;
  }
}

/** More are looked up faster when all files of the share are known. */
const fewPlaces = 8;

function chosen(share: Share, places: readonly number[]): readonly Searched[] {
  if (places.length > fewPlaces) share.files();
  return places.flatMap((place) => share.at(place) ?? []);
}

/** All files of a search, in order. */
export function filesOf(items: readonly SearchItem[]): readonly FileItem[] {
  return items.flatMap((item): readonly FileItem[] => (item instanceof FoundFiles ? item.files() : [item]));
}
