/** Where text for people goes, such as `process.stdout`. */
export interface Screen {
  readonly write: (text: string) => unknown;
  readonly isTTY?: boolean | undefined;
}

const codes = { bold: 1, red: 31, green: 32, cyan: 36 } as const;

/** Gives a text a style, where the screen has any. */
export type Paint = (style: keyof typeof codes, text: string) => string;

/** Colours for a terminal that shows them, plain text for anything else. */
export function paintFor({ isTTY }: Screen): Paint {
  const { NO_COLOR: unwanted = "", TERM: terminal } = process.env;
  const isColorful = isTTY === true && unwanted === "" && terminal !== "dumb";
  return (style, text) => (isColorful ? `\u001b[${codes[style]}m${text}\u001b[0m` : text);
}
