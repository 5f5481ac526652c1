import { bestContainment, FileAccess } from "./access.ts";
import type { Containment } from "./access.ts";
import type { Identity } from "./entry.ts";
import { joinTexts, mostJoinedBytes } from "./joined-texts.ts";
import type { JoinedTexts } from "./joined-texts.ts";
import {
  identityAt,
  noEntries,
  packEntries,
  packIdentities,
  packTexts,
  unpackTexts,
} from "./packed-entries.ts";
import { systemSentence } from "./system-error.ts";

/** What a second thread is asked for; texts are packed. */
export type FileJob = { readonly containment: Containment } & (
  | { readonly kind: "list"; readonly locations: string }
  | {
      readonly kind: "join";
      /** Of directories that hold the files. */
      readonly locations: string;
      /** Which directories they have to be. */
      readonly identities: BigInt64Array;
      /** For each directory the names of its files, each of which ends with a `/`. */
      readonly names: string;
      readonly words: string | undefined;
    }
);

/** What it answers. */
export type FileReply =
  | {
      readonly kind: "list";
      /** Those of directories that could be listed. */
      readonly identities: BigInt64Array;
      /** For each directory what {@link PackedEntries} has. */
      readonly names: string;
      readonly kinds: string;
    }
  | { readonly kind: "join"; readonly joined: JoinedTexts };

/** Does the jobs of a thread, one after the other. */
export class FileWork {
  readonly #space = Buffer.allocUnsafeSlow(mostJoinedBytes);

  /** @throws Error when this thread cannot contain what it does as the job wants it. */
  do(job: FileJob): FileReply {
    if (job.containment === "anchored" && bestContainment() !== "anchored")
      throw new Error("This thread has no descriptors to anchor its look-ups to");
    const access = new FileAccess({ base: "/", containment: job.containment });
    try {
      const locations = unpackTexts(job.locations);
      if (job.kind === "list") return listed(access, locations);
      const names = unpackTexts(job.names);
      const files: { readonly location: string; readonly name: string }[] = [];
      for (const [index, location] of locations.entries()) {
        const identity = identityAt(job.identities, index);
        if (identity === undefined) throw new Error("Nobody knows which directory it has to be");
        access.expect(location, identity);
        for (const name of (names[index] ?? "").split("/")) if (name !== "") files.push({ location, name });
      }
      const { words } = job;
      const open = ({ location, name }: (typeof files)[number]) => access.at(location).openAnyFile(name);
      return { kind: "join", joined: joinTexts(files, { space: this.#space, open, words }) };
    } finally {
      access.close();
    }
  }
}

function listed(access: FileAccess, locations: readonly string[]): FileReply {
  const identities: (Identity | undefined)[] = [];
  const [names, kinds]: [string[], string[]] = [[], []];
  for (const location of locations) {
    let entries = noEntries;
    let identity: Identity | undefined;
    try {
      const directory = access.at(location);
      entries = packEntries(directory.list());
      identity = directory.stats;
    } catch (error) {
      if (systemSentence(error) === undefined) throw error;
    }
    identities.push(identity);
    names.push(entries.names);
    kinds.push(entries.kinds);
  }
  return {
    kind: "list",
    identities: packIdentities(identities),
    names: packTexts(names),
    kinds: packTexts(kinds),
  };
}
