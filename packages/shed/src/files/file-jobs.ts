import { bestContainment, FileAccess } from "./access.ts";
import type { Containment } from "./access.ts";
import type { EntryKind, Identity } from "./entry.ts";
import { joinTexts, mostJoinedBytes } from "./joined-texts.ts";
import type { JoinedTexts } from "./joined-texts.ts";
import type { ListedEntry, OpenDirectory } from "./open-directory.ts";
import { systemSentence } from "./system-error.ts";

/** What a second thread is asked for. */
export type FileJob = { readonly containment: Containment } & (
  | { readonly kind: "list"; readonly locations: readonly string[] }
  | {
      readonly kind: "join";
      readonly directories: readonly FilesOfDirectory[];
      readonly words: string | undefined;
    }
);

/** What it answers. */
export type FileReply =
  | {
      readonly kind: "list";
      /** One for each directory; undefined where it could not be listed. */
      readonly listings: readonly (DirectoryListing | undefined)[];
    }
  | { readonly kind: "join"; readonly joined: JoinedTexts };

/** Files that were found in a directory. */
export interface FilesOfDirectory {
  readonly location: string;
  /** Which directory it has to be. */
  readonly identity: Identity;
  readonly names: readonly string[];
}

/** What a directory holds. As two texts, it goes from thread to thread at little cost. */
export interface DirectoryListing {
  readonly identity: Identity;
  /** Each name ends with a `/`. */
  readonly names: string;
  /** A digit for each name: its place in {@link kinds}. */
  readonly kinds: string;
}

const kinds: readonly EntryKind[] = ["file", "directory", "link", "special"];

function packed({ stats }: OpenDirectory, entries: readonly ListedEntry[]): DirectoryListing {
  const { dev, ino, birthtimeNs } = stats;
  return {
    identity: { dev, ino, birthtimeNs },
    names: entries.map(({ name }) => `${name}/`).join(""),
    kinds: entries.map(({ kind }) => kinds.indexOf(kind)).join(""),
  };
}

/** The entries of a listing that came from the other thread. */
export function entriesOf(listing: DirectoryListing): readonly ListedEntry[] {
  const names = listing.names.split("/");
  return Array.from(listing.kinds, (kind, index) => ({
    name: names[index] ?? "",
    kind: kinds[Number(kind)] ?? "special",
  }));
}

/** Does the jobs of a thread, one after the other. */
export class FileWork {
  readonly #space = Buffer.allocUnsafeSlow(mostJoinedBytes);

  /** @throws Error when this thread cannot contain what it does as the job wants it. */
  do(job: FileJob): FileReply {
    if (job.containment === "anchored" && bestContainment() !== "anchored")
      throw new Error("This thread has no descriptors to anchor its look-ups to");
    const access = new FileAccess({ base: "/", containment: job.containment });
    try {
      if (job.kind === "list")
        return { kind: "list", listings: job.locations.map((location) => listed(access, location)) };
      for (const { location, identity } of job.directories) access.expect(location, identity);
      const files = job.directories.flatMap(({ location, names }) =>
        names.map((name) => ({ location, name })),
      );
      const { words } = job;
      const open = ({ location, name }: (typeof files)[number]) => access.at(location).openAnyFile(name);
      return { kind: "join", joined: joinTexts(files, { space: this.#space, open, words }) };
    } finally {
      access.close();
    }
  }
}

function listed(access: FileAccess, location: string): DirectoryListing | undefined {
  try {
    const directory = access.at(location);
    return packed(directory, directory.list());
  } catch (error) {
    if (systemSentence(error) === undefined) throw error;
    return undefined;
  }
}
