import * as z from "zod";

import { image, type Image } from "./image.ts";
import { trusted } from "./plain-schema.ts";
import { makeType, type Of } from "./value.ts";

/** Accepts an integer, and text that spells one. */
const lenientInteger = z.preprocess(
  (given: number) => (typeof given === "string" && /^\s*[+-]?\d+\s*$/.test(given) ? Number(given) : given),
  z.int(),
);

/** For types that keep parts as they are given. */
const opaque = { ...trusted, isOpaque: true };

/** An ordinary value without fields; unknown fields are ignored. */
export const Empty = makeType<"empty", object, object>("empty", [], z.object({}));
export type Empty = Of<typeof Empty>;

/** Keeps whatever fields it is given. */
export const All = makeType<"empty" | "all", Record<string, unknown>, Record<string, unknown>>(
  "all",
  ["empty"],
  z.looseObject({}),
  { facts: opaque },
);
export type All = Of<typeof All>;

export const Int = makeType<"empty" | "int", { value: number }, { value: number }>(
  "int",
  ["empty"],
  z.strictObject({ value: lenientInteger }),
);
export type Int = Of<typeof Int>;

export const Str = makeType<"empty" | "str", { value: string }, { value: string }>(
  "str",
  ["empty"],
  z.strictObject({ value: z.string() }),
);
export type Str = Of<typeof Str>;

export const Strs = makeType<"empty" | "strs", { items: string[] }, { items: string[] }>(
  "strs",
  ["empty"],
  z.strictObject({ items: z.array(z.string()) }),
);
export type Strs = Of<typeof Strs>;

/** A list of JSON objects. */
export const HashMaps = makeType<
  "empty" | "hash_maps",
  { items: Record<string, unknown>[] },
  { items: Record<string, unknown>[] }
>("hash_maps", ["empty"], z.strictObject({ items: z.array(z.record(z.string(), z.unknown())) }), {
  facts: opaque,
});
export type HashMaps = Of<typeof HashMaps>;

/** A path. */
export const Location = makeType<"empty" | "location", { value: string }, { value: string }>(
  "location",
  ["empty"],
  z.strictObject({ value: z.string() }),
);
export type Location = Of<typeof Location>;

/** A path with a text. */
export const LocationStr = makeType<
  "empty" | "location_str",
  { location: string; value: string },
  { location: string; value: string }
>("location_str", ["empty"], z.strictObject({ location: z.string(), value: z.string() }));
export type LocationStr = Of<typeof LocationStr>;

/** A text with images; the list may be empty but not left out. */
export const StrImage = makeType<
  "empty" | "str" | "str_image",
  { value: string; images: Image[] },
  { value: string; images: Image[] }
>("str_image", Str.lineage, z.strictObject({ value: z.string(), images: z.array(image) }), {
  parent: Str,
  facts: { ...trusted, holdsImage: true },
});
export type StrImage = Of<typeof StrImage>;

/** Ends the run. */
export const Stop = makeType<"stop", { value: string | null }, { value?: string | null | undefined }>(
  "stop",
  [],
  z.strictObject({ value: z.string().nullable().default(null) }),
);
export type Stop = Of<typeof Stop>;

/** Ends the run and names a path. */
export const StopLocation = makeType<
  "stop" | "stop_location",
  { value: string | null; location: string },
  { value?: string | null | undefined; location: string }
>(
  "stop_location",
  Stop.lineage,
  z.strictObject({ value: z.string().nullable().default(null), location: z.string() }),
  { parent: Stop, facts: trusted },
);
export type StopLocation = Of<typeof StopLocation>;

/** Calls a tool by its name; all other fields are the tool's arguments. */
export const Invoke = makeType<
  "invoke",
  { action: string; rationale: string } & Record<string, unknown>,
  { action: string; rationale: string } & Record<string, unknown>
>("invoke", [], z.looseObject({ action: z.string(), rationale: z.string() }), { facts: opaque });
export type Invoke = Of<typeof Invoke>;

/**
 * Ends the run's stretch, not the run: whoever resumes it brings the reply. `state` is for a tool that has more to do
 * with the reply; it stays in the snapshot.
 */
export const Suspend = makeType<
  "suspend",
  { request: unknown; state?: unknown },
  { request: unknown; state?: unknown }
>("suspend", [], z.strictObject({ request: z.unknown(), state: z.unknown().optional() }), { facts: opaque });
export type Suspend = Of<typeof Suspend>;
