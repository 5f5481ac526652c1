import { CoreError } from "../errors.ts";

/** A dependency, or a list of them, is described wrongly. */
export class DependencyError extends CoreError {
  readonly code = "core/dependency";
}

/** A program that is needed is not there. */
export class ExecutableNotFoundError extends CoreError {
  readonly code = "core/executable-not-found";
  readonly executable: string;

  constructor({ executable }: { executable: string }) {
    super(`\`${executable}\` is not on the PATH; install it, or add its folder to the PATH`);
    this.executable = executable;
  }
}
