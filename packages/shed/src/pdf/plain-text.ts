// Arabic and Hebrew shapes and Latin ligatures, and the radicals that Chinese fonts are often mapped to, are other code
// points for ordinary letters; nothing that searches would find them.
const shapes = /[\u2e80-\u2fdf\ufb00-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc]+/g;
// NFKC leaves these radicals alone; each stands for the character behind it.
const radicals: Readonly<Record<string, string>> = {
  "\u2ea0": "\u6c11",
  "\u2ec1": "\u864e",
  "\u2ec4": "\u897f",
  "\u2ec5": "\u89c1",
  "\u2ec9": "\u8d1d",
  "\u2ecb": "\u8f66",
  "\u2ed3": "\u957f",
  "\u2ed4": "\u95e8",
  "\u2ee2": "\u9a6c",
  "\u2ee3": "\u9aa8",
  "\u2ee5": "\u9c7c",
  "\u2ee6": "\u9e1f",
  "\u2eeb": "\u6589",
  "\u2eec": "\u9f50",
  "\u2eee": "\u9f7f",
  "\u2ef0": "\u9f99",
};
/** Lets the text around it be shown in another order than it stands. */
const directions = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g;
/** Everything that would start a line, in a program or for a reader. */
const breaks = /[\n\r\v\f\u0085\u2028\u2029]+/g;
const halves = /\p{Surrogate}/gu;
const controls = /(?!\t)[\p{Cc}\ufeff\ufffe\uffff]/gu;

/** The text of a piece as letters that can be searched for, on one line and without control characters but tabs. */
export function plainText(text: string): string {
  return text
    .replace(halves, "\ufffd")
    .replace(breaks, " ")
    .replace(controls, "")
    .replace(directions, "")
    .replace(shapes, (found) =>
      found.normalize("NFKC").replace(/[\u2e80-\u2eff]/g, (radical) => radicals[radical] ?? radical),
    );
}
