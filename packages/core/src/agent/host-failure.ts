import {
  JournalDamagedError,
  JournalWriteError,
  OnceUncertainError,
  RunLockedError,
  UnknownRunError,
} from "../runtime/journal/errors.ts";
import { AgentChangedError, ReplyError, SnapshotError, UnknownKindError } from "./errors.ts";

/** Whether a tool's failure is one that only whoever runs the agent can mend. */
export function isForHost(cause: unknown): boolean {
  return hostErrors.some((kind) => cause instanceof kind);
}

/** What is wrong with a run, of this agent or of one that is a tool, or with its store. */
const hostErrors = [
  AgentChangedError,
  JournalDamagedError,
  JournalWriteError,
  OnceUncertainError,
  ReplyError,
  RunLockedError,
  SnapshotError,
  UnknownKindError,
  UnknownRunError,
] as const;
