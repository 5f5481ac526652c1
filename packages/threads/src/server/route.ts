import type { z } from "zod";

import type { ThreadStore, ThreadTransaction, ThreadView } from "../store/thread-store.ts";
import type { GoalTargets } from "../turns/achieve-tools.ts";
import type { ThreadAgent } from "../turns/thread-agent.ts";
import { toolNamesOf } from "../turns/thread-agent.ts";
import { invalid } from "../store/errors.ts";
import type { Call } from "./call.ts";
import type { ServerLimits } from "./limits.ts";
import type { TakenNames } from "./trigger-checks.ts";

/** What routes work with. */
export interface ServerParts {
  readonly store: ThreadStore;
  readonly agents: AgentChoice;
  readonly goals: GoalTargets;
  readonly limits: ServerLimits;
  /** Whether an entity that a template names is there, by the type of the variable. */
  readonly entityExists: (type: string, id: string, orgId: string) => boolean | Promise<boolean>;
}

/** What is said of every route. */
interface RouteFacts {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With the names of its parts in braces. */
  readonly path: string;
  readonly summary: string;
  readonly body?: z.ZodType | undefined;
  readonly query?: readonly string[] | undefined;
  /** The status of a good answer; 200 by default. */
  readonly status?: number | undefined;
  /** What a good answer holds. */
  readonly data?: z.ZodType | undefined;
}

/** A route that reads. */
export interface ReadRoute extends RouteFacts {
  readonly read: (view: ThreadView, call: Call, server: ServerParts) => Promise<unknown>;
}

/** A route that writes: all of it in one transaction, with what is kept of its answer. */
export interface WriteRoute extends RouteFacts {
  /** What has to be found out from elsewhere before. */
  readonly prepare?: ((call: Call, server: ServerParts) => Promise<void>) | undefined;
  readonly write: (transaction: ThreadTransaction, call: Call, server: ServerParts) => Promise<unknown>;
}

/** A route of the server. */
export type Route = ReadRoute | WriteRoute;

/** The agents of a server, by the keys that threads keep. */
export class AgentChoice {
  readonly #agents: ReadonlyMap<string, ThreadAgent>;
  readonly #names = new Map<string, ReadonlySet<string>>();

  constructor(agents: ReadonlyMap<string, ThreadAgent>) {
    this.#agents = agents;
  }

  get(key: string): ThreadAgent | undefined {
    return this.#agents.get(key);
  }

  /** The agents, the default one first. */
  get entries(): readonly (readonly [key: string, agent: ThreadAgent])[] {
    return [...this.#agents];
  }

  /**
   * The key of the agent that a model profile stands for; the first one's without a profile.
   *
   * @throws {@link RobotoInvalidRequestException} for a profile that is not known.
   */
  keyOf(profile: string | null | undefined): string {
    if (profile === null || profile === undefined) {
      const [first] = this.#agents.keys();
      if (first === undefined) throw new Error("A server without agents was made");
      return first;
    }
    if (!this.#agents.has(profile)) throw invalid(`There is no model profile \`${profile}\``);
    return profile;
  }

  /** The names that clients may not give their tools. */
  namesOf(key: string): TakenNames {
    const agent = this.#agents.get(key);
    if (agent === undefined) return { taken: new Set(), carriedOut: new Set() };
    let taken = this.#names.get(key);
    if (taken === undefined) this.#names.set(key, (taken = toolNamesOf(agent)));
    return { taken, carriedOut: new Set(agent.clientTools ?? []) };
  }
}
