import { ShedError } from "../errors.ts";

/** A capability was given a setting that it cannot work with. */
export class MemorySettingsError extends ShedError {
  readonly code = "shed/memory-settings";
  /** The capability, by its class, or `librarian`. */
  readonly owner: string;
  readonly setting: string;

  constructor({ owner, setting, problem }: { owner: string; setting: string; problem: string }) {
    super(`\`${setting}\` of \`${owner}\` ${problem}`);
    this.owner = owner;
    this.setting = setting;
  }
}

/**
 * The model's provider refused a request of a maintenance tool; `cause` is its error. Nobody is asked what to do: the agent's
 * run fails, and whoever keeps it running starts it again.
 */
export class MaintenanceError extends ShedError {
  readonly code = "shed/maintenance";
  readonly toolName: string;

  constructor({ toolName, cause }: { toolName: string; cause: unknown }) {
    super(`\`${toolName}\` could not ask its model: the provider refused the request`, { cause });
    this.toolName = toolName;
  }
}
