import type { RunEvent } from "../runtime/events.ts";
import type { Stop } from "../values/builtin.ts";
import type { RunResult } from "./outcome.ts";
import type { Run } from "./run.ts";

/**
 * A run's events as they happen, deltas too; the generator returns the run's result. Leaving the loop early cancels the
 * run; a failed run throws after its last event.
 */
export async function* streamRun<Output extends Stop>(
  run: Run<Output>,
): AsyncGenerator<RunEvent, RunResult<Output>, undefined> {
  const waiting: RunEvent[] = [];
  let wake: () => void = () => undefined;
  const progress = { isOver: false };
  const detach = run.addSink((event) => {
    waiting.push(event);
    wake();
  });
  const finished = run.finish();
  const over = (): void => {
    progress.isOver = true;
    wake();
  };
  finished.then(over, over);
  try {
    for (;;) {
      const batch = waiting.splice(0);
      yield* batch;
      if (batch.length > 0) continue;
      if (progress.isOver) return await finished;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    detach();
    if (!progress.isOver) {
      run.cancel();
      // Awaited, so that nothing of the run happens after the loop was left.
      await finished.catch(() => undefined);
    }
  }
}
