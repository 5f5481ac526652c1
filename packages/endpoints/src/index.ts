export { EndpointsError } from "./errors.ts";
export type { AnyEndpointsError, EndpointsErrorCode } from "./errors.ts";

// Secrets
export {
  Argon2Error,
  EnvFileError,
  InvalidSecretError,
  LegacySecretError,
  SecretCollisionError,
  SecretNameError,
  SecretPasswordError,
  SecretValueError,
} from "./secrets/errors.ts";
export type {
  AnySecretsError,
  EnvFileFault,
  SecretNameFault,
  SecretPasswordFault,
  SecretValueFault,
} from "./secrets/errors.ts";

// Catalogues
export { bundledInventory } from "./catalogue/bundled-inventory.ts";
export type { CatalogueLocation } from "./catalogue/catalogue-text.ts";
export { decodeInventory } from "./catalogue/decode-inventory.ts";
export {
  CatalogueDuplicateKeyError,
  CatalogueError,
  CatalogueFileError,
  CatalogueMissingFieldError,
  CatalogueNameError,
  CatalogueSyntaxError,
  CatalogueUnknownFieldError,
  CatalogueValueError,
  ModelSpecError,
} from "./catalogue/errors.ts";
export type { AnyCatalogueError, CatalogueFileFault, ModelSpecField, NameFault } from "./catalogue/errors.ts";
export { generatedFileMarker, generateModule } from "./catalogue/generate-module.ts";
export { generateInventory, initInventory, readInventory } from "./catalogue/inventory-files.ts";
export type {
  GeneratedInventory,
  GenerateInventoryOptions,
  InventoryFileOptions,
} from "./catalogue/inventory-files.ts";
export { encodeInventory } from "./catalogue/inventory.ts";
export type { Inventory, ProviderSpec } from "./catalogue/inventory.ts";
export { chatModel, transcriptionModel } from "./catalogue/model-spec.ts";
export type {
  ChatModelSettings,
  ChatModelSpec,
  ModelSpec,
  ModelSpecs,
  TranscriptionModelSettings,
  TranscriptionModelSpec,
} from "./catalogue/model-spec.ts";
