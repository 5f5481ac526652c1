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
  | AttributeNameError
  | BuildMissingError
  | CapabilityBuildError
  | CapabilityValueError
  | DeploymentValidationError
  | DuplicateCapabilityError
  | EmptyChainError
  | SelectionError
  | SelectionTypeError
  | SettingTypeError
  | SettingValueError
  | UnknownAttributeError;

/** The codes of {@link AnyDeploymentError}; a later release may add some, so a `switch` keeps a default. */
export type DeploymentErrorCode = AnyDeploymentError["code"];

const longestName = 80;

/**
 * A name that somebody gave, as a message shows it: on one line, without anything that moves a cursor, turns the direction of writing
 * or hides, and never at length.
 */
export function quoted(name: string): string {
  const line = name.replace(/\s+/g, " ").replace(unseen, escaped);
  return `\`${line.length > longestName ? `${line.slice(0, longestName).replace(/[\ud800-\udbff]$/, "")}…` : line}\``;
}

// Control, format and unassigned characters, lone surrogates, and marks without a letter of their own.
const unseen = /\p{C}|\p{Default_Ignorable_Code_Point}/gu;

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
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

/** Two capabilities of one agent have the same name; none of those given was added. */
export class DuplicateCapabilityError extends DeploymentError {
  readonly code = "deployment/duplicate-capability";
  readonly agentName: string;
  readonly capabilityName: string;

  constructor({ agentName, capabilityName }: { agentName: string; capabilityName: string }) {
    super(
      `The agent ${quoted(agentName)} would have two capabilities called ${quoted(capabilityName)}; give one another label`,
    );
    this.agentName = agentName;
    this.capabilityName = capabilityName;
  }
}

/** A selection, or one of its choices, is of the wrong type; the one before stays. */
export class SelectionTypeError extends DeploymentError {
  readonly code = "deployment/selection-type";
  readonly agentName: string;
  /** Undefined when the whole selection is no map. */
  readonly capabilityName: string | undefined;

  constructor(refused: { agentName: string; capabilityName: string | undefined; problem: string }) {
    const { agentName, capabilityName, problem } = refused;
    const what = capabilityName === undefined ? "" : `: ${quoted(capabilityName)}`;
    super(`The capability selection of ${quoted(agentName)}${what} ${problem}`);
    this.agentName = agentName;
    this.capabilityName = capabilityName;
  }
}

/** A capability was selected that is not declared, or in a way that its label does not allow; the selection before stays. */
export class SelectionError extends DeploymentError {
  readonly code = "deployment/selection";
  readonly agentName: string;
  readonly capabilityName: string;

  constructor(refused: { agentName: string; capabilityName: string; problem: string }) {
    const { agentName, capabilityName, problem } = refused;
    super(`The capability selection of ${quoted(agentName)}: ${quoted(capabilityName)} ${problem}`);
    this.agentName = agentName;
    this.capabilityName = capabilityName;
  }
}

/** An attribute has a name that none may have; no attribute of that call was set. */
export class AttributeNameError extends DeploymentError {
  readonly code = "deployment/attribute-name";
  readonly agentName: string;
  readonly attributeName: string;

  constructor(refused: { agentName: string; attributeName: string; problem: string }) {
    const { agentName, attributeName, problem } = refused;
    super(`The agent ${quoted(agentName)} has no attribute ${quoted(attributeName)}: the name ${problem}`);
    this.agentName = agentName;
    this.attributeName = attributeName;
  }
}

/** An attribute was read that is not set. */
export class UnknownAttributeError extends DeploymentError {
  readonly code = "deployment/unknown-attribute";
  readonly agentName: string;
  readonly attributeName: string;

  constructor(asked: { agentName: string; attributeName: string; known: readonly string[] }) {
    const { agentName, attributeName, known } = asked;
    const set = known.length === 0 ? "none is set" : `set are ${known.map(quoted).join(", ")}`;
    super(`The agent ${quoted(agentName)} has no attribute ${quoted(attributeName)}; ${set}`);
    this.agentName = agentName;
    this.attributeName = attributeName;
  }
}

/** What is wrong with how agents hang together. */
export interface GraphProblem {
  readonly code: "cycle" | "child-name" | "duplicate-name";
  /** The way round, or the name in question. */
  readonly agentNames: readonly string[];
  readonly message: string;
}

/** An attribute that a capability requires, and an agent does not have. */
export interface AttributeProblem {
  readonly code: "unmet-attribute";
  readonly agentName: string;
  readonly capabilityName: string;
  /** The name of the capability's class. */
  readonly capabilityClass: string;
  readonly attributeName: string;
  /** The types that would do, joined with "or". */
  readonly expected: string;
  /** `missing`, `null`, or the type of what is there. */
  readonly found: string;
  readonly message: string;
}

/** What keeps a deployment from being built. */
export type DeploymentProblem = GraphProblem | AttributeProblem;

/** Agents cannot be built as they are described; `problems` has all that was found, root first. Nothing was built. */
export class DeploymentValidationError extends DeploymentError {
  readonly code = "deployment/validation";
  readonly agentName: string;
  readonly problems: readonly DeploymentProblem[];

  constructor({ agentName, problems }: { agentName: string; problems: readonly DeploymentProblem[] }) {
    const lines = problems.map(({ message }) => message);
    super(
      lines.length === 1
        ? lines.join("")
        : `The deployment of ${quoted(agentName)} has ${lines.length} problems:\n${lines.map((line) => `- ${line}`).join("\n")}`,
    );
    this.agentName = agentName;
    this.problems = problems;
  }
}

/** A capability's builder failed; `cause` is what it threw. */
export class CapabilityBuildError extends DeploymentError {
  readonly code = "deployment/capability-build";
  readonly capabilityName: string;
  readonly agentName: string;

  constructor(failed: { capabilityName: string; agentName: string; cause: unknown }) {
    const { capabilityName, agentName, cause } = failed;
    const reason = cause instanceof Error ? `: ${cause.message}` : "";
    super(`The capability ${quoted(capabilityName)} of ${quoted(agentName)} could not be built${reason}`, {
      cause,
    });
    this.capabilityName = capabilityName;
    this.agentName = agentName;
  }
}
