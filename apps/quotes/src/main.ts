import { parseArgs } from "node:util";

import type { EndpointLike } from "@roboz/core";

import { quotesAgent, scriptedModel } from "./quotes-agent.ts";

const usage = `npm start -- quotes [options]

Says one saying. The model is scripted, so no key is needed, unless you choose another one.

      --model <provider.model>  Ask this model of the catalogue.
  -h, --help                    Print this.`;

interface Options {
  readonly help: boolean;
  readonly model: string | undefined;
}

function readOptions(args: readonly string[]): Options | { readonly problem: string } {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { model: { type: "string" }, help: { type: "boolean", short: "h", default: false } },
    });
    return { help: values.help, model: values.model };
  } catch (error) {
    // Of several sentences the first says what is wrong.
    return { problem: error instanceof Error ? error.message.replace(/[.\n].*$/s, "") : String(error) };
  }
}

async function endpointFor(model: string | undefined): Promise<EndpointLike> {
  if (model === undefined) return scriptedModel();
  const { chosenModel } = await import("./model-choice.ts");
  return chosenModel(model);
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
  try {
    const { output } = await quotesAgent(await endpointFor(options.model)).complete("A quote, please.");
    console.log(`“${output.value ?? ""}”`);
  } catch (error) {
    console.error((error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, " "));
    process.exitCode = 1;
  }
}

// Whoever reads no further, such as `head`, wants no more.
process.stdout.once("error", () => process.exit());
await main();
