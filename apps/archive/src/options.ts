import { parseArgs } from "node:util";

export interface ArchiveOptions {
  readonly show: "run" | "graph" | "help";
  /** Where the archive stays; a folder of its own, which is removed, when there is none. */
  readonly folder: string | undefined;
  readonly model: string | undefined;
}

/** What `--help` prints. */
export const usage = `npm start -- archive [options]

Holds two conversations with an archive that it makes. In the first an orchestrator reads a PDF file and notes, has a specialist find
headings, and writes a catalogue. A Librarian beside it makes a memory of that, with which the second one begins. The models are
scripted, so no key is needed, unless you choose another one.

      --folder <path>           Work in this folder and leave it behind; one that has a memory has the second conversation alone.
      --model <provider.model>  Ask this model of the catalogue.
      --graph                   Print the tools as a Mermaid flowchart, and run nothing.
  -h, --help                    Print this.`;

/** Reads the command line; what is wrong with it is said in one sentence. */
export function readOptions(args: readonly string[]): ArchiveOptions | { readonly problem: string } {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        folder: { type: "string" },
        model: { type: "string" },
        graph: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    const { folder, model, graph, help } = values;
    return { show: help ? "help" : graph ? "graph" : "run", folder, model };
  } catch (error) {
    // Of several sentences the first says what is wrong.
    return { problem: error instanceof Error ? error.message.replace(/[.\n].*$/s, "") : String(error) };
  }
}
