import type * as z from "zod";

import { Accepted, Booking, CalendarEntry, Declined, Restaurant } from "./values.ts";

type Teller = (result: unknown) => string | undefined;

/** Tells of results that are of a type; of others, nothing. */
function telling<Fields>(
  type: { readonly schema: z.ZodType<Fields> },
  tell: (fields: Fields) => string,
): Teller {
  return (result) => {
    const parsed = type.schema.safeParse(result);
    return parsed.success ? tell(parsed.data) : undefined;
  };
}

const tellers: readonly Teller[] = [
  telling(Booking, ({ status, restaurant, time }) =>
    status === "confirmed"
      ? `A table for two at ${restaurant}, ${time}.`
      : `${restaurant} has no table at ${time}.`,
  ),
  telling(Restaurant, ({ name, street }) => `${name}, ${street}.`),
  telling(CalendarEntry, ({ title, time, place }) => `Noted: ${title}, ${time}, ${place}.`),
  telling(Accepted, ({ dish, time }) => `Bob is in: ${dish} at ${time}.`),
  telling(Declined, ({ reason }) => `Bob declines: ${reason}`),
];

/** What a tool found out, as a sentence; what is none of the lunch's values is told as JSON, and a mere text as it is. */
export function sentence(result: Readonly<Record<string, unknown>>): string {
  for (const tell of tellers) {
    const told = tell(result);
    if (told !== undefined) return told;
  }
  return typeof result["value"] === "string" ? result["value"] : JSON.stringify(result);
}
