import type { MockEntry } from "@roboz/core";

import { snapshotTool, type SnapshotToolOptions } from "../snapshot-tool.ts";
import { called, noon, summariser, usual, type Project } from "./project.ts";

/** The snapshot tool on a project, with a model that plays a script. */
export function snapshots(
  { records }: Project,
  script: readonly MockEntry[],
  options: Partial<SnapshotToolOptions> = {},
) {
  const { endpoint, sources } = summariser(...script);
  const made = snapshotTool({
    records,
    watchedAgentNames: new Set(["clerk"]),
    growthThresholdTokens: 20_000,
    endpoint,
    ...usual,
    now: () => noon,
    ...options,
  });
  return { endpoint, sources, pass: (signal = new AbortController().signal) => called(made, { signal }) };
}

/** A text of about so many tokens. */
export const words = (tokens: number): string => "word".repeat(tokens);
