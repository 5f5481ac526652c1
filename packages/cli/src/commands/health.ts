import { command, secondsOption, textOption } from "../command.ts";

/** `health <module>`: checks what exported agents need from outside. */
export const health = command({
  usage: "health <module>",
  describe: "Check what exported agents need from outside",
  options: (yargs) =>
    yargs
      .positional("module", {
        type: "string",
        demandOption: true,
        describe: "Module that exports agents, endpoints or dependencies, .ts or .js",
      })
      .option("export", textOption("export", "Name of the export; by default all there are"))
      .option("watch", { type: "boolean", describe: "Go on, and print what changes, until Ctrl-C" })
      .option("interval-s", secondsOption("interval-s", "Seconds from one check to the next; 60 by default"))
      .option("timeout-s", secondsOption("timeout-s", "Seconds that a check is waited for; 20 by default"))
      .option("json", { type: "boolean", describe: "Print the records as JSON; one a line with --watch" }),
  run: async ({ module, export: exportName, watch, json, ...seconds }, context) => {
    const [{ loadDependencies }, { checkHealth, watchHealth }] = await Promise.all([
      import("../health/exported-dependencies.ts"),
      import("../health/check-health.ts"),
    ]);
    const dependencies = await loadDependencies(module, exportName);
    const milliseconds = (given: number | undefined): number | undefined =>
      given === undefined ? undefined : given * 1000;
    const asked = {
      dependencies,
      json,
      intervalMs: milliseconds(seconds["interval-s"]),
      timeoutMs: milliseconds(seconds["timeout-s"]),
    };
    await (watch === true ? watchHealth(asked, context) : checkHealth(asked, context));
  },
});
