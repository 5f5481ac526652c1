import type { Clock, EndpointLike, JournalStore, Limits } from "@roboz/core";
import { DeployableAgent } from "@roboz/deployment";

import { ArtifactRetention } from "../memory/artifact-retention.ts";
import { ConversationSnapshots } from "../memory/conversation-snapshots.ts";
import { MemorySettingsError } from "../memory/errors.ts";
import { MaintenanceCadence } from "../memory/maintenance-cadence.ts";
import { MemoryConsolidation } from "../memory/memory-consolidation.ts";
import type { Sandbox } from "../permissions/sandbox.ts";

/** What a {@link librarian} is made of. */
export interface LibrarianSettings {
  /** Whose logs, snapshots and memory it looks after; scoped when it is built. */
  readonly sandbox: Sandbox;
  /** The agents of the foreground: `agentNames({ includeBackground: false })`, once all nested agents are attached. */
  readonly watchedAgentNames: Iterable<string>;
  /** The model that summarises. */
  readonly agentEndpoint: EndpointLike;
  /** Where the watched agents keep their journals; see {@link ConversationSnapshots}. */
  readonly journal?: JournalStore | undefined;
  /** What one run may use; the limits of every agent by default, which end a run of ceaseless activity after about two days. */
  readonly limits?: Limits | undefined;
  /** The time of the waits between two passes. */
  readonly clock?: Clock | undefined;
}

/** What a Librarian's capabilities require. */
export interface LibrarianAttributes {
  readonly sandbox: Sandbox;
  readonly watchedAgentNames: ReadonlySet<string>;
}

/**
 * The agent that keeps the memory of others, best in their background: it snapshots their conversations, consolidates the snapshots,
 * deletes what is old, and ends when nobody is at work. It is deterministic: its model writes summaries, and decides nothing.
 *
 * @throws {@link MemorySettingsError} (`shed/memory-settings`) for a text in place of a list of names.
 */
export function librarian({
  sandbox,
  watchedAgentNames,
  agentEndpoint,
  journal,
  limits,
  clock,
}: LibrarianSettings): DeployableAgent<LibrarianAttributes> {
  if (typeof watchedAgentNames === "string")
    throw new MemorySettingsError({
      owner: "librarian",
      setting: "watchedAgentNames",
      problem: "is a text; give a list or a set of names",
    });
  return new DeployableAgent<LibrarianAttributes>({
    name: "librarian",
    description: "Keeps snapshots and memory of what the other agents do.",
    mode: "deterministic",
    automaticToolPrompt: false,
    agentEndpoint,
    limits,
    capabilities: [
      new ConversationSnapshots({ journal }),
      new MemoryConsolidation(),
      new ArtifactRetention(),
      new MaintenanceCadence({ clock }),
    ],
    attributes: { sandbox, watchedAgentNames: Object.freeze(new Set(watchedAgentNames)) },
  });
}
