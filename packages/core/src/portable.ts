export { redactSecrets } from "./dependencies/redact.ts";
export type { RedactionOptions } from "./dependencies/redact.ts";
export type { Environment } from "./dependencies/environment-secrets.ts";
export { systemClock } from "./runtime/clock.ts";
export type { Clock } from "./runtime/clock.ts";
