import type { ApprovalStateError, GuardSettingsError } from "./command-tools/errors.ts";
import type { HealthSettingsError } from "./health/errors.ts";
import type { MaintenanceError, MemorySettingsError } from "./memory/errors.ts";
import type { PolicyError, SandboxError } from "./permissions/errors.ts";
import type { ScriptServiceError, ScriptSettingsError } from "./scripts/errors.ts";

const marker = Symbol.for("@roboz/shed/error");

/** The base of every error this package throws. */
export abstract class ShedError extends Error {
  /** Stable, for programs; the message is for people and may change in a patch. */
  abstract readonly code: ShedErrorCode;
  readonly [marker] = true;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }

  /** Like `instanceof`, and also true for an error of another installed copy of this package. */
  static is(error: unknown): error is AnyShedError {
    return error instanceof Error && marker in error;
  }
}

/** Every error this package throws, told apart by `code`. */
export type AnyShedError =
  | ApprovalStateError
  | GuardSettingsError
  | HealthSettingsError
  | MaintenanceError
  | MemorySettingsError
  | PolicyError
  | SandboxError
  | ScriptServiceError
  | ScriptSettingsError;

/** The codes of this package's errors. */
export type ShedErrorCode = AnyShedError["code"];
