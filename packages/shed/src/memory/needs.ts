import { isEndpointLike, type EndpointLike } from "@roboz/core";
import * as z from "zod";

import type { RecordsSource } from "./records.ts";

/** What maintenance capabilities require of an agent. */
export interface NeedsRecords {
  /** With a scope: where logs, snapshots and memory are is taken from it when the agent is built. */
  readonly sandbox: RecordsSource;
}

/** What capabilities require that look after other agents. */
export interface NeedsWatched extends NeedsRecords {
  /** The agents whose conversations and activity count: those of the foreground. */
  readonly watchedAgentNames: ReadonlySet<string>;
}

/** What summarising capabilities require. */
export interface NeedsSummaries extends NeedsWatched {
  /** The model that summarises. */
  readonly agentEndpoint: EndpointLike;
}

export const endpointSchema = z.custom<EndpointLike>(isEndpointLike).meta({ title: "Endpoint" });

const sandbox = z.custom<RecordsSource>(isRecordsSource).meta({ title: "Sandbox" });
const watchedAgentNames: z.ZodType<ReadonlySet<string>> = z.set(z.string());

export const needsRecords = { sandbox };
export const needsWatched = { sandbox, watchedAgentNames };
export const needsSummaries = { sandbox, watchedAgentNames, agentEndpoint: endpointSchema };

/** Whether anything has the folders of a sandbox, of any installed copy of this package; without a scope, it cannot tell them yet. */
function isRecordsSource(candidate: unknown): boolean {
  if (typeof candidate !== "object" || candidate === null) return false;
  const names = ["logsDir", "snapshotsDir", "memoryDir", "forProject"];
  return names.every((name) => name in candidate);
}
