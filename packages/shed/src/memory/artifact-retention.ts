import { Capability, ToolLabel } from "@roboz/deployment";

import { needsRecords, type NeedsRecords } from "./needs.ts";
import { recordsOf } from "./records.ts";
import { retentionTools } from "./retention-tools.ts";
import { settingChecks } from "./setting-checks.ts";

/** How an {@link ArtifactRetention} differs from the usual one. Negative numbers count as 0. */
export interface ArtifactRetentionSettings {
  /** `artifact_retention`, three default tools, by default. */
  readonly label?: ToolLabel | undefined;
  /** How many logs are kept; 500 by default. */
  readonly logs?: number | undefined;
  /** How many snapshots are kept; 100 by default. The newest of a conversation whose log is there stays beyond it. */
  readonly snapshots?: number | undefined;
  /** How many memory files are kept; 10 by default. */
  readonly memory?: number | undefined;
}

/**
 * The capability to keep a sandbox's records from growing for ever: the default tools `purge_logs`, `purge_snapshots` and
 * `purge_memory`, which delete the files that were changed longest ago.
 *
 * @throws {@link MemorySettingsError} (`shed/memory-settings`)
 */
export class ArtifactRetention extends Capability<NeedsRecords> {
  constructor({ label, logs = 500, snapshots = 100, memory = 10 }: ArtifactRetentionSettings = {}) {
    const { whole } = settingChecks("ArtifactRetention");
    whole("logs", logs);
    whole("snapshots", snapshots);
    whole("memory", memory);
    super({
      label: label ?? ToolLabel("artifact_retention", { default: true }),
      requiredAttributes: needsRecords,
      build: ({ attributes: { sandbox } }) => retentionTools(recordsOf(sandbox), { logs, snapshots, memory }),
    });
  }
}
