/** @import { Block } from "./documents.mjs" */

/** @param {string} text */
function ps(text) {
  const plain = text
    .replaceAll("\u201c", '"')
    .replaceAll("\u201d", '"')
    .replaceAll("\u2019", "'")
    .replaceAll("•", "\\267");
  return plain.replace(/[()]/g, "\\$&");
}

/** @param {string} text @param {number} most */
function linesOf(text, most) {
  /** @type {string[]} */
  const lines = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length >= most) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** A document as PostScript of a typewriter's kind: one `show` for each line or cell. @param {Block[]} blocks @param {{ columns?: number, font?: string, perWord?: boolean, isLandscape?: boolean, order?: "across" | "backward" }} [look] */
export function postscript(
  blocks,
  { columns = 1, font = "Times-Roman", perWord = false, isLandscape = false, order } = {},
) {
  const [width, height] = isLandscape ? [842, 595] : [595, 842];
  const columnWidth = (width - 112 - (columns - 1) * 24) / columns;
  let y = height - 70;
  let column = 0;
  /** @type {string[]} */
  const out = [];
  /** What the page shows, with where it stands. @type {{ x: number, y: number, code: string }[]} */
  let page = [];
  /** @param {string} text @param {number} size @param {number} x */
  const put = (text, size, x) => {
    const shown = perWord
      ? text
          .split(" ")
          .map((word) => `(${ps(word)}) show ${size * 0.25} 0 rmoveto`)
          .join("\n")
      : `(${ps(text)}) show`;
    const code = `/${font} findfont ${size} scalefont setfont ${x} ${y} moveto\n${shown}`;
    page.push({ x, y, code });
  };
  const endPage = () => {
    if (order === "across") page.sort((one, other) => other.y - one.y || one.x - other.x);
    if (order === "backward") page.reverse();
    out.push(...page.map(({ code }) => code), "showpage");
    page = [];
  };
  const left = () => 56 + column * (columnWidth + 24);
  /** @param {number} size */
  const feed = (size) => {
    y -= size * 1.3;
    if (y > 60) return;
    y = height - 70;
    column += 1;
    if (column < columns) return;
    column = 0;
    endPage();
  };
  /** @param {string} text @param {number} size */
  const flow = (text, size) => {
    for (const line of linesOf(
      text,
      Math.floor(columnWidth / (size * (font.startsWith("Courier") ? 0.6 : 0.5))),
    )) {
      put(line, size, left());
      feed(size);
    }
  };
  for (const block of blocks) {
    if ("heading" in block) flow(block.heading, 15);
    else if ("text" in block) flow(block.text, 10);
    else if ("list" in block) for (const item of block.list) flow(`• ${item}`, 10);
    else {
      const rows = "table" in block ? block.table : block.fields;
      const share = columnWidth / (rows[0]?.length ?? 1);
      for (const row of rows) {
        for (const [index, cell] of row.entries()) if (cell !== "") put(cell, 10, left() + index * share);
        feed(10);
      }
    }
    feed(8);
  }
  endPage();
  return `%!PS-Adobe-3.0\n<< /PageSize [${width} ${height}] >> setpagedevice\n${out.join("\n")}\n`;
}
