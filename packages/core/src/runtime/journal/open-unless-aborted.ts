import type { JournalHandle } from "./store.ts";

/**
 * The journal that a store is opening, or undefined as soon as the signal fires meanwhile: a journal that is opened later
 * is let go again.
 */
export async function openUnlessAborted(
  opening: Promise<JournalHandle>,
  signal: AbortSignal,
): Promise<JournalHandle | undefined> {
  let giveUp: () => void = () => undefined;
  const givenUp = new Promise<undefined>((resolve) => {
    giveUp = () => {
      resolve(undefined);
    };
  });
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    const handle = await Promise.race([opening, givenUp]);
    // Nobody waits for it any more, and nobody is to hear that it failed.
    if (handle === undefined) opening.then((late) => late.close()).catch(() => undefined);
    return handle;
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}
