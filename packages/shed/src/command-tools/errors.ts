import type * as z from "zod";

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

/**
 * A run waited for a person's yes, and what it kept is not what these tools keep: another version of them suspended it, or it
 * was changed since. Nothing was done; a model is told to repeat the call, so that the person is asked again.
 */
export class ApprovalStateError extends ShedError {
  readonly code = "shed/approval-state";

  constructor(cause: z.ZodError) {
    const where = ["state", ...(cause.issues[0]?.path ?? [])].map(String).join(".");
    super(
      `What waited for a permission was kept in another form than this version of @roboz/shed does (\`${where}\` does not fit), so nothing was done. Repeat the call`,
      { cause },
    );
  }
}
