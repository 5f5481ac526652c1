import { factory, Suspend, tool, when, type AnyTool, type Tool } from "@roboz/core";

import { commandNames } from "../commands/command.ts";
import { commandInput, inputLimits } from "../language/grammar.ts";
import { approvalReply, permissionRequest } from "./approval.ts";
import { FileCommandRunner, type RunnerSettings } from "./file-command-runner.ts";
import {
  FileCommandProgress,
  FileCommandReport,
  GuardedFileCommand,
  ResolvedFileCommand,
  type Position,
} from "./payloads.ts";

/** The four tools of the file commands. */
export interface FileCommandTools {
  /** What the model calls: `run_file_command`. */
  readonly entry: AnyTool;
  /** The last one of a round, whose {@link FileCommandReport} can be chained on: `execute_file_command`. */
  readonly execute: Tool<GuardedFileCommand, FileCommandProgress | FileCommandReport, "execute_file_command">;
  /** All four, for an agent or a skill. */
  readonly tools: readonly AnyTool[];
}

const description = `Run file commands: one ordered list of [text, tag] pairs, joined by operators. There is no shell: nothing is quoted, expanded or
split, and only the tag gives a text its role. At most ${inputLimits.commands} commands.
CMD: ${commandNames.join(" ")}. FLG: one option. ARG: a plain argument. PTH: a path; * and one **/ in it are expanded where files are read.
CTL: && || ; |.`;

/** Chains entry, guard and executor, and leads back to the guard for each further command. */
export function fileCommandChain(settings: RunnerSettings): FileCommandTools {
  const runner = new FileCommandRunner(settings);
  const entry = tool({
    name: "run_file_command",
    description,
    input: commandInput,
    output: ResolvedFileCommand,
    run: ({ value }, context) => runner.resolve(startOf(value), context),
  });
  const guard = tool({
    name: "guard_file_command",
    description: "Checks a file command against the permissions.",
    input: ResolvedFileCommand,
    output: [GuardedFileCommand, Suspend],
    chainedTo: entry,
    suspends: {
      request: permissionRequest,
      reply: approvalReply,
      resume: (reply, state, context) => runner.resumeGuard(reply, state, context),
    },
    run: (resolved, context) => runner.guard(resolved, context),
  });
  const execute = factory<FileCommandRunner>()({
    name: "execute_file_command",
    description: "Runs a file command that was allowed.",
    input: GuardedFileCommand,
    output: [FileCommandProgress, FileCommandReport],
    chainedTo: guard,
    run: (guarded, context, bound) => bound.execute(guarded, context),
  })(runner);
  const next = tool({
    name: "continue_file_command",
    description: "Goes on with the next file command of a sequence.",
    input: FileCommandProgress,
    output: ResolvedFileCommand,
    chainedTo: when(execute, FileCommandProgress.is),
    run: (progress, context) => runner.resolve(progress, context),
  });
  guard.chain(next);
  return { entry, execute, tools: [entry, guard, execute, next] };
}

function startOf(value: Position["value"]): Position {
  return { value, at: 0, status: 0, permissions: "", history: "", piped: null };
}
