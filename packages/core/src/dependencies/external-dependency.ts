import { DependencyError } from "./errors.ts";
import type { DependencyFailure } from "./failure.ts";

/** What a thing from outside is. */
export type DependencyKind = "executable" | "network_service" | "model_endpoint";

const kinds: ReadonlySet<unknown> = new Set<DependencyKind>([
  "executable",
  "network_service",
  "model_endpoint",
]);

/** How a check is made. */
export interface CheckOptions {
  /** Gives the check up: it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Something outside of the process that tools need: a program, a service, a model. Endpoints and
 * {@link ExecutableDependency} are such; implement it for your own. Tools name theirs by a context with
 * `externalDependencies()`, or by a context that is one.
 */
export interface ExternalDependency {
  /** Names the thing for everybody who needs it, such as `executable:rg` or `model:openai:gpt-5`. */
  readonly dependencyId: string;
  readonly kind: DependencyKind;
  /** What may be shown of the thing to anybody. */
  readonly redactedMetadata: () => Readonly<Record<string, string | number>>;
  /**
   * Finds out, anew each time, whether the thing can be used. Nothing but a call of this checks anything.
   *
   * @returns `null` when it can be used, else why not; failures are returned, not thrown.
   * {@link checkDependency} holds a check to this.
   */
  readonly check: (options?: CheckOptions) => Promise<DependencyFailure | null>;
}

/** Whether anything is an external dependency, of any installed copy of this package. */
export function isExternalDependency(candidate: unknown): candidate is ExternalDependency {
  if (typeof candidate !== "object" || candidate === null) return false;
  return (
    "dependencyId" in candidate &&
    typeof candidate.dependencyId === "string" &&
    candidate.dependencyId.trim() !== "" &&
    "kind" in candidate &&
    kinds.has(candidate.kind) &&
    "redactedMetadata" in candidate &&
    typeof candidate.redactedMetadata === "function" &&
    "check" in candidate &&
    typeof candidate.check === "function"
  );
}

/**
 * Leaves each dependency once, the first of each id, in order.
 *
 * @throws {@link DependencyError} (`core/dependency`) when an entry is no dependency.
 */
export function dedupeExternalDependencies(
  dependencies: Iterable<ExternalDependency>,
): readonly ExternalDependency[] {
  const byId = new Map<string, ExternalDependency>();
  for (const candidate of dependencies) {
    const entry: unknown = candidate;
    if (!isExternalDependency(entry)) {
      throw new DependencyError(
        "A list of dependencies holds something that is none; an entry has `dependencyId`, `kind`, `redactedMetadata` and `check`",
      );
    }
    if (!byId.has(entry.dependencyId)) byId.set(entry.dependencyId, entry);
  }
  return [...byId.values()];
}

/**
 * What a tool, an agent, an endpoint or any context needs from outside; each thing once, in order. Asks, and does
 * nothing else: nothing is checked, opened or made ready. Empty for what names no needs.
 *
 * @throws {@link DependencyError} (`core/dependency`) when the subject's `externalDependencies` is no function, or gives no
 * list of dependencies; what that function throws.
 */
export function externalDependenciesOf(subject: unknown): readonly ExternalDependency[] {
  if ((typeof subject !== "object" && typeof subject !== "function") || subject === null) return [];
  if (!("externalDependencies" in subject)) return isExternalDependency(subject) ? [subject] : [];
  const { externalDependencies } = subject;
  if (typeof externalDependencies !== "function") {
    throw new DependencyError("`externalDependencies` is not a function; make it one, or leave it out");
  }
  const listed: unknown = Reflect.apply(externalDependencies, subject, []);
  if (!Array.isArray(listed) || !listed.every(isExternalDependency)) {
    throw new DependencyError("`externalDependencies` does not give a list of dependencies");
  }
  return dedupeExternalDependencies(listed);
}
