import * as z from "zod";

import { UserInputUnavailableError } from "../../errors.ts";
import { Str, Suspend } from "../../values/builtin.ts";
import type { Str as StrValue, StrImage, Suspend as SuspendValue } from "../../values/builtin.ts";
import type { ToolContext } from "../context.ts";

/** What a run asks from outside when nobody can answer at once. */
export const userQuestion = z.strictObject({
  type: z.literal("user-question"),
  question: z.string(),
  timeoutSeconds: z.number().positive().optional(),
});
export type UserQuestion = z.output<typeof userQuestion>;

/** How a question is put. */
interface QuestionOptions {
  /** How long to wait for the reply; without it, as long as it takes. */
  readonly timeoutSeconds?: number | undefined;
  /** What stands for no reply in time. */
  readonly fallback: string;
}

/** Asks through the run's channel when somebody is there, and otherwise lets the run wait for the reply. */
export async function askUser(
  question: string,
  { timeoutSeconds, fallback }: QuestionOptions,
  { io, signal }: ToolContext,
): Promise<StrValue | StrImage | SuspendValue> {
  const isLive = (): boolean => io.isLive;
  if (!isLive()) return waiting(question, timeoutSeconds);
  const timeoutMs = timeoutSeconds === undefined ? undefined : timeoutSeconds * 1000;
  try {
    return (await io.ask(question, { timeoutMs, signal })) ?? Str({ value: fallback });
  } catch (error) {
    // The channel found its end only when it was asked.
    if (error instanceof UserInputUnavailableError && !isLive()) return waiting(question, timeoutSeconds);
    throw error;
  }
}

function waiting(question: string, timeoutSeconds: number | undefined): SuspendValue {
  const asked = { type: "user-question", question };
  return Suspend({ request: timeoutSeconds === undefined ? asked : { ...asked, timeoutSeconds } });
}

/** What stands for a reply when the user gave none in time. */
export const noReply = "The user did not respond.";
