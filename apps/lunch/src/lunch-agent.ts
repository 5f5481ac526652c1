import { Agent, stop, type EndpointLike } from "@roboz/core";

import { scriptedModel } from "./scripted-model.ts";
import { lunchTools, type Day } from "./tools.ts";

/** What both lunch agents are told; which tools they have, they hear from their tools. */
export const systemPrompt = "You arrange lunch with Bob: at 12:30, later if that fails.";

/** The task both are given. */
export const task = "Lunch today, please.";

/**
 * An agent that arranges lunch with Bob. The model asks Bob; if he comes, a restaurant, a table, the calendar and the
 * note to Bob follow by themselves. When Bob declines or no table is free, the model is asked what to do.
 */
export function lunchAgent(endpoint: EndpointLike, day: Day = {}): Agent {
  const { askBob, findRestaurant, bookTable, addToCalendar, notify } = lunchTools(day);
  return new Agent({
    name: "lunch",
    description: "Arranges lunch with Bob.",
    mode: "autonomous",
    systemPrompt,
    endpoint,
    tools: [askBob, findRestaurant, bookTable, addToCalendar, notify, stop],
  });
}

/** The agent on its scripted model, for commands that run or draw an exported agent. */
export const agent = lunchAgent(scriptedModel());
