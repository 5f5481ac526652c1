import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { Str, toMermaid, type Agent, type EndpointLike, type RunResult, type Stop } from "@roboz/core";

import { answersOf } from "./answers.ts";
import { deskDefinition, task } from "./desk-agent.ts";
import { deskFolder, type DeskFolder } from "./desk-folder.ts";
import { readOptions, usage, type DeskOptions } from "./options.ts";
import { paintFor } from "./paint.ts";
import { scriptedModel } from "./scripted-model.ts";
import { stepLog } from "./step-log.ts";

const screen = process.stdout;

async function endpointFor({ model, hasSayings }: DeskOptions): Promise<EndpointLike> {
  if (model === undefined) return scriptedModel({ hasSayings });
  const { chosenModel } = await import("./model-choice.ts");
  return chosenModel(model);
}

/** Runs the desk to its end; a run that waits for a yes is given one. */
async function runDesk(agent: Agent, { approval }: DeskOptions): Promise<RunResult<Stop>> {
  const interrupt = new AbortController();
  process.once("SIGINT", () => {
    interrupt.abort();
  });
  const options = {
    io: answersOf(approval, (text) => screen.write(text)),
    sinks: [stepLog(screen)],
    signal: interrupt.signal,
  };
  let result: RunResult<Stop> = await agent.invoke(task, options);
  while (result.status === "suspended") {
    const bytes = JSON.stringify(result.snapshot).length.toLocaleString("en-US");
    screen.write(`  … suspended: ${JSON.stringify(result.request)}\n`);
    screen.write(`  … the run is a snapshot of ${bytes} characters now; resumed with a yes\n`);
    result = await agent.resume(result.snapshot, Str({ value: "yes" }), options);
  }
  return result;
}

async function printShared(folder: string): Promise<void> {
  screen.write(`\nshared, afterwards:\n`);
  for (const name of (await readdir(join(folder, "shared"))).sort()) {
    const text = await readFile(join(folder, "shared", name), "utf8");
    screen.write(`  ${name}: ${text.trimEnd().split("\n").filter(Boolean).join(" ")}\n`);
  }
}

async function work(options: DeskOptions, folder: DeskFolder): Promise<void> {
  const definition = deskDefinition({ folder: folder.path, hasSayings: options.hasSayings });
  definition.setAgentEndpoint(await endpointFor(options));
  const { root } = definition.build();
  if (options.show === "graph") {
    screen.write(toMermaid(root.graph()));
    return;
  }
  screen.write(
    `${paintFor(screen)("bold", "The desk")}: a tool leads to the next (→) without a model call.\n`,
  );
  const result = await runDesk(root, options);
  if (result.status === "completed") screen.write(`\n${result.output.value ?? ""}\n`);
  else {
    screen.write("\nStopped.\n");
    process.exitCode = 130;
  }
  await printShared(folder.path);
  if (options.keepsFolder) screen.write(`\nThe folder is ${folder.path}\n`);
  const { llmCalls, skippedCalls } = result.report;
  screen.write(`\nmodel calls: ${llmCalls}, skipped: ${skippedCalls}\n`);
}

async function main(): Promise<void> {
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
  const options = readOptions(process.argv.slice(2), { isTerminal });
  if ("problem" in options) {
    console.error(`${options.problem}; --help lists the options.`);
    process.exitCode = 2;
    return;
  }
  if (options.show === "help") {
    console.log(usage);
    return;
  }
  const folder = await deskFolder();
  try {
    await work(options, folder);
  } catch (error) {
    console.error((error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, " "));
    process.exitCode = 1;
  } finally {
    if (!options.keepsFolder) await folder.remove();
  }
}

// Whoever reads no further, such as `head`, wants no more.
process.stdout.once("error", () => process.exit());
await main();
