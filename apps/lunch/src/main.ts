import { toMermaid, type EndpointLike } from "@roboz/core";

import { comparisonText } from "./comparison.ts";
import { lunchAgent, task } from "./lunch-agent.ts";
import { readOptions, usage, type LunchOptions } from "./options.ts";
import { paintFor } from "./paint.ts";
import { scriptedModel } from "./scripted-model.ts";
import { stepLog } from "./step-log.ts";
import { unchainedAgent } from "./unchained-agent.ts";

async function endpointFor({ model, protocol }: LunchOptions): Promise<EndpointLike> {
  if (model === undefined) return scriptedModel(protocol);
  const { chosenModel } = await import("./model-choice.ts");
  return (await chosenModel(model)).copy({ protocol });
}

async function printLunch(options: LunchOptions): Promise<void> {
  const endpoint = await endpointFor(options);
  const screen = process.stdout;
  const paint = paintFor(screen);
  const sinks = [stepLog(screen)];
  screen.write(`${paint("bold", "Without chains")}: the model calls each tool.\n`);
  const { report: unchained } = await unchainedAgent(endpoint, options).complete(task, { sinks });
  screen.write(
    `\n${paint("bold", "With chains")}: a tool leads to the next (→), as long as its condition holds.\n`,
  );
  const { report: chained } = await lunchAgent(endpoint, options).complete(task, { sinks });
  const isBilled = options.model !== undefined;
  screen.write(`\n${comparisonText({ chained, unchained }, { isBilled })}`);
}

async function printReports(options: LunchOptions): Promise<void> {
  const endpoint = await endpointFor(options);
  const { output, report } = await lunchAgent(endpoint, options).complete(task);
  const { report: withoutChains } = await unchainedAgent(endpoint, options).complete(task);
  console.log(JSON.stringify({ outcome: output.value, ...report, withoutChains }, undefined, 2));
}

async function show(options: LunchOptions): Promise<void> {
  switch (options.show) {
    case "help":
      console.log(usage);
      return;
    case "graph":
      process.stdout.write(toMermaid(lunchAgent(scriptedModel()).graph()));
      return;
    case "json":
      return printReports(options);
    case "lunch":
      return printLunch(options);
  }
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if ("problem" in options) {
    console.error(`${options.problem}; --help lists the options.`);
    process.exitCode = 2;
    return;
  }
  try {
    await show(options);
  } catch (error) {
    console.error((error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, " "));
    process.exitCode = 1;
  }
}

// Whoever reads no further, such as `head`, wants no more.
process.stdout.once("error", () => process.exit());
await main();
