import type { Sandbox } from "../permissions/sandbox.ts";

/** Where an agent's logs, snapshots and memory are. */
export type Records = Pick<Sandbox, "logsDir" | "snapshotsDir" | "memoryDir">;
/** A sandbox as maintenance needs it. */
export type RecordsSource = Records & Pick<Sandbox, "scope" | "forProject">;

/**
 * The folders of the project that is chosen now, whatever is chosen later. Each use looks for links that lead out of the project.
 *
 * @throws {@link SandboxError} (`shed/sandbox`) without a scope.
 */
export function recordsOf(sandbox: RecordsSource): Records {
  const { scope } = sandbox;
  const records: Records = scope === undefined ? sandbox : sandbox.forProject(scope);
  // Read once, so that a mistake shows when an agent is built and not when it has worked for an hour.
  if ([records.logsDir, records.snapshotsDir, records.memoryDir].includes(""))
    throw new Error("A sandbox gave an empty path");
  return records;
}
