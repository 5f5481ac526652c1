const marker = Symbol.for("@roboz/deployment/error");

/** The base of every error this package throws. */
export abstract class DeploymentError extends Error {
  /** Stable, for programs; the message is for people and may change in a patch. */
  abstract readonly code: DeploymentErrorCode;
  readonly [marker] = true;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }

  /** Like `instanceof`, and also true for an error of another installed copy of this package. */
  static is(error: unknown): error is AnyDeploymentError {
    return error instanceof Error && marker in error;
  }
}

/** Every error this package throws, told apart by `code`. */
export type AnyDeploymentError =
  BuildMissingError | CapabilityValueError | EmptyChainError | SettingTypeError | SettingValueError;

/** The codes of {@link AnyDeploymentError}; a later release may add some, so a `switch` keeps a default. */
export type DeploymentErrorCode = AnyDeploymentError["code"];

const longestName = 80;

/** A name that somebody gave, as a message shows it: on one line, and never at length. */
export function quoted(name: string): string {
  const line = name.replace(/\s+/g, " ");
  return `\`${line.length > longestName ? `${line.slice(0, longestName)}…` : line}\``;
}

/** A setting, or an argument, is of the wrong type, or of a name that is not known. */
export class SettingTypeError extends DeploymentError {
  readonly code = "deployment/setting-type";
  /** What the setting belongs to, such as "The label `guide`". */
  readonly owner: string;
  readonly setting: string;

  constructor({ owner, setting, problem }: { owner: string; setting: string; problem: string }) {
    super(`${owner} ${problem}`);
    this.owner = owner;
    this.setting = setting;
  }
}

/** A setting is of the right type, and its value cannot be used. */
export class SettingValueError extends DeploymentError {
  readonly code = "deployment/setting-value";
  /** What the setting belongs to, such as "The agent `assistant`". */
  readonly owner: string;
  readonly setting: string;

  constructor({ owner, setting, problem }: { owner: string; setting: string; problem: string }) {
    super(`${owner} ${problem}`);
    this.owner = owner;
    this.setting = setting;
  }
}

/** Where a value stands that does not fit its capability's label. */
export interface ValuePlace {
  readonly capabilityName: string;
  readonly labelKind: "tool" | "skill";
  /** The agent being built; undefined while the capability is declared. */
  readonly agentName?: string | undefined;
}

function place({ capabilityName, agentName }: ValuePlace): string {
  return `The capability ${quoted(capabilityName)}${agentName === undefined ? "" : ` of ${quoted(agentName)}`}`;
}

/** A capability holds, or built, something that its label does not stand for. */
export class CapabilityValueError extends DeploymentError {
  readonly code = "deployment/capability-value";
  readonly capabilityName: string;
  readonly labelKind: "tool" | "skill";
  readonly agentName: string | undefined;

  constructor({ problem, ...at }: ValuePlace & { problem: string }) {
    super(`${place(at)} ${problem}`);
    this.capabilityName = at.capabilityName;
    this.labelKind = at.labelKind;
    this.agentName = at.agentName;
  }
}

/** A capability under a default tool label holds, or built, a chain without tools: none could start it. */
export class EmptyChainError extends DeploymentError {
  readonly code = "deployment/empty-chain";
  readonly capabilityName: string;
  readonly agentName: string | undefined;

  constructor(at: ValuePlace) {
    super(`${place(at)} has an empty chain under a default tool label; its first tool would be the default`);
    this.capabilityName = at.capabilityName;
    this.agentName = at.agentName;
  }
}

/** A capability was built that has neither a value nor a `build` of its own. */
export class BuildMissingError extends DeploymentError {
  readonly code = "deployment/build-missing";
  readonly capabilityName: string;
  readonly agentName: string;

  constructor({ capabilityName, agentName }: { capabilityName: string; agentName: string }) {
    super(
      `${place({ capabilityName, agentName, labelKind: "tool" })} cannot be built: give it a \`value\` or a \`build\`, or override \`build\``,
    );
    this.capabilityName = capabilityName;
    this.agentName = agentName;
  }
}
