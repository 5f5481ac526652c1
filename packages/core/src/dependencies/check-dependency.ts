import { waitFor } from "../llm/wait.ts";
import type { CheckOptions, ExternalDependency } from "./external-dependency.ts";
import { DependencyFailure } from "./failure.ts";

/**
 * Checks a dependency and holds it to its promise: whatever its check throws, or returns beside a failure and `null`,
 * becomes a failure. Only when the signal fires it rejects, at once and with the signal's reason.
 *
 * @returns `null` when the dependency can be used.
 */
export async function checkDependency(
  dependency: ExternalDependency,
  options: CheckOptions = {},
): Promise<DependencyFailure | null> {
  const { signal } = options;
  signal?.throwIfAborted();
  let found: unknown;
  try {
    found = await waitFor(begin(dependency, options), { signal });
  } catch (error) {
    signal?.throwIfAborted();
    return DependencyFailure.fromError(error);
  }
  if (found === null || DependencyFailure.is(found)) return found;
  return new DependencyFailure({
    reasonCode: "protocol_error",
    message: `The check gave ${found === undefined ? "nothing" : `a value of type ${typeof found}`}; it has to give null or a DependencyFailure`,
  });
}

/** Calls a check so that what it throws at once is a rejection too. */
async function begin(dependency: ExternalDependency, options: CheckOptions): Promise<unknown> {
  return dependency.check(options);
}
