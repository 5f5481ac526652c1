export {
  DEFAULT_ENCRYPTED_ENV_PATH,
  ENCRYPTED_NAMESPACE,
  ENCRYPTED_SUFFIX,
  ENV_PASSWORD_VARIABLE,
} from "./names.ts";
export { encryptEnvValues, decryptEnvValues } from "./env-values.ts";
export type { DecryptOptions, EncryptOptions, EnvValues, SecretFormat } from "./env-values.ts";
export { parseEnv, serializeEnv } from "./env-text.ts";
export type { EnvLineFault, EnvWarning, ParsedEnv } from "./env-text.ts";
export type { EnvFileWarning, OnEnvWarning } from "./env-file.ts";
export { encryptEnv } from "./encrypt-env.ts";
export type { EncryptEnvOptions } from "./encrypt-env.ts";
export { loadSecrets } from "./load-secrets.ts";
export type { LoadSecretsOptions } from "./load-secrets.ts";
export { checkEnv } from "./check-env.ts";
export type { CheckEnvOptions, EnvProblem, EnvStatus } from "./check-env.ts";
export type { EnvLocation, EnvSource } from "./candidates.ts";
export { EndpointsError } from "../errors.ts";
export type { AnyEndpointsError, EndpointsErrorCode } from "../errors.ts";
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
} from "./errors.ts";
export type {
  AnySecretsError,
  EnvFileFault,
  SecretNameFault,
  SecretPasswordFault,
  SecretValueFault,
} from "./errors.ts";
