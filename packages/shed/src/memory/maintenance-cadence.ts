import type { Clock } from "@roboz/core";
import { Capability, ToolLabel } from "@roboz/deployment";

import { cadenceTools } from "./cadence-tools.ts";
import { needsWatched, type NeedsWatched } from "./needs.ts";
import { recordsOf } from "./records.ts";
import { settingChecks } from "./setting-checks.ts";

/** How a {@link MaintenanceCadence} differs from the usual one. */
export interface MaintenanceCadenceSettings {
  /** `maintenance_cadence`, two default tools, by default. */
  readonly label?: ToolLabel | undefined;
  /** The time between two passes; 120 000 by default. */
  readonly intervalMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * The capability to go on until nobody is at work any more: the default tools `stop_when_watched_agents_inactive`, which ends the run
 * after one more pass, and `sleep_between_runs`, which waits no longer than until a watched run ends. Who is at work is told by
 * the markers that `persistenceSink` keeps below the sandbox's logs, in a folder for each agent.
 *
 * @throws {@link MemorySettingsError} (`shed/memory-settings`)
 */
export class MaintenanceCadence extends Capability<NeedsWatched> {
  constructor({ label, intervalMs = 120_000, clock }: MaintenanceCadenceSettings = {}) {
    settingChecks("MaintenanceCadence").positive("intervalMs", intervalMs);
    super({
      label: label ?? ToolLabel("maintenance_cadence", { default: true }),
      requiredAttributes: needsWatched,
      build: ({ attributes: { sandbox, watchedAgentNames } }) =>
        cadenceTools({ records: recordsOf(sandbox), watchedAgentNames, intervalMs, clock }),
    });
  }
}
