import { LLMClientError } from "./errors.ts";

const waiting = new Set<() => void>();
let running = 0;
let limit = 8;

/**
 * How many calls of models and of transcription run at once in this process; 8 until it is set. Calls beyond it wait
 * for their turn, which counts against their own time limit.
 *
 * @param calls - 1 or more.
 */
export function setExternalCallLimit(calls: number): void {
  if (!Number.isInteger(calls) || calls < 1) {
    throw new LLMClientError("The limit of external calls is a whole number of 1 or more");
  }
  limit = calls;
  admit();
}

/**
 * Takes a slot, when one is free.
 *
 * @param signal - Gives the place in the line up; the promise then never settles.
 * @returns A function that frees the slot; calling it again does nothing.
 */
export async function takeSlot(signal: AbortSignal): Promise<() => void> {
  if (running >= limit) {
    await new Promise<void>((resolve) => {
      waiting.add(resolve);
      signal.addEventListener("abort", () => waiting.delete(resolve), { once: true });
    });
  } else {
    running += 1;
  }
  let isFree = false;
  return () => {
    if (isFree) return;
    isFree = true;
    running -= 1;
    admit();
  };
}

/** Lets those who wait longest in; a slot is counted as taken before its new owner wakes up. */
function admit(): void {
  for (const enter of waiting) {
    if (running >= limit) return;
    waiting.delete(enter);
    running += 1;
    enter();
  }
}
