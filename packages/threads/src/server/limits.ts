import * as z from "zod";

import { deltaLimits, type DeltaLimits } from "../store/delta.ts";
import { ServerLimitError } from "../store/errors.ts";

/** How much a server takes. What is over a limit is refused, never cut. */
export interface ServerLimits {
  readonly bodyBytes: number;
  /** Values that a body may hold, lists and objects and what is in them: what it costs to look at them, short as they may be. */
  readonly bodyValues: number;
  /** Characters of one block of text, of a skill's body and of the description of a client tool. */
  readonly textChars: number;
  readonly seededMessages: number;
  /** Blocks of all messages that one request brings. */
  readonly blocks: number;
  /** Things that one request says it is about. */
  readonly subjects: number;
  /** Client tools that a thread may have declared. */
  readonly clientTools: number;
  /**
   * How long a turn waits for its client tools, in milliseconds; null, the default, for as long as it takes. Then each that has no
   * result gets an error, the turn goes on, and a result that still comes is refused. Workers look every `reapMs` of the lease.
   */
  readonly clientToolTtlMs: number | null;
  /** Bytes of the schema of one client tool. */
  readonly schemaBytes: number;
  /** Bytes of what a client tool answers. */
  readonly outputBytes: number;
  readonly systemPromptChars: number;
  /** Skills that one request may invoke. */
  readonly invokeSkills: number;
  /** Streams that one principal may have open. */
  readonly streams: number;
  /** Requests that one principal may make at once, and how many it gets back each second; null for any number. */
  readonly requests: { readonly burst: number; readonly perSecond: number } | null;
  readonly delta: DeltaLimits;
  /** Steps of one turn: turns of the model and tools. */
  readonly steps: number;
  /** Time that is worked on one turn, in milliseconds; waiting for a client does not count. */
  readonly wallMs: number;
  /** How often the model is told that goals are open when it ends a turn. */
  readonly reprompts: number;
  /** Turns that one process works on at once. */
  readonly concurrency: number;
  /** Turns of one organisation that run at once, over all processes. */
  readonly perOrg: number;
}

/** What a server takes when it is told nothing else. */
export const serverLimits: ServerLimits = {
  bodyBytes: 4 * 1024 * 1024,
  bodyValues: 100_000,
  textChars: 200_000,
  seededMessages: 200,
  blocks: 1000,
  subjects: 1000,
  clientTools: 64,
  clientToolTtlMs: null,
  schemaBytes: 32 * 1024,
  outputBytes: 1024 * 1024,
  systemPromptChars: 100_000,
  invokeSkills: 10,
  streams: 20,
  requests: { burst: 400, perSecond: 100 },
  delta: deltaLimits,
  steps: 100,
  wallMs: 30 * 60 * 1000,
  reprompts: 3,
  concurrency: 64,
  perOrg: 32,
};

const count = z.int().min(0);
/** Without one of these nothing would ever be done. */
const needed = z.int().min(1);

const limitsSchema = z.strictObject({
  bodyBytes: needed,
  bodyValues: needed,
  textChars: count,
  seededMessages: count,
  blocks: count,
  subjects: count,
  clientTools: count,
  clientToolTtlMs: z.number().min(0).nullable(),
  schemaBytes: count,
  outputBytes: count,
  systemPromptChars: count,
  invokeSkills: count,
  streams: count,
  requests: z.strictObject({ burst: z.number().min(1), perSecond: z.number().positive() }).nullable(),
  delta: z.strictObject({ entries: needed, bytes: needed }),
  steps: needed,
  // No timer waits longer.
  wallMs: z
    .number()
    .positive()
    .max(2 ** 31 - 1),
  reprompts: count,
  concurrency: needed,
  perOrg: needed,
}) satisfies z.ZodType<ServerLimits>;

/**
 * The limits of a server: its own where none are given.
 *
 * @throws {@link ServerLimitError} (`threads/server-limit`) for one that is none, or that no server has.
 */
export function limitsWith(given: Partial<ServerLimits> = {}): ServerLimits {
  const checked = limitsSchema.safeParse({ ...serverLimits, ...given });
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  const named = issue?.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : (issue?.path ?? []);
  throw new ServerLimitError({ limit: named.join("."), problem: issue?.message ?? "Invalid" });
}
