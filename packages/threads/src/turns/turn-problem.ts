import { CoreError } from "@roboz/core";

import type { TurnEnd } from "../store/turn-end.ts";

/** The model's provider refused, and a user who is there would have been asked how to go on. */
export class GenerationFailure extends Error {}

/** How a turn ends whose loop failed: by the class of the failure, never by its text, which may hold what users must not see. */
export function endOfFailure(error: unknown): TurnEnd {
  const state = "failed";
  if (error instanceof GenerationFailure)
    return { state, errorCode: "generation_failed", problem: "The model's provider refused the request." };
  if (!CoreError.is(error))
    return { state, errorCode: "turn_failed", problem: "The turn failed on the server." };
  switch (error.code) {
    case "core/limit-reached":
      return { state, errorCode: "turn_limit", problem: `The turn reached its limit of \`${error.limit}\`.` };
    case "core/ambiguous-link":
      return {
        state,
        errorCode: "chain_conflict",
        problem: `More than one tool follows \`${error.parentName}\`: ${error.candidates.join(", ")}.`,
      };
    default:
      return error.code.startsWith("core/llm")
        ? { state, errorCode: "generation_failed", problem: `The model gave no answer (${error.name}).` }
        : { state, errorCode: "turn_failed", problem: `The turn failed on the server (${error.name}).` };
  }
}

/** How a turn ends that took too many steps, or too long. */
export function endOfLimit(limit: "steps" | "time"): TurnEnd {
  return {
    state: "failed",
    errorCode: "turn_limit",
    problem: limit === "steps" ? "The turn took too many steps." : "The turn took too long.",
  };
}
