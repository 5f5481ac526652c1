export { EndpointsError } from "./errors.ts";
export type { AnyEndpointsError, EndpointsErrorCode } from "./errors.ts";

// Secrets
export {
  DEFAULT_ENCRYPTED_ENV_PATH,
  ENCRYPTED_NAMESPACE,
  ENCRYPTED_SUFFIX,
  ENV_PASSWORD_VARIABLE,
} from "./secrets/names.ts";
export { encryptEnvValues, decryptEnvValues } from "./secrets/env-values.ts";
export type { DecryptOptions, EncryptOptions, EnvValues, SecretFormat } from "./secrets/env-values.ts";
export { parseEnv, serializeEnv } from "./secrets/env-text.ts";
export type { EnvLineFault, EnvWarning, ParsedEnv } from "./secrets/env-text.ts";
export type { EnvFileWarning, OnEnvWarning } from "./secrets/env-file.ts";
export { encryptEnv } from "./secrets/encrypt-env.ts";
export type { EncryptEnvOptions } from "./secrets/encrypt-env.ts";
export { loadSecrets } from "./secrets/load-secrets.ts";
export type { LoadSecretsOptions } from "./secrets/load-secrets.ts";
export { checkEnv } from "./secrets/check-env.ts";
export type { CheckEnvOptions, EnvProblem, EnvStatus } from "./secrets/check-env.ts";
export type { EnvLocation, EnvSource } from "./secrets/candidates.ts";
export {
  Argon2Error,
  EnvFileError,
  InvalidSecretError,
  LegacySecretError,
  SecretCollisionError,
  SecretNameError,
  SecretPasswordError,
  SecretSettingError,
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
export { catalogue } from "./catalogue/catalogue.ts";
export type {
  Catalogue,
  CatalogueConfiguration,
  CatalogueMembers,
  CatalogueSettings,
  EndpointOf,
  SpecOf,
} from "./catalogue/catalogue.ts";
export type { CatalogueLocation } from "./catalogue/catalogue-text.ts";
export { decodeInventory } from "./catalogue/decode-inventory.ts";
export type {
  ChatEndpointSettings,
  EndpointAdapter,
  ServiceConfiguration,
  TranscriptionEndpointSettings,
} from "./catalogue/endpoint-adapter.ts";
export {
  CatalogueDuplicateKeyError,
  CatalogueError,
  CatalogueFileError,
  CatalogueMissingFieldError,
  CatalogueNameError,
  CatalogueSyntaxError,
  CatalogueUnknownFieldError,
  CatalogueValueError,
  ModelChoiceError,
  ModelNameError,
  ModelSpecError,
  UnknownModelError,
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
export { namedModel, projectInventory } from "./catalogue/named-model.ts";
export type { NamedModel } from "./catalogue/named-model.ts";
export { inventoryCatalogues, providerCatalogue } from "./catalogue/provider-catalogue.ts";

// Services that speak the OpenAI protocol
export { chatEndpoint, OpenAICompatibleAdapter, transcriptionEndpoint } from "./openai/adapter.ts";
export type { OpenAICompatibleSettings } from "./openai/adapter.ts";
export { EndpointSettingsError } from "./openai/endpoint-errors.ts";
export type { EndpointSetting } from "./openai/endpoint-errors.ts";
export { openAiClient } from "./openai/client.ts";
export type { OpenAIClient, OpenAIClientSettings } from "./openai/client.ts";
export { preparedClient } from "./openai/client-factory.ts";
export type { ClientFactory } from "./openai/client-factory.ts";
export { environmentKey } from "./openai/credential.ts";
export type { ApiKey } from "./openai/credential.ts";
export {
  ClientClosedError,
  ClientSettingsError,
  MissingCredentialError,
  ProviderCallError,
  ProviderProtocolError,
} from "./openai/provider-errors.ts";
export type {
  AnyClientError,
  ClientSetting,
  CredentialFault,
  ProviderFailureFacts,
} from "./openai/provider-errors.ts";
