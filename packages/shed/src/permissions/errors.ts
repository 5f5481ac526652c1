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

/** A sandbox's layout or scope cannot be what it was given, or its folders are not what they must be. */
export class SandboxError extends ShedError {
  readonly code = "shed/sandbox";
  /** The setting that is wrong, such as `scope` or `logs`. */
  readonly setting: string;

  constructor({ setting, problem, cause }: { setting: string; problem: string; cause?: unknown }) {
    super(`\`${setting}\` of a sandbox ${problem}`, cause === undefined ? undefined : { cause });
    this.setting = setting;
  }
}
