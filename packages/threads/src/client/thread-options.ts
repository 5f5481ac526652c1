import type { AgentGoal } from "../wire/goals.ts";
import type { ThreadVisibility } from "../wire/enums.ts";
import type { AnalysisScopeInput, ClientViewingContext } from "../wire/scope.ts";
import type { AvailableSkillSpec, InvokeSkillSpec } from "../wire/skills.ts";
import type { AgentEvent } from "./events.ts";
import type { FollowOptions } from "./follower.ts";
import type { ThreadsClient } from "./http/threads-client.ts";
import type { DeclaredTool } from "./tools/tool-registry.ts";

/** What every call takes that changes something. */
export interface ChangeOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * Names this change, so that it is made once however often the call is repeated, also by another process after a crash.
   * Keep it before the call if you want that; without one, each call has a key of its own.
   */
  readonly idempotencyKey?: string | undefined;
}

/** What a message may bring along. */
export interface SendTextOptions extends ChangeOptions {
  /** What the user looks at while writing; informs the agent about this message only. */
  readonly clientContext?: ClientViewingContext | undefined;
  /** Added to the tools of the thread, or put in the place of those of the same name. */
  readonly clientTools?: readonly DeclaredTool[] | undefined;
  /** For this turn and those after it; left out, it stays as it is, and one without bounds clears it. */
  readonly analysisScope?: AnalysisScopeInput | undefined;
  /** What this turn must achieve, at most five. */
  readonly goals?: readonly AgentGoal[] | undefined;
}

export interface SendOptions extends SendTextOptions {
  /** Skills that the agent loads before it answers. */
  readonly invokeSkills?: readonly InvokeSkillSpec[] | undefined;
}

export interface StartOptions extends SendOptions {
  readonly client: ThreadsClient;
  readonly systemPrompt?: string | undefined;
  /** One of the server's model profiles, such as `standard`. */
  readonly modelProfile?: string | undefined;
  /** The organisation that owns the thread. */
  readonly orgId?: string | undefined;
  /** Skills that the agent may load, at most 100; left out, those that the caller subscribed to, and empty is none. */
  readonly availableSkills?: readonly AvailableSkillSpec[] | undefined;
  /** `private` by default. */
  readonly visibility?: ThreadVisibility | undefined;
}

export interface FromIdOptions {
  readonly client: ThreadsClient;
  /** Whether to load what was said so far; true by default. */
  readonly loadMessages?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How a thread is run until it is the user's turn. */
export interface RunOptions extends FollowOptions {
  /** Gets each event, and is waited for. What it throws ends the run; the thread is unharmed. */
  readonly onEvent?: ((event: AgentEvent) => unknown) | undefined;
  /** Whether the client tools of one step run at the same time; one after the other by default. */
  readonly parallelClientTools?: boolean | undefined;
}
