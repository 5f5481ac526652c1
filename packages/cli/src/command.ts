import type { ArgumentsCamelCase, Argv } from "yargs";

import { UsageError } from "./errors.ts";
import type { Interrupts } from "./interrupts.ts";
import type { Terminal } from "./terminal.ts";

/** What a command works with beside its arguments. */
export interface CommandContext {
  readonly terminal: Terminal;
  readonly interrupts: Interrupts;
}

/** A command whose arguments were understood. */
export type ReadyCommand = (context: CommandContext) => Promise<void>;

/** Is told how far the arguments lead. */
export interface Selection {
  /** The arguments name this command or group; `usage` is how it is called. */
  readonly enter: (usage: string, kind: "command" | "group") => void;
  readonly choose: (ready: ReadyCommand) => void;
}

/** A command or group, able to describe itself to yargs. */
export interface Command {
  /** Its word, and what it takes behind it. */
  readonly usage: string;
  readonly describe: string;
  readonly register: (yargs: Argv, selection: Selection, parent: string) => Argv;
}

/** What a command is made of. */
interface CommandDefinition<Given> {
  readonly usage: string;
  readonly describe: string;
  readonly options: (yargs: Argv) => Argv<Given>;
  readonly run: (given: ArgumentsCamelCase<Given>, context: CommandContext) => Promise<void>;
}

/** A command: its arguments, and what runs once all of them are understood. */
export function command<Given>({ usage, describe, options, run }: CommandDefinition<Given>): Command {
  return {
    usage,
    describe,
    register: (yargs, selection, parent) =>
      yargs.command({
        command: usage,
        describe,
        builder: (ours: Argv) => {
          selection.enter(`${parent} ${usage} [options]`, "command");
          return options(ours);
        },
        handler: (given) => {
          selection.choose((context) => run(given, context));
        },
      }),
  };
}

/** Commands under a common first word. */
export function group(name: string, describe: string, commands: readonly Command[]): Command {
  return {
    usage: name,
    describe,
    register: (yargs, selection, parent) =>
      yargs.command({
        command: name,
        describe,
        builder: (ours: Argv) => {
          selection.enter(`${parent} ${name} <command>`, "group");
          for (const { register } of commands) register(ours, selection, `${parent} ${name}`);
          return ours.demandCommand(1, missingCommand);
        },
        handler: () => undefined,
      }),
  };
}

/** What is said when the arguments end before a command does. */
export const missingCommand = "a command is missing";

/** An option that takes one text; given again, the last one counts. */
export function textOption(name: string, describe: string) {
  return {
    type: "string",
    requiresArg: true,
    describe,
    coerce: (given: string | readonly string[]): string => requireText(name, [given].flat().at(-1)),
  } as const;
}

/** An option that takes a whole number of `least` or more; given again, the last one counts. */
export function wholeNumberOption(name: string, describe: string, least = 0) {
  return {
    type: "string",
    requiresArg: true,
    describe,
    coerce: (given: string | readonly string[]): number => {
      const digits = requireText(name, [given].flat().at(-1));
      const number = /^\d{1,15}$/.test(digits) ? Number(digits) : -1;
      if (number < least) throw new UsageError(`\`--${name}\` is a whole number of ${least} or more`);
      return number;
    },
  } as const;
}

/** As long as a timer of Node can wait. */
const mostSeconds = 2_147_483;

/** An option that takes a number of seconds above 0; given again, the last one counts. */
export function secondsOption(name: string, describe: string) {
  return {
    type: "string",
    requiresArg: true,
    describe,
    coerce: (given: string | readonly string[]): number => {
      const digits = requireText(name, [given].flat().at(-1));
      const seconds = /^\d{0,15}\.?\d{0,15}$/.test(digits) ? Number(digits) : 0;
      if (!(seconds > 0 && seconds <= mostSeconds))
        throw new UsageError(`\`--${name}\` is a number of seconds above 0, at most ${mostSeconds}`);
      return seconds;
    },
  } as const;
}

/** An option that takes one of a few words; given again, the last one counts. */
export function choiceOption<const Choice extends string>(
  name: string,
  describe: string,
  choices: readonly [Choice, ...Choice[]],
) {
  return {
    type: "string",
    requiresArg: true,
    describe,
    choices,
    default: choices[0],
    coerce: (given: string | readonly string[]): Choice => {
      const asked = [given].flat().at(-1);
      const choice = choices.find((each) => each === asked);
      if (choice === undefined) throw new UsageError(`\`--${name}\` is one of ${choices.join(", ")}`);
      return choice;
    },
  } as const;
}

/** An option that takes one text and may be given any number of times. */
export function listOption(name: string, describe: string) {
  return {
    type: "array",
    string: true,
    requiresArg: true,
    describe,
    coerce: (given: readonly string[]): readonly string[] => given.map((entry) => requireText(name, entry)),
  } as const;
}

function requireText(name: string, given: string | undefined): string {
  if (given === undefined || given === "") throw new UsageError(`\`--${name}\` needs a value`);
  return given;
}
