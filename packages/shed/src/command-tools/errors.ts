import { ShedError } from "../errors.ts";

/** Guarded tools, or what is made of them, were set up with something that cannot be. */
export class GuardSettingsError extends ShedError {
  readonly code = "shed/guard-settings";
  /** The function or class that was given the settings, such as `fileCommandTools`. */
  readonly owner: string;
  /** The setting that is wrong, such as `policy`. */
  readonly setting: string;

  constructor({ owner, setting, problem }: { owner: string; setting: string; problem: string }) {
    super(`\`${setting}\` of \`${owner}\` ${problem}`);
    this.owner = owner;
    this.setting = setting;
  }
}
