import { ShedError } from "../errors.ts";

/** A health monitor was set up with something that cannot be. */
export class HealthSettingsError extends ShedError {
  readonly code = "shed/health-settings";
  /** The setting that is wrong, such as `intervalMs`. */
  readonly setting: string;

  constructor({ setting, problem }: { setting: string; problem: string }) {
    super(`\`${setting}\` of a health monitor ${problem}`);
    this.setting = setting;
  }
}
