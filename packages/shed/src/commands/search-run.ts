import { closeSync, constants } from "node:fs";
import type { FileAccess } from "../files/access.ts";
import { lastName, parentLocation } from "../files/file-name.ts";
import { freeDescriptors } from "../files/free-descriptors.ts";
import type { CommandIo } from "./command.ts";
import { stdinChunks } from "./inputs.ts";
import { Output } from "./output.ts";
import { programPath, programRemedy } from "./programs.ts";
import type { ProgramName } from "./programs.ts";
import {
  canFilter,
  filterArguments,
  formOf,
  hasContext,
  searchArguments,
  wordsOf,
} from "./search-options.ts";
import { SearchOutput } from "./search-output.ts";
import { SearchProcess } from "./search-process.ts";
import type { Ended } from "./search-process.ts";
import { filesOf, SearchTexts } from "./search-texts.ts";
import type { FileItem, SearchItem } from "./search-texts.ts";
import { FoundFiles, TreeFile } from "./search-tree.ts";
import type { Searched } from "./search-tree.ts";

export interface Search {
  readonly name: ProgramName;
  readonly options: ReadonlyMap<string, string | true>;
  readonly pattern: string;
  readonly hasNames: boolean;
  /** More arguments for the program. */
  readonly more: readonly string[];
  /** Whether the program treats files of a tree differently from files that are named to it. */
  readonly tellsFoundFiles: boolean;
}

/** What a search is about. */
export interface SearchedItems {
  readonly items: readonly SearchItem[];
  /** Files of its trees that are ignored or hidden. Even these must not have a second name. */
  readonly passedOver: readonly FoundFiles[];
}

/** Fewer files are handed to the program at once. */
const fewFiles = 48;

const descriptorFolder = process.platform === "linux" ? "/proc/self/fd" : "/dev/fd";
const firstDescriptor = 3;

interface Running {
  readonly process: SearchProcess;
  readonly names: ReadonlyMap<string, string>;
  readonly isTree: boolean;
}

/**
 * Searches with the real program. It is never given a path: each file is opened here, and checked. Of very many files,
 * it is first found out in which of them anything can match: words are looked for here, and for any other pattern the
 * program reads the texts, one after the other as one input. The rest is done with the descriptors of these files, so many at a time as this process may hold.
 *
 * @throws {@link CommandRefusal} for a file of a tree that has a second name; nothing was written then, and nothing runs on.
 */
export async function runSearch(
  search: Search,
  searched: SearchedItems,
  { access, io }: { access: FileAccess; io: CommandIo },
): Promise<number> {
  const program = programPath(search.name, access.base);
  const output = new Output(search.name, io);
  if (program === undefined) {
    await output.complain(programRemedy(search.name), 127);
    return output.status;
  }
  const run = new SearchRun(search, program, access, io, output);
  const items = await run.worthwhile(searched);
  return items === undefined ? 1 : run.through(items);
}

class SearchRun {
  readonly #search: Search;
  readonly #program: string;
  readonly #access: FileAccess;
  readonly #io: CommandIo;
  readonly #output: Output;
  readonly #said = new Set<string>();
  #hasMatched = false;
  #hasWritten = false;

  constructor(search: Search, program: string, access: FileAccess, io: CommandIo, output: Output) {
    this.#search = search;
    this.#program = program;
    this.#access = access;
    this.#io = io;
    this.#output = output;
  }

  /** Looks at every file, and leaves out those in which nothing can match. Undefined when it is known that nothing does. */
  async worthwhile({ items, passedOver }: SearchedItems): Promise<readonly FileItem[] | undefined> {
    const { name, options, pattern } = this.#search;
    const texts = new SearchTexts(name, items, { access: this.#access, output: this.#output });
    await texts.passOver(passedOver);
    const isFiltered = countFiles(items) > fewFiles && canFilter(name, options, pattern);
    const filter = isFiltered ? await this.#filter(texts) : undefined;
    // A program that fails may not have read everything.
    await texts.look();
    // A program that fails here fails with the files, too, and says more then.
    if (filter === undefined || filter.status > 1) return filesOf(items);
    const left = texts.mayMatch();
    return left.length === 0 && filter.stderr === "" ? undefined : left;
  }

  /** Finds out which texts match. */
  async #filter(texts: SearchTexts): Promise<Ended> {
    const { options, pattern, more } = this.#search;
    const words = wordsOf(options, pattern);
    if (words !== undefined) {
      await texts.find(words);
      return { status: 0, stderr: "" };
    }
    const blocks = texts.blocks();
    const process = new SearchProcess(
      this.#program,
      [...filterArguments(options, pattern), ...more, "--", "-"],
      { descriptors: [], input: blocks, signal: this.#io.signal },
    );
    const places = new Places((place) => {
      texts.matchAt(place);
    });
    try {
      for await (const chunk of process.stdout) if (Buffer.isBuffer(chunk)) places.take(chunk);
      return await process.ended();
    } finally {
      process.stop();
      // What is under way is finished, so that it is known what was looked at.
      await blocks.return();
    }
  }

  async through(items: readonly FileItem[]): Promise<number> {
    const batches = this.#batches(items);
    const isQuiet = formOf(this.#search.options, this.#search.name) === "nothing";
    let running: Running | undefined = await this.#start(batches.shift() ?? []);
    let next: Running | undefined;
    try {
      while (running !== undefined && !(isQuiet && this.#hasMatched)) {
        // The next files are opened, and searched, while this process is listened to.
        const batch = batches.shift();
        next = batch === undefined ? undefined : await this.#start(batch);
        await this.#listen(running);
        running = next;
      }
    } finally {
      running?.process.stop();
      next?.process.stop();
    }
    await this.#output.flush();
    if (isQuiet && this.#hasMatched) return 0;
    return this.#output.status > 0 ? this.#output.status : this.#hasMatched ? 0 : 1;
  }

  #batches(items: readonly FileItem[]): FileItem[][] {
    const most = batchSize();
    const batches: FileItem[][] = [];
    for (const item of items) {
      const batch = batches.at(-1);
      const isLike = batch?.[0] !== undefined && this.#isTree(batch[0]) === this.#isTree(item);
      if (batch !== undefined && isLike && batch.length < most) batch.push(item);
      else batches.push([item]);
    }
    return batches;
  }

  #isTree(item: FileItem): boolean {
    return this.#search.tellsFoundFiles && item instanceof TreeFile;
  }

  async #start(items: readonly FileItem[]): Promise<Running> {
    const { options, pattern, more } = this.#search;
    const names = new Map([
      ["(standard input)", "(standard input)"],
      ["<stdin>", "<stdin>"],
    ]);
    const descriptors: number[] = [];
    const paths: string[] = [];
    const isTree = items[0] !== undefined && this.#isTree(items[0]);
    try {
      for (const item of items) {
        if (item === "stdin") {
          paths.push("-");
          continue;
        }
        const descriptor = await this.#open(item);
        if (descriptor === undefined) continue;
        const path = `${descriptorFolder}/${firstDescriptor + descriptors.length}`;
        descriptors.push(descriptor);
        paths.push(path);
        names.set(path, item.shown);
      }
      // Without a single file the program would read its input; this way it still judges the pattern.
      if (paths.length === 0) paths.push("/dev/null");
      const tree = isTree && descriptors.length > 0 ? treeArguments : undefined;
      const process = new SearchProcess(
        this.#program,
        [...searchArguments(this.#search.name, options, pattern), ...more, ...(tree ?? ["--", ...paths])],
        {
          descriptors,
          input: paths.includes("-") ? stdinChunks(this.#io) : null,
          signal: this.#io.signal,
        },
      );
      return { process, names, isTree: tree !== undefined };
    } finally {
      for (const descriptor of descriptors) closeSync(descriptor);
    }
  }

  async #open({ location, shown, stats }: Searched): Promise<number | undefined> {
    try {
      return this.#access.at(parentLocation(location)).openFile(lastName(location), constants.O_RDONLY, stats)
        .descriptor;
    } catch (error) {
      await this.#output.complainAbout(shown, error, 2);
      return undefined;
    }
  }

  async #listen({ process, names, isTree }: Running): Promise<void> {
    const { options, hasNames } = this.#search;
    const form = formOf(options, this.#search.name);
    const layout = { form, hasNames, hasNumbers: options.has("line-number") };
    const needsSeparator = form === "lines" && hasContext(options, this.#search.name) && this.#hasWritten;
    const result = new SearchOutput(layout, this.#output, names, needsSeparator);
    for await (const chunk of process.stdout) {
      if (Buffer.isBuffer(chunk)) result.take(chunk);
      if (this.#output.isDue) await this.#output.flow();
    }
    const { status, stderr } = await process.ended();
    this.#hasWritten ||= result.hasOutput;
    const complaints = this.#complaints(stderr, names, isTree);
    if (status === 0 || (isTree && status === 2 && complaints.length === 0 && result.hasOutput))
      this.#hasMatched = true;
    const isOnlyNote = status === 0 || status === 1 || (isTree && complaints.length === 0);
    for (const complaint of complaints) {
      if (this.#said.has(complaint)) continue;
      this.#said.add(complaint);
      await this.#output.complain(complaint, isOnlyNote ? 0 : status);
    }
    if (!isOnlyNote) this.#output.status = Math.max(this.#output.status, status);
  }

  /** What the program complained about, with files by the names that everybody knows. */
  #complaints(stderr: string, names: ReadonlyMap<string, string>, isTree: boolean): readonly string[] {
    return stderr
      .split("\n")
      .filter((line) => line !== "" && !(isTree && line.startsWith("File system loop found")))
      .map((line) => {
        const own = line.startsWith(`${this.#program}: `) ? line.slice(this.#program.length + 2) : line;
        return own.replace(/\/(?:proc\/self|dev)\/fd\/\d+/g, (path) => names.get(path) ?? path);
      });
  }
}

function countFiles(items: readonly SearchItem[]): number {
  return items.reduce((count, item) => count + (item instanceof FoundFiles ? item.count : 1), 0);
}

/** Reads the number at the start of each line. */
class Places {
  readonly #found: (place: number) => void;
  #place = 0;
  #isNumber = true;

  constructor(found: (place: number) => void) {
    this.#found = found;
  }

  take(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (!this.#isNumber) {
        const end = chunk.indexOf(10, at);
        if (end === -1) return;
        at = end + 1;
        this.#isNumber = true;
      }
      for (let byte = chunk[at]; byte !== undefined; byte = chunk[++at]) {
        if (byte < 48 || byte > 57) break;
        this.#place = this.#place * 10 + (byte - 48);
      }
      if (at === chunk.length) return;
      this.#found(this.#place);
      this.#place = 0;
      this.#isNumber = false;
    }
  }
}

/**
 * Has the program find the descriptors as entries of a folder, as it would find the files of a tree: binary files are
 * then left out and not only noted. The folder also lists itself, which the program reports as a loop.
 */
const treeArguments = [
  "--no-ignore",
  "--hidden",
  "--follow",
  "--max-depth=1",
  "--threads=1",
  "--",
  `${descriptorFolder}/`,
];

/** A third of what this process may still open: two programs are fed at a time, and others need some too. */
function batchSize(): number {
  const free = freeDescriptors();
  return free === undefined ? 64 : Math.max(4, Math.min(1000, Math.trunc((free - 24) / 3)));
}
