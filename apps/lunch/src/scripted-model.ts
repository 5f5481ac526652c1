import { contentObject, MockLLMEndpoint, type MockRequest, type Protocol } from "@roboz/core";

import { busyTime } from "./tools.ts";
import { Accepted, Booking, CalendarEntry, Declined, Restaurant } from "./values.ts";

/**
 * A model that needs no key. It reads the last message and answers as a careful model would; one script serves both
 * agents, since the agent with chains asks it about the first step only.
 */
export function scriptedModel(protocol: Protocol = "json"): MockLLMEndpoint {
  return new MockLLMEndpoint(nextCall, { protocol });
}

function nextCall({ messages }: MockRequest): object {
  const { caller, ...result } = contentObject(messages.at(-1)?.content ?? "") ?? {};
  switch (caller) {
    case "ask_bob": {
      const accepted = Accepted.schema.safeParse(result);
      if (accepted.success) return { action: "find_restaurant", rationale: "Bob comes.", ...accepted.data };
      const { reason } = Declined.schema.parse(result);
      return { action: "stop", rationale: "Bob cannot come.", value: `No lunch today. Bob says: ${reason}` };
    }
    case "find_restaurant":
      return { action: "book_table", rationale: "They have it.", ...Restaurant.schema.parse(result) };
    case "book_table": {
      const booking = Booking.schema.parse(result);
      if (booking.status === "full") return askBob("13:15", "No table is free, so later.");
      return { action: "add_to_calendar", rationale: "The table is ours.", ...booking };
    }
    case "add_to_calendar":
      return { action: "notify", rationale: "Bob should know.", ...CalendarEntry.schema.parse(result) };
    case "notify":
      return { action: "stop", rationale: "All is arranged.", value: String(result["value"]) };
    default:
      return askBob(busyTime, "Lunch starts with Bob.");
  }
}

function askBob(time: string, rationale: string): object {
  return { action: "ask_bob", rationale, time };
}
