import * as z from "zod";

// What passes between the host and the process that reads. The process takes requests one at a time.

/** A document to read. */
export interface ReadRequest {
  readonly bytes: Uint8Array;
  /** Pages from 1, both included; `to` null for the last one. Null for a range that can be none. */
  readonly range: { readonly from: number; readonly to: number | null } | null;
  /** The most characters of text that are wanted. */
  readonly mostCharacters: number;
}

const pageCount = z.int().nonnegative();

/** How reading a document ended, as the process says it. */
const outcomeSchema = z.discriminatedUnion("status", [
  z.object({
    status: z.literal("read"),
    pageCount,
    pages: z.array(z.object({ page: z.int(), text: z.string(), isCut: z.boolean(), isDamaged: z.boolean() })),
    /** The pages that were asked for, after what there is. */
    range: z.object({ from: z.int(), to: z.int() }),
  }),
  z.object({ status: z.literal("out-of-range"), pageCount }),
  z.object({ status: z.literal("encrypted") }),
  z.object({ status: z.literal("damaged") }),
]);
export type ReadOutcome = z.output<typeof outcomeSchema>;

export const messageSchema = z.discriminatedUnion("kind", [
  /** It can take a request. */
  z.object({ kind: z.literal("ready") }),
  /** A page is done. */
  z.object({ kind: z.literal("page"), page: z.int(), last: z.int() }),
  /** A request is done; `resident` bytes are in use. */
  z.object({ kind: z.literal("done"), outcome: outcomeSchema, resident: z.number() }),
]);
/** What the process says. */
export type ReaderMessage = z.output<typeof messageSchema>;
