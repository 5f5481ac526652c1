/** A look that is repeated until it is ended. */
export interface RepeatedLook {
  /** Looks at once; while a look is under way, once more after it. */
  readonly now: () => void;
  /** Looks no more, and waits for the look under way. */
  readonly end: () => Promise<void>;
}

/** Looks when it is told to and every now and then, one look at a time. One that fails is made up for by the next. */
export function repeatLook(look: () => Promise<void>, everyMs: number): RepeatedLook {
  let isOver = false;
  let isWanted = false;
  let underWay: Promise<void> | undefined;
  const now = (): void => {
    if (isOver) return;
    isWanted = underWay !== undefined;
    underWay ??= look()
      .catch(() => undefined)
      .then(() => {
        underWay = undefined;
        if (isWanted) now();
      });
  };
  const beat = setInterval(now, everyMs);
  return {
    now,
    end: async () => {
      isOver = true;
      clearInterval(beat);
      await underWay;
    },
  };
}
