import { Stop, tool, when } from "@roboz/core";
import * as z from "zod";

import { Accepted, Booking, CalendarEntry, Declined, Restaurant } from "./values.ts";

/** What the day is like; everything the tools find out is made up from it. */
export interface Day {
  /** Whether Bob feels like lunch; yes by default. */
  readonly bob?: "yes" | "no" | undefined;
  /** Whether a table is free at half past twelve; later there always is. Yes by default. */
  readonly hasTable?: boolean | undefined;
}

/** When everybody wants to have lunch. */
export const busyTime = "12:30";

/** The five steps of a lunch, in order, each chained to the one before. */
export function lunchTools({ bob = "yes", hasTable = true }: Day = {}) {
  const askBob = tool({
    name: "ask_bob",
    description: "Ask Bob to lunch at a time, such as 12:30.",
    input: z.object({ time: z.string() }),
    output: [Accepted, Declined],
    run: ({ time }) =>
      bob === "yes"
        ? Accepted({ dish: "dumplings", time })
        : Declined({ reason: "I am on a train until the evening." }),
  });

  const findRestaurant = tool({
    name: "find_restaurant",
    description: "Find a restaurant that serves what Bob wants.",
    input: Accepted,
    output: Restaurant,
    chainedTo: when(askBob, Accepted.is),
    run: ({ time }) => Restaurant({ name: "The Copper Pot", street: "4 Basil Lane", time }),
  });

  const bookTable = tool({
    name: "book_table",
    description: "Book a table for two.",
    input: Restaurant,
    output: Booking,
    chainedTo: findRestaurant,
    run: ({ name: restaurant, time }) =>
      Booking({ status: hasTable || time !== busyTime ? "confirmed" : "full", restaurant, time }),
  });

  const addToCalendar = tool({
    name: "add_to_calendar",
    description: "Add the booked lunch to the calendar.",
    input: Booking,
    output: CalendarEntry,
    chainedTo: when(bookTable, ({ status }) => status === "confirmed"),
    run: ({ restaurant, time }) => CalendarEntry({ title: "Lunch with Bob", time, place: restaurant }),
  });

  const notify = tool({
    name: "notify",
    description: "Tell Bob where and when.",
    input: CalendarEntry,
    output: Stop,
    chainedTo: addToCalendar,
    run: (entry) => Stop({ value: invitation(entry) }),
  });

  return { askBob, findRestaurant, bookTable, addToCalendar, notify };
}

/** What Bob is told. */
export function invitation({ time, place }: Pick<CalendarEntry, "time" | "place">): string {
  return `Lunch is at ${time}, at ${place}.`;
}
