import { CommandRefusal, type PathOperand, type PathOptions, type PathTokens } from "../commands/command.ts";
import type { FileAccess } from "../files/access.ts";
import { kindOf } from "../files/entry.ts";
import { systemSentence } from "../files/system-error.ts";
import { quoted } from "../permissions/quote.ts";
import { matchesOf } from "./source-pattern.ts";
import type { Visibility } from "./visibility.ts";

/** What path tokens are read with. */
export interface PathTokenContext {
  /** The command, which begins each message. */
  readonly name: string;
  readonly access: FileAccess;
  readonly visibility: Visibility;
  readonly signal: AbortSignal;
  /** Called between looks at the file system; throws when the command's time for them is over. */
  readonly checkBudget: () => void;
  /** The most that one pattern may match; 100,000 by default. */
  readonly mostMatches?: number;
}

/** The longest path a system call takes. */
const longestPath = 4095;

/** Reads the path tokens of one command. */
export function pathTokens(context: PathTokenContext): PathTokens {
  const { name, access, visibility } = context;
  const literal = (text: string, options?: PathOptions): PathOperand => {
    checkText(name, text);
    if (text.includes("*"))
      throw new CommandRefusal(`${name}: a pattern cannot stand here: ${quoted(text)}; give one path`);
    visibility.checkPath(text);
    const place = access.lookUp(text);
    refuseLink(name, place, options);
    return place;
  };
  const source = async (text: string, options?: PathOptions): Promise<readonly PathOperand[]> => {
    checkText(name, text);
    if (!text.includes("*")) return [literal(text, options)];
    const matches = await matchesOf(text, context);
    for (const match of matches) refuseLink(name, match, options);
    return matches;
  };
  return {
    literal: (text, options) => told(name, text, () => literal(text, options)),
    source: (text, options) => told(name, text, () => source(text, options)),
  };
}

function checkText(name: string, text: string): void {
  if (text === "") throw new CommandRefusal(`${name}: an empty path names nothing`);
  const bytes = Buffer.byteLength(text);
  if (bytes > longestPath)
    throw new CommandRefusal(`${name}: ${quoted(text.slice(0, 200))}… (${bytes} bytes): File name too long`);
  const wrong = /[?[\]\0]/.exec(text)?.[0];
  if (wrong !== undefined)
    throw new CommandRefusal(
      `${name}: ${quoted(wrong)} cannot be part of a path token: ${quoted(text)}; a pattern may hold * and one **/`,
    );
}

function refuseLink(
  name: string,
  { spelled, stats }: PathOperand,
  { mayEndInLink = false }: PathOptions = {},
): void {
  if (stats !== undefined && !mayEndInLink && kindOf(stats) === "link")
    throw new CommandRefusal(`${name}: ${quoted(spelled)}: Symbolic links are not followed`);
}

/** What a look gives; its failures as refusals that name the token. */
async function told<T>(name: string, text: string, look: () => T | Promise<T>): Promise<T> {
  try {
    return await look();
  } catch (error) {
    const sentence = systemSentence(error);
    if (sentence === undefined) throw error;
    throw new CommandRefusal(`${name}: ${quoted(text)}: ${sentence}`);
  }
}
