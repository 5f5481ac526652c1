import yargs, { type Argv } from "yargs";

import { missingCommand, type ReadyCommand, type Selection } from "./command.ts";
import { commandList } from "./command-list.ts";
import { UsageError } from "./errors.ts";

const program = "roboz";

/** The shell asks with it what may stand next. */
const completionFlag = "--get-yargs-completions";

/** What arguments ask for: a text to print, such as help, or a command to run. */
export type Parsed =
  { readonly kind: "text"; readonly text: string } | { readonly kind: "command"; readonly run: ReadyCommand };

/** Arguments that make no command, and how the command they lead to is called. */
export class MisusedCommandError extends UsageError {
  readonly usage: string;

  constructor(usage: string, message: string) {
    super(message);
    this.usage = usage;
  }
}

/** How far the arguments lead into the tree of commands. */
class Reached implements Selection {
  usage = `${program} <command>`;
  kind: "command" | "group" = "group";
  ready: ReadyCommand | undefined;

  readonly enter = (usage: string, kind: "command" | "group"): void => {
    this.usage = usage;
    this.kind = kind;
  };

  readonly choose = (ready: ReadyCommand): void => {
    this.ready = ready;
  };
}

/**
 * Understands the arguments, and runs nothing.
 *
 * @param columns - How wide the text may be.
 * @throws {@link MisusedCommandError} (`cli/usage`) when they make no command.
 */
export async function parse(args: readonly string[], columns: number): Promise<Parsed> {
  const reached = new Reached();
  const parser = settings(yargs(), columns).fail((message: string, error: unknown) => {
    // A line that is being completed is not finished, so it has every right to be wrong.
    if (args[0] === completionFlag) return;
    const problem = error instanceof UsageError ? error.message : rephrase(message, args, reached.kind);
    throw new MisusedCommandError(reached.usage, problem);
  });
  for (const { name, usage, describe, load } of commandList) {
    // What was not named is only listed; its module stays unloaded.
    if (args.includes(name)) (await load()).register(parser, reached, program);
    else parser.command(usage, describe);
  }
  parser.completion("completion", "Print a script that completes commands in the shell");
  let text = "";
  const given = await parser.parse([...args], {}, (_error: unknown, _given: unknown, output: string) => {
    text = output;
  });
  if (text !== "" || args[0] === completionFlag) return { kind: "text", text: `${text.trimEnd()}\n` };
  // After `--`, which ends the options, stand words; no command takes more of them than it names.
  if (reached.ready === undefined || "--" in given) {
    throw new MisusedCommandError(reached.usage, reached.ready === undefined ? missingCommand : extraWords);
  }
  return { kind: "command", run: reached.ready };
}

function settings(parser: Argv, columns: number): Argv {
  return parser
    .scriptName(program)
    .usage(`Usage: ${program} <command>`)
    .locale("en")
    .exitProcess(false)
    .version(false)
    .help("help", "Show this help")
    .alias("help", "h")
    .wrap(columns)
    .strict()
    .demandCommand(1, missingCommand)
    .showHelpOnFail(false)
    .parserConfiguration({
      "boolean-negation": false,
      "camel-case-expansion": false,
      "dot-notation": false,
      "greedy-arrays": false,
      "parse-positional-numbers": false,
      "populate--": true,
      "short-option-groups": false,
    });
}

const extraWords = "too many arguments";

/** What yargs says, in our words, and without repeating words that may have been meant to stay secret. */
function rephrase(message: string, args: readonly string[], kind: "command" | "group"): string {
  const [, problem = "", names = ""] =
    /^(Unknown|Missing required|Not enough) arguments?[^:]*: (.*)$/s.exec(message) ?? [];
  const [name = ""] = names.split(", ").map((each) => each.replace(/^_(__\w+__)_$/, "$1"));
  switch (problem) {
    case "Missing required":
      return `\`--${name}\` is required`;
    case "Not enough":
      return `\`--${name}\` needs a value`;
    case "Unknown":
      if (args.some((arg) => isOption(arg, name))) return `unknown option ${quoted(`--${name}`)}`;
      return kind === "group" ? `unknown command ${quoted(name)}` : extraWords;
    default:
      return message.startsWith("Not enough non-option") ? "an argument is missing" : message;
  }
}

function isOption(arg: string, name: string): boolean {
  return /^--?([^=]*)/.exec(arg)?.[1] === name;
}

/** A name as it may be shown: nothing that is not plainly one. */
function quoted(name: string): string {
  return /^[a-z_-][a-z0-9_.-]{0,39}$/i.test(name) ? `\`${name}\`` : "";
}
