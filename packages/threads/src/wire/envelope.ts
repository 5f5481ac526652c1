import { z } from "zod";

/** What stands around the answer of each endpoint. */
export function envelopeOf<S extends z.ZodType>(data: S) {
  return z.object({ data });
}

/** One page of a list; the next one is asked for with its token. */
export function pageOf<S extends z.ZodType>(item: S) {
  return z.object({ items: z.array(item), next_token: z.string().nullable().default(null) });
}

/** One page of a list; a null token says that it is the last. */
export interface Page<Item> {
  readonly items: Item[];
  readonly next_token: string | null;
}

/**
 * The body of a refusal. Only classes that declare them have more fields inside `error`; everything else stands beside it,
 * in `details`.
 */
export const errorBodySchema = z.object({
  error: z.looseObject({
    error_code: z.string(),
    message: z.string().default(""),
    stack_trace: z.array(z.unknown()).nullish(),
  }),
  details: z.unknown().optional(),
});
export type ErrorBody = z.output<typeof errorBodySchema>;

/** Names of the headers that this protocol knows. */
export const threadHeaders = {
  orgId: "X-Roboto-Org-Id",
  resourceOwnerId: "X-Roboto-Resource-Owner-Id",
  userId: "X-Roboto-User-Id",
  apiVersion: "X-Roboto-Api-Version",
  requester: "X-Roboto-Requester",
  idempotencyKey: "Idempotency-Key",
  idempotencyReplayed: "Idempotency-Replayed",
  lastEventId: "Last-Event-ID",
} as const;
