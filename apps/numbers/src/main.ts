import { cliUserIo, filterMessages, type EndpointLike } from "@roboz/core";

import { numbersAgent } from "./numbers-agent.ts";
import { readOptions, usage, type NumbersOptions } from "./options.ts";
import { scriptedGuard, scriptedModel } from "./scripted-models.ts";
import { stepLog } from "./step-log.ts";

async function endpointFor(name: string | undefined, scripted: () => EndpointLike): Promise<EndpointLike> {
  if (name === undefined) return scripted();
  const { chosenModel } = await import("./model-choice.ts");
  return chosenModel(name);
}

async function play({ model, guard }: NumbersOptions): Promise<void> {
  const agent = numbersAgent(
    await endpointFor(model, scriptedModel),
    await endpointFor(guard, scriptedGuard),
  );
  const interrupt = new AbortController();
  process.once("SIGINT", () => {
    interrupt.abort();
  });
  const result = await agent.invoke("Let us talk numbers.", {
    io: cliUserIo(),
    sinks: [stepLog(process.stdout)],
    signal: interrupt.signal,
  });
  switch (result.status) {
    case "completed":
      console.log(`\n${result.output.value ?? ""}`);
      break;
    case "cancelled":
      console.log("\nStopped.");
      process.exitCode = 130;
      break;
    case "suspended":
      throw new Error(`\`${result.toolName}\` asks something, and nobody is there to answer`);
  }
  const { llmCalls, skippedCalls } = result.report;
  const judged = filterMessages(result.messages, { caller: "escalate" }).length;
  console.log(`model calls: ${llmCalls}, skipped: ${skippedCalls}, numbers judged: ${judged}`);
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
    await play(options);
  } catch (error) {
    console.error((error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, " "));
    process.exitCode = 1;
  }
}

// Whoever reads no further, such as `head`, wants no more.
process.stdout.once("error", () => process.exit());
await main();
