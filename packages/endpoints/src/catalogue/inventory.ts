import { type ModelSpec, type ModelSpecs } from "./model-spec.ts";

/** One service of an inventory: where it is, which variable holds its key, and its models. It never holds a key. */
export interface ProviderSpec<Models extends ModelSpecs = ModelSpecs> {
  /** An `http` or `https` address without user, password, query and fragment. */
  readonly baseUrl: string;
  /** The environment variable that holds the key. */
  readonly apiKeyEnv: string;
  /** Seconds after which a request is given up, above 0. */
  readonly timeoutSeconds: number;
  /** Whether chat endpoints may stream. */
  readonly stream: boolean;
  /** Attribute name to model, in the order of the file. May be empty. */
  readonly models: Models;
}

/** Everything a `models.json` says: provider name to provider, in the order of the file. May be empty. */
export interface Inventory {
  readonly providers: Readonly<Record<string, ProviderSpec>>;
}

/** What the fields that may be left out of a `models.json` mean. Frozen with schema 1, whatever defaults change elsewhere. */
export const schemaDefaults = Object.freeze({ timeoutSeconds: 60, stream: true, acceptsImages: false });

/**
 * The text of a `models.json`: two spaces of indentation, LF, one newline at the end, order kept and every default
 * written out. Decoding it gives an equal inventory, and encoding that gives the same bytes.
 *
 * Says nothing on whether the inventory is valid; {@link decodeInventory} does.
 */
export function encodeInventory(inventory: Inventory): string {
  const providers = Object.entries(inventory.providers).map(
    ([name, provider]) => `${field(name)}: ${providerText(provider)}`,
  );
  return `{\n  "schema_version": 1,\n  "providers": ${block(providers, 1)}\n}\n`;
}

function providerText(provider: ProviderSpec): string {
  const models = Object.entries(provider.models).map(
    ([name, model]) => `${field(name)}: ${modelText(model)}`,
  );
  const fields = [
    `"base_url": ${field(provider.baseUrl)}`,
    `"api_key_env": ${field(provider.apiKeyEnv)}`,
    `"timeout_s": ${floatText(provider.timeoutSeconds)}`,
    `"stream": ${String(provider.stream)}`,
    `"models": ${block(models, 3)}`,
  ];
  return block(fields, 2);
}

function modelText(model: ModelSpec): string {
  const fields = [`"endpoint_type": ${field(model.endpointType)}`, `"model_id": ${field(model.modelId)}`];
  if (model.endpointType === "llm") {
    fields.push(`"max_context_tokens": ${model.maxContextTokens}`);
    fields.push(`"accepts_images": ${String(model.acceptsImages)}`);
  }
  return block(fields, 4);
}

function field(text: string): string {
  return JSON.stringify(text);
}

/** `60` is written `60.0`: readers that tell whole from floating numbers see a floating one. */
function floatText(value: number): string {
  const text = String(value);
  return /^-?[0-9]+$/.test(text) ? `${text}.0` : text;
}

/** An object of which each line stands at the given depth. */
function block(lines: readonly string[], depth: number): string {
  if (lines.length === 0) return "{}";
  const indent = "  ".repeat(depth);
  return `{\n${lines.map((line) => `${indent}  ${line}`).join(",\n")}\n${indent}}`;
}
