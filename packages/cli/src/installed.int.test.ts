import { afterAll, beforeAll, describe } from "vitest";

import { agentCases } from "./__fixtures__/cases/agents.ts";
import { envCases } from "./__fixtures__/cases/env.ts";
import { inventoryCases } from "./__fixtures__/cases/inventory.ts";
import { modelCases, modelTerminalCases } from "./__fixtures__/cases/models.ts";
import { packageCases } from "./__fixtures__/cases/packages.ts";
import { programCases } from "./__fixtures__/cases/program.ts";
import { runsCases } from "./__fixtures__/cases/runs.ts";
import { scriptsCases } from "./__fixtures__/cases/scripts.ts";
import { terminalCases } from "./__fixtures__/cases/terminal.ts";
import { installRoboz, type InstalledRoboz } from "./__fixtures__/installed-roboz.ts";

let installed: InstalledRoboz | undefined;

/** Installed once, for all that follows. */
function roboz(): InstalledRoboz {
  if (installed === undefined) throw new Error("The program was not installed");
  return installed;
}

beforeAll(async () => {
  installed = await installRoboz();
});
afterAll(async () => {
  await installed?.[Symbol.asyncDispose]();
});

describe("roboz, installed from its tarballs", () => {
  programCases(roboz);
  inventoryCases(roboz);
  envCases(roboz);
  agentCases(roboz);
  modelCases(roboz);
  runsCases(roboz);
  packageCases(roboz);
  scriptsCases(roboz);
});

// util-linux's `script` makes the terminal.
describe.skipIf(process.platform !== "linux")("roboz at a terminal", () => {
  terminalCases(roboz);
  modelTerminalCases(roboz);
});
