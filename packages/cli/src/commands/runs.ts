import type { JournalStore } from "@roboz/core";
import type { Argv } from "yargs";

import { command, group, textOption, wholeNumberOption, type CommandContext } from "../command.ts";

const storeOption = {
  ...textOption("store", "Folder of journals, or a database by its ending (.db, .sqlite)"),
  demandOption: true,
} as const;

const id = { type: "string", demandOption: true, describe: "The run's id, as `runs list` shows it" } as const;
const moduleOptions = {
  model: textOption("model", "Model of the catalogue to ask instead, as provider.model"),
  export: textOption("export", "Name of the export; by default the only agent there is"),
  "allow-changed": { type: "boolean", describe: "Go on although the agent's tools have changed since" },
  json: { type: "boolean", describe: "Print the result as JSON when the run has ended" },
} as const;

const list = command({
  usage: "list",
  describe: "List the runs of a store, the latest first",
  options: (yargs) =>
    yargs.option("store", storeOption).option("json", { type: "boolean", describe: "Print them as JSON" }),
  run: async ({ store: path, json }, context) =>
    withStore(path, async (store) => {
      const { terminal, interrupts } = context;
      const { listRuns, runTable } = await import("../runs/list-runs.ts");
      const listed = await listRuns(store, interrupts.signal);
      if (json === true) {
        terminal.output.write(`${JSON.stringify(listed, null, 2)}\n`);
        return;
      }
      terminal.output.write(listed.runs.length === 0 ? "No runs.\n" : runTable(listed.runs));
      for (const { problem } of listed.unreadable) terminal.errors.write(`Left out: ${problem}\n`);
    }),
});

const show = command({
  usage: "show <id>",
  describe: "Show a run: its messages, and each chain below the call that started it",
  options: (yargs) =>
    yargs
      .positional("id", id)
      .option("store", storeOption)
      .option("json", { type: "boolean", describe: "Print it as JSON" }),
  run: async ({ id: runId, store: path, json }, { terminal, interrupts }) =>
    withStore(path, async (store) => {
      const { showRun } = await import("../runs/show-run.ts");
      await showRun(store, runId, terminal.output, { json, signal: interrupts.signal });
    }),
});

const resume = command({
  usage: "resume <id> <module>",
  describe: "Go on with a run where it stands",
  options: (yargs) =>
    withModule(yargs.positional("id", id))
      .option("store", storeOption)
      .option(
        "reply",
        textOption("reply", "What the run waits for: text, or a JSON object of the reply's fields"),
      )
      .options(moduleOptions),
  run: async (given, context) =>
    withStore(given.store, async (store) => {
      const { replyOf } = await import("../run/reply.ts");
      const reply = given.reply === undefined ? undefined : replyOf(given.reply);
      await goOn(store, given.id, given, context, reply);
    }),
});

const fork = command({
  usage: "fork <id> [module]",
  describe: "Make a run of its own of a run's first steps, and go on with it if there is a module",
  options: (yargs) =>
    yargs
      .positional("id", id)
      .positional("module", { type: "string", describe: "Module that exports the agent, .ts or .js" })
      .option("store", storeOption)
      .option("at", {
        ...wholeNumberOption("at", "The last step in common, as `runs show` numbers them; 0 for none"),
        demandOption: true,
      })
      .options(moduleOptions),
  run: async ({ module, at, ...given }, context) =>
    withStore(given.store, async (store) => {
      const { forkRun } = await import("@roboz/core");
      const forkId = await forkRun(store, given.id, { at });
      const { output, errors } = context.terminal;
      (module !== undefined && given.json === true ? errors : output).write(`Forked: ${forkId}\n`);
      if (module !== undefined) await goOn(store, forkId, { ...given, module }, context, undefined);
    }),
});

const exportCommand = command({
  usage: "export <id>",
  describe: "Print a run as a document of schema version 3",
  options: (yargs) =>
    yargs
      .positional("id", id)
      .option("store", storeOption)
      .option(
        "root",
        textOption("root", "Write it below this folder, as YYYY/MM/DD/ID.json, instead of printing it"),
      ),
  run: async ({ id: runId, store: path, root }, { terminal }) =>
    withStore(path, async (store) => {
      const { exportRun, writeRunDocument } = await import("@roboz/core");
      const document = await exportRun(store, runId);
      if (root === undefined) terminal.output.write(`${JSON.stringify(document, null, 2)}\n`);
      else terminal.output.write(`Wrote the run's document: ${await writeRunDocument(root, document)}\n`);
    }),
});

const replay = command({
  usage: "replay <id> <module>",
  describe: "Run a kept run again without a model, and tell where it differs",
  options: (yargs) =>
    withModule(yargs.positional("id", id))
      .option("store", storeOption)
      .option("export", moduleOptions.export)
      .option("json", { type: "boolean", describe: "Print what came of it as JSON" }),
  run: async ({ id: runId, module, store: path, export: exportName, json }, { terminal, interrupts }) =>
    withStore(path, async (store) => {
      const [{ loadAgent }, { replayKept }] = await Promise.all([
        import("../run/agent-module.ts"),
        import("../runs/replay-kept.ts"),
      ]);
      const agent = await loadAgent(module, exportName);
      await replayKept(store, runId, agent, terminal.output, { json, signal: interrupts.signal });
    }),
});

/** `runs`: the runs that a store keeps. */
export const runs = group("runs", "List, show, resume, fork, replay and export kept runs", [
  list,
  show,
  resume,
  fork,
  replay,
  exportCommand,
]);

function withModule<Given>(yargs: Argv<Given>) {
  return yargs.positional("module", {
    type: "string",
    demandOption: true,
    describe: "Module that exports the agent, .ts or .js",
  });
}

async function withStore(path: string, use: (store: JournalStore) => Promise<void>): Promise<void> {
  const { openStore } = await import("../runs/open-store.ts");
  const { store, close } = await openStore(path, { isNew: false });
  try {
    await use(store);
  } finally {
    await close();
  }
}

/** What a run is gone on with. */
interface GivenModule {
  readonly module: string;
  readonly store: string;
  readonly model?: string | undefined;
  readonly export?: string | undefined;
  readonly "allow-changed"?: boolean | undefined;
  readonly json?: boolean | undefined;
}

async function goOn(
  store: JournalStore,
  runId: string,
  given: GivenModule,
  context: CommandContext,
  reply: unknown,
): Promise<void> {
  const [{ chosenAgent }, { runInTerminal }, { resumeCommand }] = await Promise.all([
    import("../run/chosen-agent.ts"),
    import("../run/agent-runner.ts"),
    import("../runs/resume-command.ts"),
  ]);
  const { module, store: storePath, model, export: exportName } = given;
  const agent = await chosenAgent({ module, model, exportName }, context.terminal);
  await runInTerminal(agent, context, {
    json: given.json,
    kept: {
      store,
      runId,
      reply,
      allowChanged: given["allow-changed"],
      resumeCommand: resumeCommand({ module, storePath, exportName, model }),
    },
  });
}
