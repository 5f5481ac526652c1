import * as z from "zod";

// Anything is taken, since only the answer to a wrong page can say how many pages there are. A model is told of numbers.
const page = z.unknown().nullish();

/** Fields of the pages that are wanted, from 1 and both included. */
export const pageFields = {
  start_page: page.meta({
    type: "integer",
    minimum: 1,
    description: "The first page, from 1; 1 by default.",
  }),
  end_page: page.meta({
    type: "integer",
    minimum: 1,
    description: "The last page, included; the document's last by default.",
  }),
};
const _fields = z.object(pageFields);
export type PageFields = z.output<typeof _fields>;

const number = z.int();

/** The range the fields ask for; null when they name none. */
export function rangeOf({
  start_page: start,
  end_page: end,
}: PageFields): { from: number; to: number | null } | null {
  const from = number.safeParse(start ?? 1).data;
  const to = number.nullable().safeParse(end ?? null).data;
  if (from === undefined || to === undefined || from < 1 || (to !== null && to < from)) return null;
  return { from, to };
}
