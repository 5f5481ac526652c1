import type { z } from "zod";
import { RobotoInvalidRequestException } from "../errors/http-exceptions.ts";
import { problemsOf } from "../wire/problems.ts";

/** A request's body if it may be sent; refuses it before it is. */
export function checked<S extends z.ZodType>(schema: S, body: unknown, what: string): z.output<S> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new RobotoInvalidRequestException({
    message: `${what} is refused: ${problemsOf(parsed.error)}`,
    cause: parsed.error,
  });
}
