import { parseArgs } from "node:util";

/** What is asked of the command line. */
export interface NumbersOptions {
  readonly help: boolean;
  /** The model that drives the agent, as provider and model of the catalogue; the scripted one by default. */
  readonly model: string | undefined;
  /** The model that judges even numbers; by default the same. */
  readonly guard: string | undefined;
}

/** What `--help` prints. */
export const usage = `npm start -- numbers [options]

Asks for numbers, praises odd ones and has even ones judged. The second number that is refused ends it, and so does the end of
the input (Ctrl-D). Numbers can be piped in, a line each. The models are scripted, so no key is needed, unless you
choose others.

      --model <provider.model>  Let this model of the catalogue drive the agent, and judge.
      --guard <provider.model>  Let another model judge even numbers.
  -h, --help                    Print this.`;

/** Reads the command line; what is wrong with it is said in one sentence. */
export function readOptions(args: readonly string[]): NumbersOptions | { readonly problem: string } {
  try {
    const { help, model, guard } = parseArgs({
      args: [...args],
      options: {
        model: { type: "string" },
        guard: { type: "string" },
        help: { type: "boolean", short: "h", default: false },
      },
    }).values;
    return { help, model, guard: guard ?? model };
  } catch (error) {
    // Of several sentences the first says what is wrong.
    return { problem: error instanceof Error ? error.message.replace(/[.\n].*$/s, "") : String(error) };
  }
}
