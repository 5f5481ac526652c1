import {
  CommandRefusal,
  commandNames,
  type CommandDefinition,
  type CommandIo,
  type CommandName,
  type GivenCommand,
  type PreparedCommand,
  type PrepareContext,
} from "../../commands/command.ts";
import { isOperation, type RequiredPermission } from "../../permissions/operation.ts";

/** What scripted commands share. */
export interface Script {
  /** What happened, in order, such as `"cat: prepared"` and `"cat: ran"`. */
  readonly log: string[];
  /** What the commands have looked at, as they say it. */
  readonly fingerprint?: () => string;
}

/**
 * Commands that do what their tokens say. A `FLG` names an operation for the `PTH` after it. An `ARG` is an instruction:
 * `out:TEXT`, `err:TEXT`, `exit:N`, `bytes:N`, `left:N`, `copy` (input to output), `wait` (until it is stopped), `throw`
 * and, at preparation, `refuse:TEXT`.
 */
export function scriptedCommands(script: Script): Readonly<Partial<Record<CommandName, CommandDefinition>>> {
  const made: Partial<Record<CommandName, CommandDefinition>> = {};
  for (const name of commandNames)
    made[name] = { name, options: null, prepare: (given, context) => prepare(name, given, context, script) };
  return made;
}

async function prepare(
  name: CommandName,
  { tokens }: GivenCommand,
  { paths }: PrepareContext,
  { log, fingerprint = () => "" }: Script,
): Promise<PreparedCommand> {
  const needs: RequiredPermission[] = [];
  const shown: string[] = [];
  const instructions: string[] = [];
  let operation: string | undefined;
  for (const { text, tag } of tokens) {
    if (tag === "FLG") operation = text.replace(/^-+/, "");
    else if (tag === "ARG") instructions.push(text);
    else {
      for (const { location, spelled } of await paths.source(text)) {
        if (isOperation(operation)) needs.push({ operation, location });
        shown.push(spelled);
      }
    }
  }
  const refusal = instructions.find((text) => text.startsWith("refuse:"));
  if (refusal !== undefined) throw new CommandRefusal(`${name}: ${refusal.slice("refuse:".length)}`);
  log.push(`${name}: prepared`);
  return {
    needs,
    shown,
    fingerprint,
    run: async (io) => {
      log.push(`${name}: ran`);
      let status = 0;
      for (const text of instructions) status = (await follow(text, io)) ?? status;
      return status;
    },
  };
}

async function follow(instruction: string, io: CommandIo): Promise<number | undefined> {
  const [, word = "", rest = ""] = /^(\w+):?(.*)$/su.exec(instruction) ?? [];
  switch (word) {
    case "out":
      await io.stdout.write(Buffer.from(rest));
      return undefined;
    case "err":
      await io.stderr.write(Buffer.from(rest));
      return undefined;
    case "bytes":
      await io.stdout.write(Buffer.alloc(Number(rest), "x"));
      return undefined;
    case "left":
      io.leftOut(Number(rest));
      return undefined;
    case "copy":
      for await (const chunk of io.stdin ?? []) await io.stdout.write(chunk);
      return undefined;
    case "wait":
      await new Promise((_resolve, reject) => {
        io.signal.addEventListener("abort", () => {
          reject(new Error("stopped"));
        });
      });
      return undefined;
    case "throw":
      throw new TypeError("a secret text");
    default:
      return Number(rest);
  }
}
