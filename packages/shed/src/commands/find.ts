import type { BigIntStats } from "node:fs";
import type { FileAccess } from "../files/access.ts";
import { kindOf } from "../files/entry.ts";
import { childLocation } from "../files/file-name.ts";
import type { ListedEntry } from "../files/open-directory.ts";
import { quoted } from "../permissions/quote.ts";
import type { CommandDefinition, CommandIo, CommandToken, PathOperand } from "./command.ts";
import { CommandRefusal } from "./command.ts";
import { parseExpression } from "./find-expression.ts";
import type { Effects, Expression } from "./find-expression.ts";
import { fingerprintOf, read } from "./inputs.ts";
import { checkRoot } from "./ls.ts";
import { Output } from "./output.ts";
import { gnuQuoted } from "./targets.ts";

/** `find`: walks trees and prints what an expression is true for. Entries that may not be read are left out. */
export const find: CommandDefinition = {
  name: "find",
  options: null,
  async prepare({ tokens }, { access, paths }) {
    const { texts, rest } = splitTokens(tokens);
    const expression = parseExpression(rest, Date.now());
    const roots: PathOperand[] = [];
    for (const text of texts) roots.push(...(await paths.source(text)));
    if (roots.length === 0) roots.push(await paths.literal("."));
    for (const root of roots) checkRoot("find", root);
    return {
      needs: roots.map(({ location }) => read(location)),
      shown: ["-P", ...(texts.length === 0 ? [] : roots.map(shownRoot)), ...rest.map(({ text }) => text)],
      fingerprint: () => fingerprintOf(roots),
      run: async (io) => new Walk(access, expression, io).run(roots),
    };
  },
};

/** `-P` and `--` first, then paths, then everything that is no path. */
function splitTokens(tokens: readonly CommandToken[]): {
  texts: readonly string[];
  rest: readonly CommandToken[];
} {
  let start = 0;
  while (tokens[start]?.tag === "FLG" && (tokens[start]?.text === "-P" || tokens[start]?.text === "--"))
    start++;
  let end = start;
  while (tokens[end]?.tag === "PTH") end++;
  const rest = tokens.slice(end);
  const late = rest.find(({ tag }) => tag === "PTH");
  if (late !== undefined)
    throw new CommandRefusal(`find: ${quoted(late.text)}: paths must come before the expression`);
  return { texts: tokens.slice(start, end).map(({ text }) => text), rest };
}

/** A root is shown, and its entries are printed, so that no program takes it for an option. */
function shownRoot({ spelled }: PathOperand): string {
  return /^(?:-|[!(),]$)/.test(spelled) ? `./${spelled}` : spelled;
}

interface Visit {
  readonly location: string;
  readonly path: string;
  readonly name: string;
  readonly stats: BigIntStats;
}

class Walk implements Effects {
  readonly #access: FileAccess;
  readonly #expression: Expression;
  readonly #io: CommandIo;
  readonly #output: Output;
  #isPruned = false;
  #hasQuit = false;
  #leftOut = 0;

  constructor(access: FileAccess, expression: Expression, io: CommandIo) {
    this.#access = access;
    this.#expression = expression;
    this.#io = io;
    this.#output = new Output("find", io);
  }

  readonly print = (path: string, end: string): void => {
    this.#output.add(path + end);
  };
  readonly prune = (): void => {
    this.#isPruned = true;
  };
  readonly quit = (): void => {
    this.#hasQuit = true;
    // Nothing that stands behind this action is done; the way out is an exception, as it is for the program.
    throw quitSignal;
  };

  async run(roots: readonly PathOperand[]): Promise<number> {
    for (const root of roots) {
      const path = shownRoot(root);
      if (root.stats === undefined) {
        await this.#output.complain(`${gnuQuoted(path)}: No such file or directory`);
        continue;
      }
      const name = path.replace(/(?<=.)\/+$/, "").replace(/^.*\/(?=.)/s, "");
      await this.#tree({ location: root.location, path, name, stats: root.stats });
      if (this.#hasQuit) break;
    }
    if (this.#leftOut > 0) this.#io.leftOut(this.#leftOut);
    await this.#output.flush();
    return this.#output.status;
  }

  async #tree(root: Visit): Promise<void> {
    const stack: { visit: Visit; entries: readonly ListedEntry[]; next: number }[] = [];
    const enter = async (visit: Visit, depth: number): Promise<void> => {
      const { isDepthFirst } = this.#expression;
      if (!isDepthFirst) this.#judge(visit, depth);
      const entries = this.#isDescended(visit, depth, root) ? await this.#list(visit) : undefined;
      if (entries !== undefined) stack.push({ visit, entries, next: 0 });
      else if (isDepthFirst) this.#judge(visit, depth);
    };
    await enter(root, 0);
    for (let level = stack.at(-1); level !== undefined && !this.#hasQuit; level = stack.at(-1)) {
      const listed = level.entries[level.next++];
      if (listed === undefined) {
        stack.pop();
        if (this.#expression.isDepthFirst) this.#judge(level.visit, stack.length);
        continue;
      }
      const visit = this.#visit(level.visit, listed.name);
      if (visit !== undefined) await enter(visit, stack.length);
      if (this.#output.isDue) await this.#output.flow();
    }
  }

  #visit(above: Visit, name: string): Visit | undefined {
    const location = childLocation(above.location, name);
    if (!this.#io.mayRead(location)) {
      this.#leftOut++;
      return undefined;
    }
    const stats = this.#access.at(above.location).inspect(name);
    if (stats === undefined) return undefined;
    return {
      location,
      path: above.path.endsWith("/") ? above.path + name : `${above.path}/${name}`,
      name,
      stats,
    };
  }

  #isDescended({ stats }: Visit, depth: number, root: Visit): boolean {
    const isPruned = this.#isPruned && !this.#expression.isDepthFirst;
    this.#isPruned = false;
    if (this.#hasQuit || isPruned || kindOf(stats) !== "directory" || depth >= this.#expression.mostDepth)
      return false;
    return !this.#expression.staysOnDevice || stats.dev === root.stats.dev;
  }

  async #list({ location, path }: Visit): Promise<readonly ListedEntry[] | undefined> {
    try {
      return this.#access.at(location).list();
    } catch (error) {
      await this.#output.complainAbout(gnuQuoted(path), error);
      return undefined;
    }
  }

  #judge(visit: Visit, depth: number): void {
    if (depth < this.#expression.leastDepth || depth > this.#expression.mostDepth || this.#hasQuit) return;
    const isEmptyDirectory = () => this.#access.at(visit.location).listUnsorted().length === 0;
    try {
      this.#expression.test({ isEmptyDirectory, ...visit }, this);
    } catch (error) {
      if (error !== quitSignal) throw error;
    }
  }
}

const quitSignal = new Error("find has quit");
