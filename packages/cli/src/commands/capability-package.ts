import { command, group, textOption, type Command } from "../command.ts";
import { defaultPaths, type PackageKind } from "../scaffold/templates.ts";

/** A group with `init`, which writes a capability package. */
function capabilityPackage(kind: PackageKind, describe: string): Command {
  const init = command({
    usage: "init",
    describe,
    options: (yargs) =>
      yargs.option("path", textOption("path", `The directory to create; by default ${defaultPaths[kind]}`)),
    run: async ({ path }, { terminal }) => {
      const { initPackage } = await import("../scaffold/init-package.ts");
      const directory = await initPackage(kind, path);
      terminal.output.write(
        `Created the ${kind} package: ${directory}\n` +
          "Edit tool.ts, list what it needs in requirements.txt, and configure CAPABILITY in index.ts.\n",
      );
    },
  });
  return group(kind, describe, [init]);
}

/** `tool`: capabilities of tools. */
export const tool = capabilityPackage("tool", "Create a tool capability to edit");

/** `skill`: capabilities of skills. */
export const skill = capabilityPackage("skill", "Create a skill capability to edit");
