import type { EventPipe } from "../runtime/pipe.ts";
import type { ToolContext } from "../tools/context.ts";
import type { EffectiveLimits } from "./limits.ts";
import { parentOf } from "./nesting.ts";
import type { RunState } from "./run-state.ts";

/** A run, as this package's own tools reach it. */
export interface RunAccess {
  readonly state: RunState;
  readonly pipe: EventPipe;
  readonly limits: EffectiveLimits;
}

/** The run that a context belongs to; undefined outside of any, and in one of a copy of this package without this. */
export function accessOf(context: ToolContext): RunAccess | undefined {
  const parent = parentOf(context);
  return parent !== undefined && "access" in parent ? parent.access : undefined;
}
