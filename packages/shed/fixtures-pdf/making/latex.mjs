/** @import { Block } from "./documents.mjs" */

/** @param {string} text */
function tex(text) {
  return text
    .replaceAll("\\", "\\textbackslash{}")
    .replace(/[&%$#_{}]/g, "\\$&")
    .replaceAll("\u201c", "``")
    .replaceAll("\u201d", "''")
    .replaceAll("\u2019", "'")
    .replaceAll("« ", "\\guillemotleft{}~")
    .replaceAll(" »", "~\\guillemotright{}");
}

/** A document for LaTeX. @param {Block[]} blocks @param {{ options?: string, preamble?: string, asForm?: boolean, before?: string, isUnicode?: boolean }} [look] */
export function latex(
  blocks,
  {
    options = "",
    preamble = "\\usepackage[T1]{fontenc}\\usepackage{lmodern}",
    asForm = false,
    before = "",
    isUnicode = false,
  } = {},
) {
  const say = isUnicode ? (/** @type {string} */ text) => text.replace(/[&%$#_{}]/g, "\\$&") : tex;
  const body = blocks.map((block) => {
    if ("heading" in block) return `\\section*{${say(block.heading)}}`;
    if ("text" in block) return `${say(block.text)}\n`;
    if ("list" in block)
      return `\\begin{itemize}${block.list.map((item) => `\\item ${say(item)}`).join("\n")}\\end{itemize}`;
    if ("table" in block) {
      const rows = block.table.map((row) => `${row.map(say).join(" & ")} \\\\`);
      return `\\noindent\\begin{tabular}{l${"r".repeat((block.table[0]?.length ?? 1) - 1)}}\\hline ${rows.join("\n")} \\hline\\end{tabular}\n`;
    }
    const rows = block.fields.map(([label, value]) =>
      asForm
        ? `\\TextField[name={${label}},value={${value}},width=5cm]{${label}}\\\\`
        : `${label} ${value}\\\\`,
    );
    return `\\noindent\\begin{Form}${rows.join("\n")}\\end{Form}\n`;
  });
  return `\\documentclass[a4paper,11pt${options}]{article}
${isUnicode ? "" : "\\usepackage[utf8]{inputenc}"}
${preamble}
${asForm ? "\\usepackage{hyperref}" : "\\newenvironment{Form}{}{}"}
\\pagestyle{empty}\\begin{document}${before}
${body.join("\n\n")}
\\end{document}`;
}
