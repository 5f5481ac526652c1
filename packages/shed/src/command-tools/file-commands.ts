import { commandDefinitions } from "../commands/definitions.ts";
import type { GuardedToolOptions } from "./approval.ts";
import { fileCommandChain, type FileCommandTools } from "./guarded-chain.ts";

/**
 * The guarded file commands, as a chain of four tools: `run_file_command`, which the model calls,
 * `guard_file_command`, `execute_file_command` and `continue_file_command`. One set may serve any number of agents and runs.
 *
 * Each decision of the guard is an event of the run: of type `"runtime"`, with `audit: "permission"` in its data.
 */
export function fileCommandTools(options: GuardedToolOptions): FileCommandTools {
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
