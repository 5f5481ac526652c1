import type { BigIntStats } from "node:fs";
import type { FileAccess } from "../files/access.ts";
import { kindOf } from "../files/entry.ts";
import { childLocation, parentLocation } from "../files/file-name.ts";
import { systemSentence } from "../files/system-error.ts";
import type { CommandDefinition, CommandIo, PathOperand } from "./command.ts";
import { fingerprintOf, read, refusal, whyNoFile } from "./inputs.ts";
import { readListTokens } from "./ls-options.ts";
import type { ListStyle } from "./ls-options.ts";
import { rowsOf, sortListed, totalOf } from "./ls-rows.ts";
import type { Listed } from "./ls-rows.ts";
import { Output } from "./output.ts";
import { gnuQuoted } from "./targets.ts";

/** Refuses what a listing may not start from. */
export function checkRoot(name: "ls" | "find", operand: PathOperand): void {
  const { stats } = operand;
  if (stats === undefined || kindOf(stats) === "directory") return;
  if (kindOf(stats) !== "file" || stats.nlink > 1n) throw refusal(name, operand, whyNoFile(stats));
}

interface Folder {
  readonly location: string;
  readonly spelled: string;
}

/** `ls`: lists directories. Entries that may not be read are left out. */
export const ls: CommandDefinition = {
  name: "ls",
  options: null,
  async prepare({ tokens }, { access, paths }) {
    const { style, paths: texts } = readListTokens(tokens);
    const roots: PathOperand[] = [];
    for (const text of texts) roots.push(...(await paths.source(text)));
    if (roots.length === 0) roots.push(await paths.literal("."));
    for (const root of roots) checkRoot("ls", root);
    return {
      needs: roots.map(({ location }) => read(location)),
      shown: [
        ...tokens.filter(({ tag }) => tag !== "PTH").map(({ text }) => text),
        ...(texts.length === 0 ? [] : roots.map(({ spelled }) => spelled)),
      ],
      fingerprint: () => fingerprintOf(roots),
      run: async (io) => new Listing(access, style, io).run(roots),
    };
  },
};

class Listing {
  readonly #access: FileAccess;
  readonly #style: ListStyle;
  readonly #io: CommandIo;
  readonly #output: Output;
  readonly #nowMs = Date.now();
  #hasWritten = false;

  constructor(access: FileAccess, style: ListStyle, io: CommandIo) {
    this.#access = access;
    this.#style = style;
    this.#io = io;
    this.#output = new Output("ls", io);
  }

  async run(roots: readonly PathOperand[]): Promise<number> {
    const plain: (Listed & Folder)[] = [];
    const folders: (Listed & Folder)[] = [];
    for (const { spelled, location, stats } of roots) {
      if (stats === undefined) {
        await this.#output.complain(`cannot access ${gnuQuoted(spelled)}: No such file or directory`, 2);
        continue;
      }
      const isFolder = kindOf(stats) === "directory" && !this.#style.isDirectoryItself;
      (isFolder ? folders : plain).push({ name: spelled, spelled, location, stats });
    }
    if (plain.length > 0)
      this.#write(rowsOf(sortListed(plain, this.#style), this.#style, this.#nowMs, folders));
    const isHeaded = roots.length > 1 || this.#style.isRecursive;
    for (const folder of sortListed(folders, this.#style)) await this.#folders(folder, isHeaded);
    await this.#output.flush();
    return this.#output.status;
  }

  #write(text: string): void {
    this.#output.add(text);
    this.#hasWritten = true;
  }

  /** Lists a directory and, if wanted, all below it; the next directories wait in a list, so depth is no limit. */
  async #folders(first: Folder, isHeaded: boolean): Promise<void> {
    const waiting: Folder[] = [first];
    for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
      try {
        const entries = this.#entriesOf(folder.location);
        if (isHeaded) this.#write(`${this.#hasWritten ? "\n" : ""}${folder.spelled}:\n`);
        if (this.#style.isLong || this.#style.withBlocks) this.#write(totalOf(entries, this.#style));
        this.#write(rowsOf(entries, this.#style, this.#nowMs));
        if (this.#style.isRecursive) waiting.push(...foldersIn(entries, folder).reverse());
      } catch (error) {
        if (systemSentence(error) === undefined) throw error;
        const status = folder === first ? 2 : 1;
        await this.#output.complainAbout(`cannot open directory ${gnuQuoted(folder.spelled)}`, error, status);
      }
      if (this.#output.isDue) await this.#output.flow();
    }
  }

  #entriesOf(location: string): readonly Listed[] {
    const { hidden, sort, isLong } = this.#style;
    const directory = this.#access.at(location);
    const listed = sort === "none" ? directory.listUnsorted() : directory.list();
    const entries: Listed[] = hidden === "all" ? this.#selfAndParent(location) : [];
    let leftOut = 0;
    for (const { name } of listed) {
      if (hidden === "none" && name.startsWith(".")) continue;
      if (!this.#io.mayRead(childLocation(location, name))) {
        leftOut++;
        continue;
      }
      const stats = this.#access.at(location).inspect(name);
      if (stats === undefined) continue;
      entries.push({ name, stats, link: isLong ? this.#linkText(location, name, stats) : undefined });
    }
    if (leftOut > 0) this.#io.leftOut(leftOut);
    return sortListed(entries, this.#style);
  }

  /** The parent's size, owner and times are the parent's own affair where that may not be read. */
  #selfAndParent(location: string): Listed[] {
    const self = { name: ".", stats: this.#access.at(location).stats };
    const parent = parentLocation(location);
    if (this.#io.mayRead(parent)) return [self, { name: "..", stats: this.#access.at(parent).stats }];
    const { isLong, withInode, withBlocks, sort } = this.#style;
    const showsMore = isLong || withInode || withBlocks || sort === "time" || sort === "size";
    return showsMore ? [self] : [self, { name: "..", stats: self.stats }];
  }

  #linkText(location: string, name: string, stats: BigIntStats): string | undefined {
    return kindOf(stats) === "link" ? this.#access.at(location).readLink(name) : undefined;
  }
}

function foldersIn(entries: readonly Listed[], { location, spelled }: Folder): Folder[] {
  return entries
    .filter(({ name, stats }) => kindOf(stats) === "directory" && name !== "." && name !== "..")
    .map(({ name }) => ({
      location: childLocation(location, name),
      spelled: spelled.endsWith("/") ? spelled + name : `${spelled}/${name}`,
    }));
}
