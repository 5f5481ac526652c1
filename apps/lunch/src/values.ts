import { value, type Of } from "@roboz/core";
import * as z from "zod";

/** Bob comes. */
export const Accepted = value("accepted", { dish: z.string(), time: z.string() });
export type Accepted = Of<typeof Accepted>;

/** Bob does not come. */
export const Declined = value("declined", { reason: z.string() });
export type Declined = Of<typeof Declined>;

/** Where lunch could be had. */
export const Restaurant = value("restaurant", { name: z.string(), street: z.string(), time: z.string() });
export type Restaurant = Of<typeof Restaurant>;

/** What the restaurant answers to a booking. */
export const Booking = value("booking", {
  status: z.enum(["confirmed", "full"]),
  restaurant: z.string(),
  time: z.string(),
});
export type Booking = Of<typeof Booking>;

/** What stands in the calendar. */
export const CalendarEntry = value("calendar_entry", {
  title: z.string(),
  time: z.string(),
  place: z.string(),
});
export type CalendarEntry = Of<typeof CalendarEntry>;
