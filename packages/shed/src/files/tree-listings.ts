import type { FileAccess } from "./access.ts";
import { entriesOf } from "./file-jobs.ts";
import { childLocation } from "./file-name.ts";
import type { FileThread } from "./file-thread.ts";
import type { ListedEntry } from "./open-directory.ts";
import { sharedWork } from "./shared-work.ts";
import type { TreeName } from "./tree.ts";

/** How many directories one job lists. */
const directoriesInARow = 64;

/** What a directory holds, or why that cannot be told. */
type Listing = { readonly entries: readonly ListedEntry[] } | { readonly failure: unknown };

/** What the directories of a tree hold. */
export class TreeListings {
  readonly #access: FileAccess;
  readonly #top: string;
  readonly #listings = new Map<string, Listing>();

  private constructor(access: FileAccess, top: string) {
    this.#access = access;
    this.#top = top;
  }

  /**
   * Lists a directory and all directories below it. It takes one look for each, and a second thread helps where there are
   * many.
   *
   * @param pause - Called now and then; what it throws ends the work.
   */
  static async of(access: FileAccess, top: string, pause: () => void): Promise<TreeListings> {
    const tree = new TreeListings(access, top);
    const jobs: (readonly string[])[] = [[top]];
    const work = {
      here: (locations: readonly string[]) => {
        for (const location of locations) tree.#list(location);
        return locations;
      },
      there: async (thread: FileThread, locations: readonly string[]) =>
        (await tree.#listThere(thread, locations)) ? locations : undefined,
    };
    for await (const locations of sharedWork(jobs, work)) {
      pause();
      const below = locations.flatMap((location) => tree.#directoriesIn(location));
      for (let at = 0; at < below.length; at += directoriesInARow)
        jobs.push(below.slice(at, at + directoriesInARow));
    }
    return tree;
  }

  #list(location: string): void {
    try {
      this.#listings.set(location, { entries: this.#access.at(location).list() });
    } catch (failure) {
      this.#listings.set(location, { failure });
    }
  }

  async #listThere(thread: FileThread, locations: readonly string[]): Promise<boolean> {
    const reply = await thread.do({ kind: "list", containment: this.#access.containment, locations });
    if (reply?.kind !== "list") return false;
    for (const [index, location] of locations.entries()) {
      const listing = reply.listings[index];
      const isRight = listing !== undefined && this.#access.expect(location, listing.identity);
      if (isRight) this.#listings.set(location, { entries: entriesOf(listing) });
      else this.#list(location);
    }
    return true;
  }

  #directoriesIn(location: string): readonly string[] {
    const listing = this.#listings.get(location);
    if (listing === undefined || "failure" in listing) return [];
    return listing.entries.flatMap(({ name, kind }) =>
      kind === "directory" ? [childLocation(location, name)] : [],
    );
  }

  /**
   * The names below the top, in the order of `treeBelow`.
   *
   * @throws What came of listing a directory, when its turn has come.
   */
  *names(): Generator<TreeName, void> {
    const stack = [{ directory: this.#top, entries: this.#entriesOf(this.#top), next: 0 }];
    for (let level = stack.at(-1); level !== undefined; level = stack.at(-1)) {
      const listed = level.entries[level.next++];
      if (listed === undefined) {
        stack.pop();
        continue;
      }
      const { directory } = level;
      const { name, kind } = listed;
      const location = childLocation(directory, name);
      yield { location, directory, name, kind };
      if (kind === "directory")
        stack.push({ directory: location, entries: this.#entriesOf(location), next: 0 });
    }
  }

  #entriesOf(location: string): readonly ListedEntry[] {
    const listing = this.#listings.get(location);
    if (listing === undefined) throw new Error(`The directory was not listed: \`${location}\``);
    if ("failure" in listing) throw listing.failure;
    return listing.entries;
  }
}
