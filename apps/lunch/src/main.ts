import { toMermaid } from "@roboz/core";

import { comparisonText } from "./comparison.ts";
import { lunchAgent, task } from "./lunch-agent.ts";
import { readOptions, usage } from "./options.ts";
import { paintFor } from "./paint.ts";
import { scriptedModel } from "./scripted-model.ts";
import { stepLog } from "./step-log.ts";
import type { Day } from "./tools.ts";
import { unchainedAgent } from "./unchained-agent.ts";

async function printLunch(day: Day): Promise<void> {
  const screen = process.stdout;
  const paint = paintFor(screen);
  const sinks = [stepLog(screen)];
  screen.write(`${paint("bold", "Without chains")}: the model calls each tool.\n`);
  const { report: unchained } = await unchainedAgent(scriptedModel(), day).complete(task, { sinks });
  screen.write(
    `\n${paint("bold", "With chains")}: a tool leads to the next (→), as long as its condition holds.\n`,
  );
  const { report: chained } = await lunchAgent(scriptedModel(), day).complete(task, { sinks });
  screen.write(`\n${comparisonText({ chained, unchained })}`);
}

async function printReports(day: Day): Promise<void> {
  const { output, report } = await lunchAgent(scriptedModel(), day).complete(task);
  const { report: withoutChains } = await unchainedAgent(scriptedModel(), day).complete(task);
  console.log(JSON.stringify({ outcome: output.value, ...report, withoutChains }, undefined, 2));
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if ("problem" in options) {
    console.error(`${options.problem}; --help lists the options.`);
    process.exitCode = 2;
    return;
  }
  switch (options.show) {
    case "help":
      console.log(usage);
      return;
    case "graph":
      process.stdout.write(toMermaid(lunchAgent(scriptedModel(), options).graph()));
      return;
    case "json":
      return printReports(options);
    case "lunch":
      return printLunch(options);
  }
}

// Whoever reads no further, such as `head`, wants no more.
process.stdout.once("error", () => process.exit());
await main();
