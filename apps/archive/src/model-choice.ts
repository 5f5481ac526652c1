import type { LLMEndpoint } from "@roboz/core";
import { EndpointsError, namedModel, projectInventory } from "@roboz/endpoints";

/**
 * A model of the catalogue, with its key looked up, so that no run begins without one.
 *
 * @param name - Provider and model, such as `openrouter.z_ai__glm_5_3`.
 * @throws What finding the model and its key throws; for a missing key an error that says how to run without one.
 */
export async function chosenModel(name: string): Promise<LLMEndpoint> {
  const { endpoint, apiKeyEnv } = namedModel(await projectInventory(), name);
  try {
    return await endpoint.materialize();
  } catch (error) {
    if (!EndpointsError.is(error) || error.code !== "endpoints/missing-credential") throw error;
    const advice = "set that variable, or leave out --model to run on a scripted model";
    throw new Error(`\`${name}\` needs a key in \`${apiKeyEnv}\`: ${advice}`, { cause: error });
  }
}
