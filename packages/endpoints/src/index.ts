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
