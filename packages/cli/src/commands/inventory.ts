import { command, group, textOption } from "../command.ts";

const path = textOption("path", "The catalogue's JSON; by default models.json in model_catalogue");

const init = command({
  usage: "init",
  describe: "Write an editable catalogue from the bundled examples",
  options: (yargs) => yargs.option("path", path),
  run: async (given, { terminal }) => {
    const { initInventory } = await import("@roboz/endpoints");
    const file = await initInventory({ path: given.path });
    terminal.output.write(`Initialised the editable catalogue: ${file}\n`);
  },
});

const generate = command({
  usage: "generate",
  describe: "Check the catalogue and write its typed module",
  options: (yargs) =>
    yargs
      .option("path", path)
      .option("output", textOption("output", "The module; by default providers.ts beside the JSON")),
  run: async (given, { terminal }) => {
    const { generateInventory } = await import("@roboz/endpoints");
    const { output } = await generateInventory({ path: given.path, output: given.output });
    terminal.output.write(
      `Generated the catalogue: ${output}\nRestart running applications, which still have the old one.\n`,
    );
  },
});

/** `inventory`: a project's model catalogue. */
export const inventory = group("inventory", "Write a model catalogue and generate its module", [
  init,
  generate,
]);
