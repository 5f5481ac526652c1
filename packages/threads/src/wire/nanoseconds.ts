import { z } from "zod";

/** The most digits that are read as an integer; a point in time in nanoseconds has nineteen. */
export const maxIntegerDigits = 64;

const decimal = /^-?\d+$/;

function isInteger(value: unknown): boolean {
  return typeof value === "bigint" || Number.isSafeInteger(value);
}

/**
 * A count of nanoseconds, such as a point in time since 1970: an integer that a `number` cannot hold exactly. Takes a
 * `bigint`, a `number` that is a safe integer, or a decimal string; gives a `bigint`. A number beyond 2^53 is refused, since
 * it has been rounded already.
 */
export const nanosecondsSchema = z
  .custom<bigint | number | string>(
    (value) =>
      isInteger(value) ||
      (typeof value === "string" && value.length <= maxIntegerDigits && decimal.test(value)),
    { error: "takes whole nanoseconds: a bigint, a safe integer or a decimal string" },
  )
  .transform(BigInt)
  .meta({ type: "integer" });

/** The same for what a model writes: an integer, and no string. */
export const strictNanosecondsSchema = z
  .custom<bigint | number>(isInteger, { error: "takes an integer of nanoseconds" })
  .transform(BigInt)
  .meta({ type: "integer" });
