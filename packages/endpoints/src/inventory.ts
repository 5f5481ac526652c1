import { bundledInventory } from "./catalogue/bundled-inventory.ts";
import { providerCatalogue } from "./catalogue/provider-catalogue.ts";

const { providers } = bundledInventory;

/** Examples of models on OpenRouter; the key is read from `OPENROUTER_API_KEY` when an endpoint is used. */
export const openrouter = providerCatalogue("openrouter", providers.openrouter);

/** Examples of models on Cerebras; the key is read from `CEREBRAS_API_KEY` when an endpoint is used. */
export const cerebras = providerCatalogue("cerebras", providers.cerebras);

/** Examples of models on Groq; the key is read from `GROQ_API_KEY` when an endpoint is used. */
export const groq = providerCatalogue("groq", providers.groq);
