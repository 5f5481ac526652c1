import type { RunState } from "./run-state.ts";
import type { RunSnapshot } from "./snapshot.ts";
import { storeValue } from "./stored-value.ts";

/** Where a run stands, as plain JSON. */
export function storePosition(state: RunState): RunSnapshot["position"] {
  return {
    lastTool: state.last?.key ?? null,
    output: storeValue(state.output),
    chosenBy: state.chosenBy,
    queue: state.queue.map(({ key }) => key),
    calls: state.calls.map(storeValue),
  };
}
