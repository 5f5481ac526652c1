import { command, textOption } from "../command.ts";

/** `run <module>`: runs an exported agent in the terminal. */
export const run = command({
  usage: "run <module>",
  describe: "Run an exported agent in the terminal",
  options: (yargs) =>
    yargs
      .positional("module", {
        type: "string",
        demandOption: true,
        describe: "Module that exports the agent, .ts or .js",
      })
      .option("input", textOption("input", "What the run starts from"))
      .option("model", textOption("model", "Model of the catalogue to ask instead, as provider.model"))
      .option("export", textOption("export", "Name of the export; by default the only agent there is"))
      .option(
        "store",
        textOption("store", "Keep the run in this folder, or database by its ending (.db, .sqlite)"),
      )
      .option("json", { type: "boolean", describe: "Print the result as JSON when the run has ended" }),
  run: async ({ module, input, model, export: exportName, store: storePath, json }, context) => {
    const [{ chosenAgent }, { runInTerminal }] = await Promise.all([
      import("../run/chosen-agent.ts"),
      import("../run/agent-runner.ts"),
    ]);
    const agent = await chosenAgent({ module, model, exportName }, context.terminal);
    if (storePath === undefined) {
      await runInTerminal(agent, context, { input, json });
      return;
    }
    const [{ openStore }, { resumeCommand }] = await Promise.all([
      import("../runs/open-store.ts"),
      import("../runs/resume-command.ts"),
    ]);
    const { store, close } = await openStore(storePath, { isNew: true });
    try {
      await runInTerminal(agent, context, {
        input,
        json,
        kept: { store, resumeCommand: resumeCommand({ module, storePath, exportName, model }) },
      });
    } finally {
      await close();
    }
  },
});
