import type { LLMEndpoint } from "@roboz/core";

import { bundledInventory } from "./bundled-inventory.ts";
import { CatalogueFileError, ModelChoiceError } from "./errors.ts";
import { inventoryFile, readInventory, type InventoryFileOptions } from "./inventory-files.ts";
import type { Inventory } from "./inventory.ts";
import { providerCatalogue } from "./provider-catalogue.ts";

/** A chat model that was chosen by its name. */
export interface NamedModel {
  readonly endpoint: LLMEndpoint;
  /** The environment variable that holds its key. */
  readonly apiKeyEnv: string;
}

/**
 * The catalogue of a project: its `models.json`, or the bundled examples when it has none.
 *
 * @throws what {@link readInventory} throws for a `models.json` that is there and cannot be read or is wrong.
 */
export async function projectInventory(options: InventoryFileOptions = {}): Promise<Inventory> {
  try {
    return await readInventory(await inventoryFile(options));
  } catch (error) {
    // A file that was named is meant, whatever stands in its place.
    const isMissing = error instanceof CatalogueFileError && error.fault === "missing";
    if (isMissing && options.path === undefined) return bundledInventory;
    throw error;
  }
}

/**
 * The chat model that a name given at run time, such as on a command line, stands for. Programs that know their models use the
 * generated module.
 *
 * @param name - Provider and model, such as `groq.my_model`.
 * @throws ModelChoiceError (`endpoints/model-choice`) when no chat model has this name; what the adapter throws for wrong settings of
 * the service.
 */
export function namedModel({ providers }: Inventory, name: string): NamedModel {
  const known = Object.entries(providers).flatMap(([provider, { models }]) =>
    Object.entries(models)
      .filter(([, { endpointType }]) => endpointType === "llm")
      .map(([attribute]) => `${provider}.${attribute}`),
  );
  for (const [apiName, provider] of Object.entries(providers)) {
    for (const [attribute, spec] of Object.entries(provider.models)) {
      if (`${apiName}.${attribute}` !== name || spec.endpointType !== "llm") continue;
      const { [attribute]: endpoint } = providerCatalogue(apiName, {
        ...provider,
        models: { [attribute]: spec },
      });
      if (endpoint !== undefined) return { endpoint, apiKeyEnv: provider.apiKeyEnv };
    }
  }
  throw new ModelChoiceError({ asked: name, known });
}
