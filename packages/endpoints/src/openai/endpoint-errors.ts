import { EndpointsError } from "../errors.ts";

/** The settings of a service and of an endpoint on it. */
export type EndpointSetting =
  "maxContextTokens" | "model" | "apiName" | "apiKeyEnv" | "timeoutMs" | "baseUrl";

/** An endpoint was described with settings it cannot have. The values are not repeated: a base URL may hold a credential. */
export class EndpointSettingsError extends EndpointsError {
  readonly code = "endpoints/endpoint-settings";
  readonly settings: readonly EndpointSetting[];

  constructor({
    settings,
    problem,
  }: {
    readonly settings: readonly EndpointSetting[];
    readonly problem: string;
  }) {
    super(`${settings.map((setting) => `\`${setting}\``).join(" and ")} of an endpoint ${problem}`);
    this.settings = settings;
  }
}
