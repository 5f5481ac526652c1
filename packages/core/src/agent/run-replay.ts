import type { UserIo } from "../runtime/user-io.ts";
import type { AnyValue } from "../values/value.ts";
import type { Agent } from "./agent.ts";
import type { RunSnapshot, StoredValue } from "./snapshot.ts";

/** What stands in for the surroundings of a run that is played again from its record. */
export interface RunReplay {
  /** The agent, asking the record in place of its model. */
  readonly agent: Agent;
  /** The user as they answered then. */
  readonly io: UserIo;
  /** Where the run starts: as its record was opened, with what it is given today. */
  readonly opening: (given: AnyValue) => RunSnapshot;
  /** A snapshot that knows the results of all effects in the record. */
  readonly withEffects: (snapshot: RunSnapshot) => RunSnapshot;
  /** What the step under way came to then; undefined when the record has no such step. */
  readonly recordedOutput: () => StoredValue | undefined;
  /**
   * The same for a run that this one calls.
   *
   * @throws {@link ReplayDivergedError} (`core/replay-diverged`) when the record has no such run.
   */
  readonly child: (runId: string, agent: Agent) => Promise<RunReplay>;
}
