import type { Agent } from "@roboz/core";

import { NoModelError } from "../errors.ts";
import { askHidden } from "../hidden-prompt.ts";
import type { Terminal } from "../terminal.ts";

/**
 * The same agent with a model of the catalogue: the project's, or the bundled examples. Its key is looked for now, so that a run does
 * not begin without one; when it is encrypted, the person at the terminal is asked for the password.
 *
 * @param name - Provider and model, such as `groq.my_model`.
 * @throws {@link NoModelError} (`cli/no-model`) for an agent that asks no model; what finding the model and its key throws.
 */
export async function withModel(agent: Agent, name: string, terminal: Terminal): Promise<Agent> {
  if (agent.graph().nodes.every(({ role }) => role !== "prompter")) {
    throw new NoModelError({ agentName: agent.name });
  }
  const { namedModel, projectInventory } = await import("@roboz/endpoints");
  const { endpoint, apiKeyEnv } = namedModel(await projectInventory(), name);
  if (!Object.hasOwn(process.env, apiKeyEnv)) await unlock(apiKeyEnv, terminal);
  return agent.copy({ endpoint: await endpoint.materialize() });
}

/** Loads the project's secrets if the name is among those that need a password, and somebody is there to type it. */
async function unlock(envName: string, terminal: Terminal): Promise<void> {
  const { checkEnv, ENV_PASSWORD_VARIABLE, loadSecrets } = await import("@roboz/endpoints/env");
  if (terminal.input.isTTY !== true || Object.hasOwn(process.env, ENV_PASSWORD_VARIABLE)) return;
  // Loading warns of the same lines.
  const [found] = await checkEnv({ names: [envName], onWarning: () => undefined });
  if (found?.status !== "locked") return;
  const [password] = await askHidden(terminal, [`Password for \`${envName}\`: `]);
  await loadSecrets({ password });
}
