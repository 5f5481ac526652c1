import { baseUrlProblem } from "./base-url.ts";
import { CatalogueText } from "./catalogue-text.ts";
import { CatalogueSyntaxError } from "./errors.ts";
import { InventoryRecord, type RecordFields } from "./inventory-record.ts";
import { type Inventory, type ProviderSpec, schemaDefaults } from "./inventory.ts";
import { parseJson } from "./json-document.ts";
import { chatModel, type ModelSpec, transcriptionModel } from "./model-spec.ts";
import { isPublicIdentifier, isReservedModelName } from "./public-name.ts";

const envelopeFields: RecordFields = { required: ["schema_version", "providers"] };
const providerFields: RecordFields = {
  required: ["base_url", "api_key_env", "models"],
  optional: ["timeout_s", "stream"],
};
const chatFields: RecordFields = {
  required: ["endpoint_type", "model_id", "max_context_tokens"],
  optional: ["accepts_images"],
};
const transcriptionFields: RecordFields = { required: ["endpoint_type", "model_id"] };

/**
 * Reads the text of a `models.json` of schema version 1. Every rule of the schema is checked; the first thing found wrong is
 * thrown.
 *
 * @param json - The text, or its bytes, which must be UTF-8.
 * @param options.file - The name that errors start with.
 * @throws CatalogueSyntaxError, CatalogueDuplicateKeyError, CatalogueMissingFieldError, CatalogueUnknownFieldError,
 * CatalogueValueError, CatalogueNameError: each a {@link CatalogueError} with file, field path, line and column.
 */
export function decodeInventory(
  json: string | Uint8Array,
  options: { readonly file?: string | undefined } = {},
): Inventory {
  const text = typeof json === "string" ? json : decodeUtf8(json, options.file);
  const source = new CatalogueText(text, options.file);
  const root = InventoryRecord.of(source, [], parseJson(source));
  root.allow(envelopeFields);
  root.schemaVersion("schema_version");
  const providers = root.object("providers");
  return Object.freeze({
    providers: providers.entries((name, provider) => {
      if (!isPublicIdentifier(name)) providers.refuseName(name, "provider", "identifier");
      return readProvider(provider());
    }),
  });
}

function readProvider(provider: InventoryRecord): ProviderSpec {
  provider.allow(providerFields);
  const baseUrl = provider.text("base_url");
  const apiKeyEnv = provider.text("api_key_env");
  const timeoutSeconds = provider.seconds("timeout_s") ?? schemaDefaults.timeoutSeconds;
  const stream = provider.boolean("stream") ?? schemaDefaults.stream;
  const modelRecords = provider.object("models");
  const models = modelRecords.entries((name, model) => {
    if (!isPublicIdentifier(name)) modelRecords.refuseName(name, "model", "identifier");
    return readModel(model());
  });
  const problem = baseUrlProblem(baseUrl);
  if (problem !== undefined) provider.refuse("base_url", problem);
  const reserved = Object.keys(models).find(isReservedModelName);
  if (reserved !== undefined) modelRecords.refuseName(reserved, "model", "reserved");
  return Object.freeze({ baseUrl, apiKeyEnv, timeoutSeconds, stream, models });
}

function readModel(model: InventoryRecord): ModelSpec {
  switch (model.oneOf("endpoint_type", ["llm", "transcription"])) {
    case "llm":
      model.allow(chatFields);
      return chatModel({
        modelId: model.text("model_id"),
        maxContextTokens: model.count("max_context_tokens"),
        acceptsImages: model.boolean("accepts_images") ?? schemaDefaults.acceptsImages,
      });
    case "transcription":
      model.allow(transcriptionFields);
      return transcriptionModel({ modelId: model.text("model_id") });
  }
}

function decodeUtf8(bytes: Uint8Array, file: string | undefined): string {
  const text = utf8Text(bytes);
  if (text !== undefined) return text;
  let sound = 0;
  let broken = bytes.length;
  while (broken - sound > 1) {
    const middle = (sound + broken) >>> 1;
    if (utf8Text(bytes.subarray(0, middle), { stream: true }) === undefined) broken = middle;
    else sound = middle;
  }
  const source = new CatalogueText(utf8Text(bytes.subarray(0, sound), { stream: true }) ?? "", file);
  throw new CatalogueSyntaxError(
    source.locate([], source.text.length),
    "holds bytes that are not UTF-8 here",
  );
}

function utf8Text(bytes: Uint8Array, options?: { readonly stream: boolean }): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, options);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
