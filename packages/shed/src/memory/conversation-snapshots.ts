import type { JournalStore } from "@roboz/core";
import { Capability, ToolLabel } from "@roboz/deployment";

import { needsSummaries, type NeedsSummaries } from "./needs.ts";
import { recordsOf } from "./records.ts";
import { settingChecks } from "./setting-checks.ts";
import { snapshotTool } from "./snapshot-tool.ts";
import { checkSummaryLimits, type SummaryLimits } from "./summary-limits.ts";

/** How {@link ConversationSnapshots} differ from the usual ones. */
export interface ConversationSnapshotsSettings extends SummaryLimits {
  /** `conversation_snapshots`, a default tool, by default. */
  readonly label?: ToolLabel | undefined;
  /** How much a conversation under way has to grow for its next snapshot; 20 000 by default. */
  readonly growthThresholdTokens?: number | undefined;
  /** Where the watched agents keep their journals: without it, a run that is under way is seen as its log has it. */
  readonly journal?: JournalStore | undefined;
}

/**
 * The capability to keep snapshots of what other agents talk about: the default tool `snapshot_conversations`. It reads the logs of
 * the agents in `watchedAgentNames` below the sandbox's logs, and writes below its snapshots.
 *
 * @throws {@link MemorySettingsError} (`shed/memory-settings`)
 */
export class ConversationSnapshots extends Capability<NeedsSummaries> {
  constructor({
    label,
    growthThresholdTokens = 20_000,
    journal,
    ...limits
  }: ConversationSnapshotsSettings = {}) {
    const checks = settingChecks("ConversationSnapshots");
    checks.notNegative("growthThresholdTokens", growthThresholdTokens);
    const summaries = { growthThresholdTokens, journal, ...checkSummaryLimits(checks, limits, 8_000) };
    super({
      label: label ?? ToolLabel("conversation_snapshots", { default: true }),
      requiredAttributes: needsSummaries,
      build: ({ attributes: { sandbox, watchedAgentNames, agentEndpoint: endpoint } }) => [
        snapshotTool({ records: recordsOf(sandbox), watchedAgentNames, endpoint, ...summaries }),
      ],
    });
  }
}
