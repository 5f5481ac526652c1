import { parseArgs } from "node:util";

import { quotesAgent, scriptedModel } from "./quotes-agent.ts";

const usage = `npm start -- quotes

Says one saying, on a scripted model; no key is needed.

  -h, --help  Print this.`;

function readOptions(args: readonly string[]): { readonly help: boolean } | { readonly problem: string } {
  try {
    const { values } = parseArgs({ args: [...args], options: { help: { type: "boolean", short: "h" } } });
    return { help: values.help === true };
  } catch (error) {
    // Of several sentences the first says what is wrong.
    return { problem: error instanceof Error ? error.message.replace(/[.\n].*$/s, "") : String(error) };
  }
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if ("problem" in options) {
    console.error(`${options.problem}; --help lists the options.`);
    process.exitCode = 2;
    return;
  }
  if (options.help) {
    console.log(usage);
    return;
  }
  const { output } = await quotesAgent(scriptedModel()).complete("A quote, please.");
  console.log(`“${output.value ?? ""}”`);
}

// Whoever reads no further, such as `head`, wants no more.
process.stdout.once("error", () => process.exit());
await main();
