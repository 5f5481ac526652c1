import { parseArgs } from "node:util";

import type { Day } from "./tools.ts";

/** What is to be done: a lunch, or something printed instead. */
export interface LunchOptions extends Day {
  readonly show: "lunch" | "json" | "graph" | "help";
}

/** What `--help` prints. */
export const usage = `npm start -- lunch [options]

Arranges lunch with Bob twice, on a scripted model: with tools that chain, and with the same tools unchained. No key is needed.

      --bob <yes|no>  Whether Bob feels like lunch; yes by default.
      --no-table      No table is free at first.
      --json          Print the reports of both runs as JSON, and nothing else.
      --graph         Print the chained tools as a Mermaid flowchart, and run nothing.
  -h, --help          Print this.`;

/** Reads the command line; what is wrong with it is said in one sentence. */
export function readOptions(args: readonly string[]): LunchOptions | { readonly problem: string } {
  let given;
  try {
    given = parseArgs({
      args: [...args],
      options: {
        bob: { type: "string", default: "yes" },
        "no-table": { type: "boolean", default: false },
        json: { type: "boolean", default: false },
        graph: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    }).values;
  } catch (error) {
    // Of several sentences the first says what is wrong.
    return { problem: error instanceof Error ? error.message.replace(/[.\n].*$/s, "") : String(error) };
  }
  const { bob, json, graph, help } = given;
  if (bob !== "yes" && bob !== "no") return { problem: `\`--bob\` is \`yes\` or \`no\`, not \`${bob}\`` };
  if (json && graph) return { problem: "`--json` and `--graph` are two things to print; choose one" };
  const show = help ? "help" : graph ? "graph" : json ? "json" : "lunch";
  return { bob, hasTable: !given["no-table"], show };
}
