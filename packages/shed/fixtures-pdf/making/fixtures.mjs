import { documents } from "./documents.mjs";

/** @import { Block } from "./documents.mjs" */

/**
 * One fixture: a document, who writes it, and how it looks.
 * @typedef {object} Fixture
 * @property {string} name
 * @property {Block[]} blocks
 * @property {"chromium" | "libreoffice" | "cairo" | "cairo-ps" | "pdflatex" | "xelatex" | "latex-ps" | "ghostscript"} producer
 * @property {object} [look] what the producer's renderer takes
 * @property {string[]} [qpdf] what is done to the finished file
 */

const { harbour, bees, invoice, members, hebrew, arabic, chinese, japanese, korean, french, german } =
  documents;
const cjk = "Noto Sans CJK";
const unicode = (/** @type {string} */ font) => `\\usepackage{fontspec}\\setmainfont{${font}}`;

/** @type {readonly Fixture[]} */
export const fixtures = [
  { name: "chromium-prose", blocks: harbour, producer: "chromium" },
  {
    name: "chromium-columns",
    blocks: [...bees, ...harbour],
    producer: "chromium",
    look: { style: "body { column-count: 2; text-align: justify; hyphens: auto }" },
  },
  { name: "chromium-table", blocks: invoice, producer: "chromium" },
  { name: "chromium-form", blocks: members, producer: "chromium" },
  {
    name: "chromium-hebrew",
    blocks: hebrew,
    producer: "chromium",
    look: { language: "he", direction: "rtl", style: 'body { font-family: "DejaVu Sans" }' },
  },
  {
    name: "chromium-arabic",
    blocks: arabic,
    producer: "chromium",
    look: { language: "ar", direction: "rtl", style: 'body { font-family: "DejaVu Sans" }' },
  },
  {
    name: "chromium-chinese",
    blocks: chinese,
    producer: "chromium",
    look: { language: "zh", style: `body { font-family: "${cjk} SC" }` },
  },
  {
    name: "chromium-japanese",
    blocks: japanese,
    producer: "chromium",
    look: { language: "ja", style: `body { font-family: "${cjk} JP" }` },
  },
  {
    name: "chromium-spaced",
    blocks: french,
    producer: "chromium",
    look: { language: "fr", style: "body { letter-spacing: 1.2pt; font-size: 13pt }" },
  },
  { name: "libreoffice-prose", blocks: harbour, producer: "libreoffice", look: { justified: true } },
  {
    name: "libreoffice-columns",
    blocks: bees,
    producer: "libreoffice",
    look: { columns: 2, justified: true },
  },
  { name: "libreoffice-table", blocks: invoice, producer: "libreoffice" },
  { name: "libreoffice-form", blocks: members, producer: "libreoffice", look: { asForm: true } },
  {
    name: "libreoffice-hebrew",
    blocks: hebrew,
    producer: "libreoffice",
    look: { font: "DejaVu Sans", direction: "rl-tb" },
  },
  {
    name: "libreoffice-arabic",
    blocks: arabic,
    producer: "libreoffice",
    look: { font: "DejaVu Sans", direction: "rl-tb" },
  },
  { name: "libreoffice-korean", blocks: korean, producer: "libreoffice", look: { font: `${cjk} KR` } },
  { name: "libreoffice-german", blocks: german, producer: "libreoffice", look: { landscape: true } },
  { name: "cairo-prose", blocks: harbour, producer: "cairo", look: { justified: true } },
  { name: "cairo-columns", blocks: [...bees, ...harbour], producer: "cairo", look: { columns: 2 } },
  { name: "cairo-table", blocks: invoice, producer: "cairo" },
  { name: "cairo-hebrew", blocks: hebrew, producer: "cairo", look: { font: "DejaVu Sans" } },
  { name: "cairo-arabic", blocks: arabic, producer: "cairo", look: { font: "DejaVu Sans" } },
  { name: "cairo-chinese", blocks: chinese, producer: "cairo", look: { font: `${cjk} SC` } },
  {
    name: "cairo-sideways",
    blocks: french,
    producer: "cairo",
    look: { turn: "left" },
    qpdf: ["--rotate=90"],
  },
  { name: "cairo-turned", blocks: german, producer: "cairo", look: {}, qpdf: ["--rotate=180"] },
  { name: "pdflatex-prose", blocks: harbour, producer: "pdflatex" },
  {
    name: "pdflatex-columns",
    blocks: [...bees, ...harbour],
    producer: "pdflatex",
    look: { options: ",twocolumn" },
  },
  { name: "pdflatex-table", blocks: invoice, producer: "pdflatex" },
  { name: "pdflatex-form", blocks: members, producer: "pdflatex", look: { asForm: true } },
  { name: "pdflatex-old-fonts", blocks: bees, producer: "pdflatex", look: { preamble: "" } },
  { name: "pdflatex-german", blocks: german, producer: "pdflatex" },
  {
    name: "xelatex-french",
    blocks: french,
    producer: "xelatex",
    look: { isUnicode: true, preamble: unicode("DejaVu Serif") },
  },
  {
    name: "xelatex-japanese",
    blocks: japanese,
    producer: "xelatex",
    look: {
      isUnicode: true,
      preamble: `${unicode(`${cjk} JP`)}\\XeTeXlinebreaklocale "ja"\\XeTeXlinebreakskip=0pt plus 1pt`,
    },
  },
  { name: "ghostscript-prose", blocks: harbour, producer: "ghostscript" },
  { name: "ghostscript-words", blocks: bees, producer: "ghostscript", look: { columns: 2, perWord: true } },
  { name: "ghostscript-table", blocks: invoice, producer: "ghostscript", look: { font: "Courier" } },
  {
    name: "ghostscript-landscape",
    blocks: members,
    producer: "ghostscript",
    look: { isLandscape: true, font: "Helvetica" },
  },
  {
    name: "ghostscript-across",
    blocks: [...bees, ...harbour],
    producer: "ghostscript",
    look: { columns: 2, order: "across" },
  },
  { name: "ghostscript-backward", blocks: bees, producer: "ghostscript", look: { order: "backward" } },
  { name: "ghostscript-cairo", blocks: french, producer: "cairo-ps" },
  {
    name: "ghostscript-latex",
    blocks: [...bees, ...harbour],
    producer: "latex-ps",
    look: { options: ",twocolumn" },
  },
];
