import { PassThrough } from "node:stream";

import type { Terminal } from "../terminal.ts";

/** A terminal that a test types at and reads. */
export interface RecordedTerminal extends Terminal {
  readonly input: PassThrough & { isTTY: boolean; setRawMode: (isRaw: boolean) => void };
  readonly printed: { output: string; errors: string };
  /** Each switch of the raw mode, in order. */
  readonly rawModes: readonly boolean[];
}

export function recordedTerminal({ isTTY = false }: { readonly isTTY?: boolean } = {}): RecordedTerminal {
  const printed = { output: "", errors: "" };
  const rawModes: boolean[] = [];
  const input = Object.assign(new PassThrough(), {
    isTTY,
    setRawMode: (isRaw: boolean) => {
      rawModes.push(isRaw);
    },
  });
  return {
    input,
    output: {
      write: (text) => {
        printed.output += text;
      },
    },
    errors: {
      write: (text) => {
        printed.errors += text;
      },
    },
    printed,
    rawModes,
  };
}
