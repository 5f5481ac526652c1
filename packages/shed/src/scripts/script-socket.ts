import { DependencyFailure, type CheckOptions, type ExternalDependency, type ReasonCode } from "@roboz/core";

import { systemCode } from "../files/system-error.ts";
import { ScriptServiceError } from "./errors.ts";
import { TooSlowError } from "./frame-socket.ts";
import { FrameError } from "./frames.ts";
import { greetedBy, transportProblem } from "./remote-scripts.ts";
import { checkSocketPath } from "./socket-path.ts";

/** The service behind a socket, as something that an agent needs from outside. */
export class ScriptSocket implements ExternalDependency {
  readonly kind = "network_service";
  readonly dependencyId: string;
  readonly socketPath: string;

  /** @param socketPath - Absolute. */
  constructor(socketPath: string) {
    this.socketPath = socketPath;
    this.dependencyId = `script_socket:${socketPath}`;
  }

  readonly redactedMetadata = (): Readonly<Record<string, string>> => ({
    provider: "roboz",
    service: "scripts",
    displayName: this.socketPath,
  });

  readonly externalDependencies = (): readonly ExternalDependency[] => [this];

  readonly check = async ({ signal }: CheckOptions = {}): Promise<DependencyFailure | null> => {
    try {
      const { frames } = await greetedBy(this.socketPath, signal);
      frames.close();
      return null;
    } catch (error) {
      signal?.throwIfAborted();
      const message = `The script service is unavailable or incompatible: ${transportProblem(error)}`;
      return new DependencyFailure({ reasonCode: reasonOf(error), message });
    }
  };
}

function reasonOf(error: unknown): ReasonCode {
  if (error instanceof FrameError) return "protocol_error";
  if (error instanceof TooSlowError) return "timeout";
  return systemCode(error) === "ENOENT" ? "not_found" : "connection_failed";
}

/**
 * Connects to a script service, takes its greeting, and leaves: nothing is listed or run.
 *
 * @throws {@link ScriptServiceError} (`shed/script-service`) with the fault `unavailable` when there is none, or it is of
 * another version, and `platform` outside of Linux; `ScriptSettingsError` (`shed/script-settings`) for what is no path; the
 * signal's reason.
 */
export async function checkScriptService(socketPath: string, options: CheckOptions = {}): Promise<void> {
  const path = checkSocketPath(socketPath);
  if (process.platform !== "linux") throw new ScriptServiceError({ fault: "platform", socketPath: path });
  try {
    const { frames } = await greetedBy(path, options.signal);
    frames.close();
  } catch (cause) {
    options.signal?.throwIfAborted();
    const detail = transportProblem(cause);
    throw new ScriptServiceError({ fault: "unavailable", socketPath: path, detail, cause });
  }
}
