import { commandDefinitions } from "../commands/definitions.ts";
import type { GuardedToolOptions } from "./approval.ts";
import { checkGuardedOptions } from "./guard-settings.ts";
import { fileCommandChain, type FileCommandTools } from "./guarded-chain.ts";

/**
 * The guarded file commands, as a chain of four tools: `run_file_command`, which the model calls,
 * `guard_file_command`, `execute_file_command` and `continue_file_command`. One set may serve any number of agents and runs.
 *
 * Each decision of the guard is an event of the run: of type `"runtime"`, with `audit: "permission"` in its data.
 *
 * @throws {@link GuardSettingsError} (`shed/guard-settings`) for options that are not known or cannot be.
 */
export function fileCommandTools(options: GuardedToolOptions): FileCommandTools {
  checkGuardedOptions("fileCommandTools", options);
  return fileCommandChain({
    policy: options.policy,
    definitions: commandDefinitions,
    containment: undefined,
    now: () => performance.now(),
    timeoutMs: 60_000,
    spoolLimits: {},
    options,
  });
}
