import type { JournalStore } from "@roboz/core";
import { Capability, ToolLabel } from "@roboz/deployment";

import { needsSummaries, type NeedsSummaries } from "./needs.ts";
import { recordsOf } from "./records.ts";
import { settingChecks } from "./setting-checks.ts";
import { snapshotTool } from "./snapshot-tool.ts";

/** How {@link ConversationSnapshots} differ from the usual ones. */
export interface ConversationSnapshotsSettings {
  /** `conversation_snapshots`, a default tool, by default. */
  readonly label?: ToolLabel | undefined;
  /** How much a conversation under way has to grow for its next snapshot; 20 000 by default. */
  readonly growthThresholdTokens?: number | undefined;
  /** The longest snapshot, in characters; 8 000 by default. */
  readonly maxChars?: number | undefined;
  /** By how much a snapshot may be longer; 15 by default. */
  readonly tolerancePercent?: number | undefined;
  /** For each call of the model; 300 000 by default. */
  readonly timeoutMs?: number | undefined;
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
    maxChars = 8_000,
    tolerancePercent = 15,
    timeoutMs = 300_000,
    journal,
  }: ConversationSnapshotsSettings = {}) {
    const { positive, notNegative } = settingChecks("ConversationSnapshots");
    notNegative("growthThresholdTokens", growthThresholdTokens);
    positive("maxChars", maxChars);
    notNegative("tolerancePercent", tolerancePercent);
    positive("timeoutMs", timeoutMs);
    super({
      label: label ?? ToolLabel("conversation_snapshots", { default: true }),
      requiredAttributes: needsSummaries,
      build: ({ attributes: { sandbox, watchedAgentNames, agentEndpoint: endpoint } }) => {
        const limits = { growthThresholdTokens, maxChars, tolerancePercent, timeoutMs };
        return [
          snapshotTool({ records: recordsOf(sandbox), watchedAgentNames, endpoint, journal, ...limits }),
        ];
      },
    });
  }
}
