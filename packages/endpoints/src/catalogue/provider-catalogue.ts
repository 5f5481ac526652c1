import { OpenAICompatibleAdapter } from "../openai/adapter.ts";
import { type Catalogue, catalogue } from "./catalogue.ts";
import { type Inventory, type ProviderSpec } from "./inventory.ts";
import { type ModelSpecs } from "./model-spec.ts";

/**
 * Makes the catalogue of one provider of an inventory. Generated modules call it; who reads a `models.json` at run time may use
 * {@link inventoryCatalogues}.
 *
 * @param apiName - The provider's name, which reports and endpoint identities carry.
 * @throws what {@link catalogue} throws for a wrong model. Wrong service settings show when a model is read.
 */
export function providerCatalogue<const Models extends ModelSpecs>(
  apiName: string,
  provider: ProviderSpec<Models>,
): Catalogue<Models> {
  const { baseUrl, apiKeyEnv, timeoutSeconds, models, stream } = provider;
  // The longest timeouts that a file may hold would be infinite in milliseconds.
  const timeoutMs = Math.min(timeoutSeconds * 1000, Number.MAX_VALUE);
  const adapter = new OpenAICompatibleAdapter({ apiName, baseUrl, apiKeyEnv, timeoutMs });
  return catalogue({ adapter, models, stream });
}

/**
 * Makes the catalogues of an inventory that is read at run time, by provider name. Their models have no names at type level; the
 * generated module's have.
 */
export function inventoryCatalogues(inventory: Inventory): ReadonlyMap<string, Catalogue<ModelSpecs>> {
  const providers = Object.entries(inventory.providers);
  return new Map(providers.map(([name, provider]) => [name, providerCatalogue(name, provider)]));
}
