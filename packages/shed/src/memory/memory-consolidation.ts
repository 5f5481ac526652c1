import { Capability, ToolLabel } from "@roboz/deployment";

import { consolidationTool } from "./consolidation-tool.ts";
import { needsSummaries, type NeedsSummaries } from "./needs.ts";
import { recordsOf } from "./records.ts";
import { settingChecks } from "./setting-checks.ts";

/** How a {@link MemoryConsolidation} differs from the usual one. */
export interface MemoryConsolidationSettings {
  /** `memory_consolidation`, a default tool, by default. */
  readonly label?: ToolLabel | undefined;
  /** How many snapshots are enough while a watched agent is at work; 3 by default. */
  readonly minimumPending?: number | undefined;
  /** How old a snapshot may become while a watched agent is at work; 86 400 000, a day, by default. */
  readonly maxPendingAgeMs?: number | undefined;
  /** The longest memory, in characters; 12 000 by default. */
  readonly maxChars?: number | undefined;
  /** By how much a memory may be longer; 15 by default. */
  readonly tolerancePercent?: number | undefined;
  /** For each call of the model; 300 000 by default. */
  readonly timeoutMs?: number | undefined;
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
    maxChars = 12_000,
    tolerancePercent = 15,
    timeoutMs = 300_000,
  }: MemoryConsolidationSettings = {}) {
    const { positive, notNegative, whole } = settingChecks("MemoryConsolidation");
    whole("minimumPending", minimumPending);
    notNegative("maxPendingAgeMs", maxPendingAgeMs);
    positive("maxChars", maxChars);
    notNegative("tolerancePercent", tolerancePercent);
    positive("timeoutMs", timeoutMs);
    super({
      label: label ?? ToolLabel("memory_consolidation", { default: true }),
      requiredAttributes: needsSummaries,
      build: ({ attributes: { sandbox, watchedAgentNames, agentEndpoint: endpoint } }) => {
        const limits = { minimumPending, maxPendingAgeMs, maxChars, tolerancePercent, timeoutMs };
        return [consolidationTool({ records: recordsOf(sandbox), watchedAgentNames, endpoint, ...limits })];
      },
    });
  }
}
