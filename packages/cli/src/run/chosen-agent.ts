import type { Agent } from "@roboz/core";

import type { Terminal } from "../terminal.ts";
import { loadAgent } from "./agent-module.ts";

/** The agent that a command names: that of a module, with a model of the catalogue if one was chosen. */
export async function chosenAgent(
  {
    module,
    model,
    exportName,
  }: {
    readonly module: string;
    readonly model?: string | undefined;
    readonly exportName?: string | undefined;
  },
  terminal: Terminal,
): Promise<Agent> {
  const agent = await loadAgent(module, exportName);
  if (model === undefined) return agent;
  const { withModel } = await import("./model-choice.ts");
  return withModel(agent, model, terminal);
}
