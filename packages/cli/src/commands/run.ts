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
      .option("export", textOption("export", "Name of the export; by default the only agent there is"))
      .option("json", { type: "boolean", describe: "Print the result as JSON when the run has ended" }),
  run: async ({ module, input, export: exportName, json }, context) => {
    const [{ loadAgent }, { runInTerminal }] = await Promise.all([
      import("../agent-module.ts"),
      import("../agent-runner.ts"),
    ]);
    const agent = await loadAgent(module, exportName);
    await runInTerminal(agent, context, { input, json });
  },
});
