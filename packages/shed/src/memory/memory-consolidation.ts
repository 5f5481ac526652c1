import { Capability, ToolLabel } from "@roboz/deployment";

import { consolidationTool } from "./consolidation-tool.ts";
import { needsSummaries, type NeedsSummaries } from "./needs.ts";
import { recordsOf } from "./records.ts";
import { settingChecks } from "./setting-checks.ts";
import { checkSummaryLimits, type SummaryLimits } from "./summary-limits.ts";

/** How a {@link MemoryConsolidation} differs from the usual one. */
export interface MemoryConsolidationSettings extends SummaryLimits {
  /** `memory_consolidation`, a default tool, by default. */
  readonly label?: ToolLabel | undefined;
  /** How many snapshots are enough while a watched agent is at work; 3 by default. */
  readonly minimumPending?: number | undefined;
  /** How old a snapshot may become while a watched agent is at work; 86 400 000, a day, by default. */
  readonly maxPendingAgeMs?: number | undefined;
}

/**
 * The capability to make one memory of many snapshots: the default tool `consolidate_memory`. Each memory is a file of its own in the
 * sandbox's memory folder; the newest one counts.
 *
 * @throws {@link MemorySettingsError} (`shed/memory-settings`)
 */
export class MemoryConsolidation extends Capability<NeedsSummaries> {
  constructor({
    label,
    minimumPending = 3,
    maxPendingAgeMs = 86_400_000,
    ...limits
  }: MemoryConsolidationSettings = {}) {
    const checks = settingChecks("MemoryConsolidation");
    checks.whole("minimumPending", minimumPending);
    checks.notNegative("maxPendingAgeMs", maxPendingAgeMs);
    const summaries = { minimumPending, maxPendingAgeMs, ...checkSummaryLimits(checks, limits, 12_000) };
    super({
      label: label ?? ToolLabel("memory_consolidation", { default: true }),
      requiredAttributes: needsSummaries,
      build: ({ attributes: { sandbox, watchedAgentNames, agentEndpoint: endpoint } }) => [
        consolidationTool({ records: recordsOf(sandbox), watchedAgentNames, endpoint, ...summaries }),
      ],
    });
  }
}
