import { ShedError } from "../errors.ts";

/** A permission policy, or a rule of one, cannot be what it was given. */
export class PolicyError extends ShedError {
  readonly code = "shed/policy";
  /** The setting that is wrong, such as `base` or `allow[0].operations`. */
  readonly setting: string;

  constructor({ setting, problem }: { setting: string; problem: string }) {
    super(`\`${setting}\` of a permission policy ${problem}`);
    this.setting = setting;
  }
}
