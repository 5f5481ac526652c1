import { CoreError } from "../errors.ts";

/**
 * What differs: what the model was shown (`request`), the native tools that it was offered (`tools`), a message that a step
 * reported (`message`), a change of history (`history`), what the run waits for (`waiting`), an effect that the record has no
 * result of (`effect`), a question to the user (`question`), an agent that is called (`child`), or how and when the run
 * ended (`end`).
 */
export type DifferenceKind =
  "request" | "tools" | "message" | "history" | "waiting" | "effect" | "question" | "child" | "end";

/** The first difference between a recorded run and its replay. */
export interface ReplayDifference {
  readonly kind: DifferenceKind;
  /** What differs, such as `message 5 of the request, of ask_bob`. */
  readonly what: string;
  /** The recorded side around the first difference, shortened; null where the record has nothing. */
  readonly recorded: string | null;
  /** The same of today's run. */
  readonly today: string | null;
}

/** A replay is no longer what was recorded. The difference quotes the conversation, shortened. */
export class ReplayDivergedError extends CoreError {
  readonly code = "core/replay-diverged";
  /** The run that differs: the one replayed, or that of an agent that is its tool. */
  readonly runId: string;
  /** The recorded step at which it differs, as `readTranscript` numbers them. */
  readonly step: number;
  readonly difference: ReplayDifference;

  constructor({ runId, step, difference }: { runId: string; step: number; difference: ReplayDifference }) {
    const { what, recorded, today } = difference;
    super(
      `The replay of the run \`${runId}\` differs from its record at step ${step}: ${what}` +
        `; recorded: ${recorded ?? "nothing"}; today: ${today ?? "nothing"}`,
    );
    this.runId = runId;
    this.step = step;
    this.difference = difference;
  }
}
