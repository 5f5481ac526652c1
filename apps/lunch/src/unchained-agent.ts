import { Agent, stop, Str, tool, type EndpointLike } from "@roboz/core";

import { systemPrompt } from "./lunch-agent.ts";
import { invitation, lunchTools, type Day } from "./tools.ts";
import { CalendarEntry } from "./values.ts";

/** The same agent without chains: the model calls each tool, reads what it returns, and says when the work is done. */
export function unchainedAgent(endpoint: EndpointLike, day: Day = {}): Agent {
  const { askBob, findRestaurant, bookTable, addToCalendar } = lunchTools(day);
  const steps = [askBob, findRestaurant, bookTable, addToCalendar].map((step) => step.copy().chain(null));
  const notify = tool({
    name: "notify",
    description: "Tell Bob where and when.",
    input: CalendarEntry,
    output: Str,
    run: (entry) => Str({ value: invitation(entry) }),
  });
  return new Agent({
    name: "lunch_unchained",
    description: "Arranges lunch with Bob, one model call for each step.",
    mode: "autonomous",
    systemPrompt,
    endpoint,
    tools: [...steps, notify, stop],
  });
}
