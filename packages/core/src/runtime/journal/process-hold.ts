import { randomUUID } from "node:crypto";
import * as z from "zod";

import { makeOnce } from "../../make-once.ts";
import { isAlive, ownIdentity } from "./process-identity.ts";

/** A hold on something that one process at a time may have, kept in a store as a text that other processes can judge. */
export interface ProcessHold {
  /** Says who has the hold; no two are equal. */
  readonly text: string;
  /** Ends the hold within this process, for a store that can no longer be told so. */
  readonly end: () => void;
}

const holderSchema = makeOnce(() =>
  z.object({
    pid: z.int(),
    startedAt: z.string().nullable(),
    boot: z.string().nullable(),
    nonce: z.string(),
  }),
);

/** Holds that ended in this process and could not be said so in their store. */
const ended = new Set<string>();

/** A hold of this process, for a journal store of your own. */
export function newProcessHold(): ProcessHold {
  const nonce = randomUUID();
  return {
    text: JSON.stringify({ ...ownIdentity(), nonce }),
    end: () => {
      ended.add(nonce);
    },
  };
}

/**
 * Whether a hold lasts: its process is still there, told by its number and start. So the processes that share a store
 * have to be of one machine, or of one container.
 *
 * @param text - What `newProcessHold` gave; a text that says nothing is no hold, one that cannot be read is: nobody can
 * know better.
 */
export function isHeld(text: string): boolean {
  if (text.replaceAll("\0", "") === "") return false;
  const holder = holderSchema().safeParse(asJson(text));
  return !holder.success || (!ended.has(holder.data.nonce) && isAlive(holder.data));
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
