import { EndpointsError } from "../errors.ts";

/** The settings of a client that can be wrong. */
export type ClientSetting = "baseUrl" | "headers" | "timeoutMs";

/** A client was described with a setting it cannot have. The value is not repeated: it may hold a credential. */
export class ClientSettingsError extends EndpointsError {
  readonly code = "endpoints/client-settings";
  readonly setting: ClientSetting;

  constructor({ setting, problem }: { readonly setting: ClientSetting; readonly problem: string }) {
    super(`\`${setting}\` of a client ${problem}`);
    this.setting = setting;
  }
}

/** What is wrong with a key: there is none, it is blank, it is ciphertext, or no header can hold it. */
export type CredentialFault = "missing" | "empty" | "encrypted" | "malformed";

/** There is no key that could be sent to a service. Nothing was sent; the next use looks again. */
export class MissingCredentialError extends EndpointsError {
  readonly code = "endpoints/missing-credential";
  /** What a check of an endpoint says of it. */
  readonly reasonCode = "missing_credentials";
  /** The environment variable that was looked at; undefined when the key was given. */
  readonly envName: string | undefined;
  readonly fault: CredentialFault;

  constructor({
    envName,
    fault,
    cause,
  }: {
    readonly envName?: string | undefined;
    readonly fault: CredentialFault;
    readonly cause?: unknown;
  }) {
    const where = envName === undefined ? "the `apiKey` that was given" : `\`${envName}\``;
    const remedy =
      envName === undefined
        ? "pass a usable `apiKey` explicitly"
        : "set the variable, or pass an `apiKey` explicitly";
    super(`There is no usable API key: ${where} ${keyProblem[fault]}; ${remedy}`, { cause });
    this.envName = envName;
    this.fault = fault;
  }
}

const keyProblem: Readonly<Record<CredentialFault, string>> = {
  missing: "is not set",
  empty: "is empty",
  encrypted: "is still encrypted",
  malformed: "has characters that an HTTP header cannot hold",
};

/** A client was used after it was closed; it does not open again. */
export class ClientClosedError extends EndpointsError {
  readonly code = "endpoints/client-closed";

  constructor() {
    super("The client is closed and does not open again; make another one");
  }
}

/** What a service said, or how it failed to. */
export interface ProviderFailureFacts {
  readonly message: string;
  readonly status?: number | undefined;
  readonly headers?: Headers | undefined;
  readonly providerCode?: string | undefined;
  readonly providerType?: string | undefined;
  readonly cause?: unknown;
}

/**
 * A service refused a request, failed at it, or could not be reached. The message has the service's words, shortened and
 * without the key; they may repeat parts of a prompt, so log the code and the fields rather than the message.
 */
export class ProviderCallError extends EndpointsError {
  readonly code = "endpoints/provider-call";
  /** The HTTP status, also one that a service gave inside a successful answer; undefined without an answer. */
  readonly status: number | undefined;
  /** The headers of the answer. */
  readonly headers: Headers | undefined;
  /** The service's own code for the failure, such as `insufficient_quota`. */
  readonly providerCode: string | undefined;
  /** The service's own type of the failure, such as `invalid_request_error`. */
  readonly providerType: string | undefined;

  constructor({ message, status, headers, providerCode, providerType, cause }: ProviderFailureFacts) {
    super(message, { cause });
    this.status = status;
    this.headers = headers;
    this.providerCode = providerCode;
    this.providerType = providerType;
  }
}

/** A service answered with something else than the protocol's answer; often the base URL is that of a web page. */
export class ProviderProtocolError extends EndpointsError {
  readonly code = "endpoints/provider-protocol";
  /** What a check of an endpoint says of it. */
  readonly reasonCode = "protocol_error";
  readonly status: number | undefined;
  readonly headers: Headers | undefined;

  constructor({
    expected,
    status,
    headers,
  }: {
    readonly expected: string;
    readonly status?: number | undefined;
    readonly headers?: Headers | undefined;
  }) {
    super(`The service's answer is not ${expected}; check that \`baseUrl\` is that of its API`);
    this.status = status;
    this.headers = headers;
  }
}

/** Every error class of clients. */
export type AnyClientError =
  | ClientSettingsError
  | MissingCredentialError
  | ClientClosedError
  | ProviderCallError
  | ProviderProtocolError;
