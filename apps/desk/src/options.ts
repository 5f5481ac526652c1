import { parseArgs } from "node:util";

const approvals = ["yes", "no", "ask", "later"] as const;

/** How the desk gets an answer when it has to ask. */
export type Approval = (typeof approvals)[number];

export interface DeskOptions {
  readonly show: "run" | "graph" | "help";
  readonly approval: Approval;
  readonly hasSayings: boolean;
  /** Whether the folder is left behind. */
  readonly keepsFolder: boolean;
  readonly model: string | undefined;
}

/** What `--help` prints. */
export const usage = `npm start -- desk [options]

Works on a folder of notes that it makes: searches, reads and edits through chains of guarded tools, asks before it writes to the
shared folder, and is denied what a sandbox protects. The model is scripted, so no key is needed, unless you choose another one.

      --approve <yes|no|ask|later>  Answer every question with yes or no, ask in the terminal, or have the run suspended at a
                                    question and resumed with a yes. In a terminal ask is the default, else yes.
      --no-sayings                  Leave out the skill that can be left out.
      --keep                        Leave the folder behind, and say where it is.
      --model <provider.model>      Ask this model of the catalogue.
      --graph                       Print the tools as a Mermaid flowchart, and run nothing.
  -h, --help                        Print this.`;

/** Reads the command line; what is wrong with it is said in one sentence. */
export function readOptions(
  args: readonly string[],
  { isTerminal }: { readonly isTerminal: boolean },
): DeskOptions | { readonly problem: string } {
  let given;
  try {
    given = parseArgs({
      args: [...args],
      options: {
        approve: { type: "string", default: isTerminal ? "ask" : "yes" },
        "no-sayings": { type: "boolean", default: false },
        keep: { type: "boolean", default: false },
        model: { type: "string" },
        graph: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    }).values;
  } catch (error) {
    // Of several sentences the first says what is wrong.
    return { problem: error instanceof Error ? error.message.replace(/[.\n].*$/s, "") : String(error) };
  }
  const approval = approvals.find((name) => name === given.approve);
  if (approval === undefined)
    return { problem: `\`--approve\` is ${approvals.join(", ")}, not \`${given.approve}\`` };
  const show = given.help ? "help" : given.graph ? "graph" : "run";
  return { show, approval, hasSayings: !given["no-sayings"], keepsFolder: given.keep, model: given.model };
}
