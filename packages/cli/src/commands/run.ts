import type { Agent } from "@roboz/core";

import { command, type CommandContext, textOption } from "../command.ts";

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
      .option("json", { type: "boolean", describe: "Print the result as JSON when the run has ended" }),
  run: async ({ module, input, model, export: exportName, json }, context) => {
    const [{ loadAgent }, { runInTerminal }] = await Promise.all([
      import("../run/agent-module.ts"),
      import("../run/agent-runner.ts"),
    ]);
    const agent = await loadAgent(module, exportName);
    const chosen = model === undefined ? agent : await withChosenModel(agent, model, context);
    await runInTerminal(chosen, context, { input, json });
  },
});

async function withChosenModel(agent: Agent, model: string, { terminal }: CommandContext): Promise<Agent> {
  const { withModel } = await import("../run/model-choice.ts");
  return withModel(agent, model, terminal);
}
