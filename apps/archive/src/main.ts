import { clearActiveRuns, toMermaid, type EndpointLike } from "@roboz/core";

import { archiveFolder, type ArchiveFolder } from "./archive-folder.ts";
import { archiveTeam, type Models } from "./archive-team.ts";
import { readOptions, usage, type ArchiveOptions } from "./options.ts";
import { paintFor } from "./paint.ts";
import { laterModels, scriptedModels } from "./scripted-models.ts";
import { stepLog } from "./step-log.ts";

const screen = process.stdout;
const paint = paintFor(screen);

const firstTask =
  "Read papers/bees.pdf and my notes in projects/archive, have headings found for the paper, and write it into the catalogue. I want weights in kilograms and answers of one sentence.";
const laterTask = "How much sugar do the bees get before the winter?";

async function chosen(name: string | undefined): Promise<EndpointLike | undefined> {
  if (name === undefined) return undefined;
  const { chosenModel } = await import("./model-choice.ts");
  return chosenModel(name);
}

/** Holds one conversation to its end, and waits until the Librarian has made its memory of it. */
async function converse(
  folder: ArchiveFolder,
  { task, models, signal }: { readonly task: string; readonly models: Models; readonly signal: AbortSignal },
): Promise<void> {
  const { built, journal } = archiveTeam(folder.sandbox, models, (name) => stepLog(screen, name));
  const [keeper] = built.backgroundAgents;
  try {
    const result = await built.root.invoke(task, { journal, signal });
    if (result.status !== "completed") return;
    const { output, report } = result;
    screen.write(`\n${paint("bold", output.value ?? "")}\n`);
    screen.write(`model calls: ${report.llmCalls}, skipped: ${report.skippedCalls}\n\n`);
    await keeper?.ended();
  } finally {
    if (signal.aborted) await keeper?.stop();
  }
}

async function work({ show, model }: ArchiveOptions, folder: ArchiveFolder): Promise<void> {
  const endpoint = await chosen(model);
  const same = endpoint && { orchestrator: endpoint, cataloguer: endpoint, librarian: endpoint };
  if (show === "graph") {
    const { built } = archiveTeam(folder.sandbox, same ?? scriptedModels(), () => () => undefined);
    screen.write(toMermaid(built.root.graph()));
    return;
  }
  const interrupt = new AbortController();
  process.once("SIGINT", () => {
    interrupt.abort();
  });
  const { signal } = interrupt;
  // Markers that a crash left would keep the Librarian waiting for ever.
  await clearActiveRuns(folder.sandbox.logsDir);
  if ((await folder.memory()) === undefined) {
    screen.write(`${paint("bold", "The first conversation")}\n`);
    await converse(folder, { task: firstTask, models: same ?? scriptedModels(), signal });
    screen.write(`\n${paint("bold", "The catalogue")}\n${await folder.catalogue()}\n`);
  }
  if (!signal.aborted) {
    screen.write(`${paint("bold", "The memory")}\n${(await folder.memory()) ?? "There is none.\n"}\n`);
    screen.write(`${paint("bold", "The next conversation, which begins with it")}\n`);
    await converse(folder, { task: laterTask, models: same ?? laterModels(), signal });
  }
  if (!signal.aborted) return;
  screen.write("\nStopped.\n");
  process.exitCode = 130;
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if ("problem" in options) {
    console.error(`${options.problem}; --help lists the options.`);
    process.exitCode = 2;
    return;
  }
  if (options.show === "help") {
    console.log(usage);
    return;
  }
  const folder = await archiveFolder(options.folder);
  try {
    await work(options, folder);
  } catch (error) {
    console.error((error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, " "));
    process.exitCode = 1;
  } finally {
    await folder.close();
  }
}

// Whoever reads no further, such as `head`, wants no more.
process.stdout.once("error", () => process.exit());
await main();
