/** @import { Block } from "./documents.mjs" */

/** @param {string} text */
export function escaped(text) {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** A document as a page of HTML. @param {Block[]} blocks @param {{ language?: string, direction?: string, style?: string }} [look] */
export function html(blocks, { language = "en", direction = "ltr", style = "" } = {}) {
  const body = blocks.map((block) => {
    if ("heading" in block) return `<h2>${escaped(block.heading)}</h2>`;
    if ("text" in block) return `<p>${escaped(block.text)}</p>`;
    if ("list" in block) return `<ul>${block.list.map((item) => `<li>${escaped(item)}</li>`).join("")}</ul>`;
    if ("table" in block) {
      const rows = block.table.map(
        (row) => `<tr>${row.map((cell) => `<td>${escaped(cell)}</td>`).join("")}</tr>`,
      );
      return `<table>${rows.join("")}</table>`;
    }
    const rows = block.fields.map(
      ([label, value]) => `<div><label>${escaped(label)} <input value="${escaped(value)}"></label></div>`,
    );
    return `<form>${rows.join("")}</form>`;
  });
  return `<!doctype html><html lang="${language}" dir="${direction}"><meta charset="utf-8"><title>Fixture</title>
<style>@page { margin: 20mm } body { font: 11pt "Liberation Serif"; margin: 0 } td { padding: 2pt 14pt 2pt 0 } ${style}</style>
${body.join("\n")}</html>`;
}
