import type { FileAccess } from "../files/access.ts";
import type { CommandDefinition, CommandIo, CommandName, GivenCommand, OptionTable } from "./command.ts";
import { inputFingerprint, inputNeeds, readerInputs, shownArguments } from "./inputs.ts";
import type { Input } from "./inputs.ts";
import { Output } from "./output.ts";

/** What a command that reads has when it runs. */
export interface Reading {
  readonly options: GivenCommand["options"];
  /** The files that were given, or what the step before wrote. */
  readonly inputs: readonly Input[];
  readonly access: FileAccess;
  readonly io: CommandIo;
  readonly output: Output;
  /** Does the work for each input; what fails with one is told, and the others follow. */
  readonly each: (use: (input: Input, index: number) => Promise<void>) => Promise<void>;
}

/** What tells one reading command from another. */
interface Reader {
  readonly name: CommandName;
  readonly options: OptionTable;
  /** What the step before is called when nothing was given. */
  readonly unnamed: string;
  readonly show: (reading: Reading) => Promise<void>;
}

/** A command that reads its inputs in order, and shows something of each. */
export function readerCommand({ name, options, unnamed, show }: Reader): CommandDefinition {
  return {
    name,
    options,
    async prepare(command, { access, ...context }) {
      const given = await readerInputs(name, command.operands, context);
      const inputs = given.length === 0 ? [{ shown: unnamed, file: null }] : given;
      return {
        needs: inputNeeds(inputs),
        shown: shownArguments(command, given),
        fingerprint: () => inputFingerprint(inputs),
        async run(io) {
          const output = new Output(name, io);
          const each: Reading["each"] = async (use) => {
            for (const [index, input] of inputs.entries()) {
              try {
                await use(input, index);
              } catch (error) {
                await output.complainAbout(input.shown, error);
              }
            }
          };
          await show({ options: command.options, inputs, access, io, output, each });
          await output.flush();
          return output.status;
        },
      };
    },
  };
}
