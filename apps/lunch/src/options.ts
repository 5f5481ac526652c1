import { parseArgs } from "node:util";

import type { Protocol } from "@roboz/core";

import type { Day } from "./tools.ts";

/** What is to be done: a lunch, or something printed instead. */
export interface LunchOptions extends Day {
  readonly show: "lunch" | "json" | "graph" | "help";
  /** The model of the catalogue to ask, as provider and model; the scripted one by default. */
  readonly model: string | undefined;
  /** How the model is told of its tools, and calls them. */
  readonly protocol: Protocol;
}

/** What `--help` prints. */
export const usage = `npm start -- lunch [options]

Arranges lunch with Bob twice: with tools that chain, and with the same tools unchained. The model is scripted, so no key is
needed, unless you choose another one.

      --bob <yes|no>            Whether Bob feels like lunch; yes by default.
      --no-table                No table is free at first.
      --model <provider.model>  Ask this model of the catalogue.
      --protocol <json|tools>   Have tools called as JSON text, the default, or by the provider's native calls.
      --json                    Print the reports of both runs as JSON, and nothing else.
      --graph                   Print the chained tools as a Mermaid flowchart, and run nothing.
  -h, --help                    Print this.`;

/** Reads the command line; what is wrong with it is said in one sentence. */
export function readOptions(args: readonly string[]): LunchOptions | { readonly problem: string } {
  let given;
  try {
    given = parseArgs({
      args: [...args],
      options: {
        bob: { type: "string", default: "yes" },
        "no-table": { type: "boolean", default: false },
        model: { type: "string" },
        protocol: { type: "string", default: "json" },
        json: { type: "boolean", default: false },
        graph: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    }).values;
  } catch (error) {
    // Of several sentences the first says what is wrong.
    return { problem: error instanceof Error ? error.message.replace(/[.\n].*$/s, "") : String(error) };
  }
  const { bob, model, protocol, json, graph, help } = given;
  if (bob !== "yes" && bob !== "no") return { problem: `\`--bob\` is \`yes\` or \`no\`, not \`${bob}\`` };
  if (protocol !== "json" && protocol !== "tools") {
    return { problem: `\`--protocol\` is \`json\` or \`tools\`, not \`${protocol}\`` };
  }
  if (json && graph) return { problem: "`--json` and `--graph` are two things to print; choose one" };
  const show = help ? "help" : graph ? "graph" : json ? "json" : "lunch";
  return { bob, hasTable: !given["no-table"], show, model, protocol };
}
