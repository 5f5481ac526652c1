import { compactifyMessagesWhenNeeded, isEndpointLike, type CompactionSettings } from "@roboz/core";
import { Capability, ToolLabel } from "@roboz/deployment";

import { MemorySettingsError } from "./errors.ts";
import { endpointSchema } from "./needs.ts";
import { settingChecks } from "./setting-checks.ts";

/** How a {@link Compactification} differs from the usual one. */
export interface CompactificationSettings extends CompactionSettings {
  /** `compactification`, a default tool, by default. */
  readonly label?: ToolLabel | undefined;
}

/**
 * The capability to go on with conversations that grow longer than the model's context: the default tool
 * `compactify_messages_when_needed` of `@roboz/core`. Requires `agentEndpoint`, unless it has an endpoint of its own.
 *
 * @throws {@link MemorySettingsError} (`shed/memory-settings`) for a threshold or time that is not finite and positive, a blank continuation, and
 * what is no endpoint.
 */
export class Compactification extends Capability {
  constructor({ label, endpoint, ...settings }: CompactificationSettings = {}) {
    const { thresholdPercent, timeoutMs, continuation } = settings;
    const owner = "Compactification";
    const { positive } = settingChecks(owner);
    if (endpoint !== undefined && !isEndpointLike(endpoint))
      throw new MemorySettingsError({ owner, setting: "endpoint", problem: "is no endpoint" });
    if (thresholdPercent !== undefined) positive("thresholdPercent", thresholdPercent);
    if (timeoutMs !== undefined) positive("timeoutMs", timeoutMs);
    if (isBlank(continuation))
      throw new MemorySettingsError({ owner, setting: "continuation", problem: "is blank" });
    super({
      label: label ?? ToolLabel("compactification", { default: true }),
      requiredAttributes: endpoint === undefined ? { agentEndpoint: endpointSchema } : {},
      build: ({ agent }) => {
        const asked = endpoint ?? agent.agentEndpoint;
        // What is required is there.
        return asked === undefined ? [] : [compactifyMessagesWhenNeeded({ ...settings, endpoint: asked })];
      },
    });
  }
}

function isBlank(given: unknown): boolean {
  return given !== undefined && (typeof given !== "string" || given.trim() === "");
}
