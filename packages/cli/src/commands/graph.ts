import { choiceOption, command, textOption } from "../command.ts";

/** `graph <module>`: draws the tools of an exported agent. */
export const graph = command({
  usage: "graph <module>",
  describe: "Draw the tools of an exported agent",
  options: (yargs) =>
    yargs
      .positional("module", {
        type: "string",
        demandOption: true,
        describe: "Module that exports the agent, .ts or .js",
      })
      .option("format", choiceOption("format", "How to draw", ["mermaid", "svg", "json"]))
      .option("export", textOption("export", "Name of the export; by default the only agent there is")),
  run: async ({ module, format, export: exportName }, { terminal }) => {
    const [{ loadAgent }, { drawGraph }] = await Promise.all([
      import("../run/agent-module.ts"),
      import("../graph/draw-graph.ts"),
    ]);
    const agent = await loadAgent(module, exportName);
    terminal.output.write(drawGraph(agent.graph(), format));
  },
});
