// Makes the PDF fixtures anew, from Debian's chromium, libreoffice-writer-nogui, python3-cairo with gir1.2-pango-1.0, texlive-latex-recommended
// with lmodern and cm-super-minimal, texlive-xetex, ghostscript, qpdf and poppler-utils, and fonts-dejavu, fonts-liberation and fonts-noto-cjk.
// Run by hand: `node packages/shed/fixtures-pdf/make.mjs [name …]`. What is committed was made once, since no two runs give the same bytes.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sourceText } from "./making/documents.mjs";
import { fixtures } from "./making/fixtures.mjs";
import { flatOdt } from "./making/flat-odt.mjs";
import { html } from "./making/html.mjs";
import { latex } from "./making/latex.mjs";
import { postscript } from "./making/postscript.mjs";

/** @import { Fixture } from "./making/fixtures.mjs" */

const here = import.meta.dirname;
const work = mkdtempSync(join(tmpdir(), "pdf-fixtures-"));

/** @param {string} program @param {readonly string[]} words @param {string} [input] */
function run(program, words, input) {
  return execFileSync(program, words, {
    cwd: work,
    input: input ?? "",
    encoding: "utf8",
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, SOURCE_DATE_EPOCH: "1704067200", HOME: work },
  });
}

/** @param {string} file @param {string} text */
function write(file, text) {
  writeFileSync(join(work, file), text);
}

/** @param {string} source */
function distil(source) {
  run("gs", ["-q", "-dNOPAUSE", "-dBATCH", "-dSAFER", "-sDEVICE=pdfwrite", "-sOutputFile=x.pdf", source]);
}

/** @param {Fixture} fixture @param {string} output */
function cairo({ blocks, look }, output) {
  run("/usr/bin/python3", [join(here, "making/lay-out.py")], JSON.stringify({ ...look, blocks, output }));
}

/** @param {Fixture} fixture */
function make(fixture) {
  const { blocks, producer, look } = fixture;
  switch (producer) {
    case "chromium":
      write("x.html", html(blocks, look));
      run("chromium", [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--no-pdf-header-footer",
        "--print-to-pdf=x.pdf",
        "x.html",
      ]);
      break;
    case "libreoffice":
      write("x.fodt", flatOdt(blocks, look));
      run("soffice", ["--headless", "--convert-to", "pdf:writer_pdf_Export", "x.fodt"]);
      break;
    case "cairo":
      cairo(fixture, "x.pdf");
      break;
    case "cairo-ps":
      cairo(fixture, "x.ps");
      distil("x.ps");
      break;
    case "pdflatex":
    case "xelatex":
      write("x.tex", latex(blocks, look));
      run(producer, ["-interaction=nonstopmode", "-halt-on-error", "x.tex"]);
      break;
    case "latex-ps":
      write("x.tex", latex(blocks, look));
      run("latex", ["-interaction=nonstopmode", "-halt-on-error", "x.tex"]);
      run("dvips", ["-q", "-o", "x.ps", "x.dvi"]);
      distil("x.ps");
      break;
    case "ghostscript":
      write("x.ps", postscript(blocks, look));
      distil("x.ps");
      break;
  }
}

const wanted = process.argv.slice(2);
for (const fixture of fixtures) {
  const { name, blocks, qpdf = [] } = fixture;
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  for (const left of readdirSync(work)) if (left.startsWith("x.")) rmSync(join(work, left));
  try {
    make(fixture);
  } catch (error) {
    console.error(name, error);
    process.exitCode = 1;
    continue;
  }
  run("qpdf", ["--object-streams=generate", "--compress-streams=y", ...qpdf, "x.pdf", "y.pdf"]);
  copyFileSync(join(work, "y.pdf"), join(here, "files", `${name}.pdf`));
  writeFileSync(join(here, "files", `${name}.txt`), `${sourceText(blocks)}\n`);
  writeFileSync(
    join(here, "files", `${name}.pdftotext.txt`),
    run("pdftotext", ["-enc", "UTF-8", "y.pdf", "-"]),
  );
  console.log(name, statSync(join(work, "y.pdf")).size);
}
rmSync(work, { recursive: true });
