/**
 * How an agent is driven. `"deterministic"`: by its default tools alone. `"steerable"`: by a model that may ask the
 * user. `"autonomous"`: by a model, without a user.
 */
export type AgentMode = "deterministic" | "steerable" | "autonomous";

/** Whether a model chooses the tools. */
export function isModelDriven(mode: AgentMode): boolean {
  return mode !== "deterministic";
}

/** Whether the user may be asked. */
export function isInteractive(mode: AgentMode): boolean {
  return mode !== "autonomous";
}
