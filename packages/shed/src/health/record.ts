import { redactSecrets, type DependencyKind, type ExternalDependency, type ReasonCode } from "@roboz/core";

/** What is known of a dependency: nothing yet, or how its last check ended. */
export type HealthStatus = "pending" | "available" | "unavailable";

/** What a monitor knows of one dependency. */
export interface HealthRecord {
  readonly dependencyId: string;
  readonly kind: DependencyKind;
  /** Only entries that every kind is known to have, such as `displayName`; masked. */
  readonly metadata: Readonly<Record<string, string | number>>;
  readonly status: HealthStatus;
  /** When the last check ended, or was given up; null before that. */
  readonly checkedAt: Date | null;
  /** How long it took, with three decimals; null before that. */
  readonly latencyMs: number | null;
  /** Null unless it is unavailable. */
  readonly reasonCode: ReasonCode | null;
  /** For people, masked; null unless it is unavailable. */
  readonly message: string | null;
}

/** The only metadata that records hold. */
const shownMetadata: Readonly<Record<DependencyKind, readonly string[]>> = {
  executable: ["executable", "displayName"],
  model_endpoint: ["apiName", "modelName", "endpointType"],
  network_service: ["provider", "service", "host", "port", "tlsMode", "displayName"],
};

const longestMetadata = 1000;

export function pendingRecord(dependency: ExternalDependency): HealthRecord {
  const { dependencyId, kind } = dependency;
  return {
    dependencyId,
    kind,
    metadata: Object.freeze(metadataOf(dependency)),
    status: "pending",
    checkedAt: null,
    latencyMs: null,
    reasonCode: null,
    message: null,
  };
}

/** A copy that shares nothing that can be changed. */
export function detached(record: HealthRecord): HealthRecord {
  const { checkedAt, metadata } = record;
  return { ...record, metadata: { ...metadata }, checkedAt: checkedAt === null ? null : new Date(checkedAt) };
}

function metadataOf(dependency: ExternalDependency): Record<string, string | number> {
  let given: unknown;
  try {
    given = dependency.redactedMetadata();
  } catch {
    return {};
  }
  if (typeof given !== "object" || given === null) return {};
  const shown: Record<string, string | number> = {};
  for (const name of shownMetadata[dependency.kind]) {
    const entry: unknown = Object.hasOwn(given, name) ? Reflect.get(given, name) : undefined;
    if (typeof entry === "number") shown[name] = entry;
    if (typeof entry === "string") shown[name] = redactSecrets(entry, { maxCharacters: longestMetadata });
  }
  return shown;
}
