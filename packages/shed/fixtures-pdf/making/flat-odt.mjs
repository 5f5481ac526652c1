import { escaped } from "./html.mjs";

/** @import { Block } from "./documents.mjs" */

const namespaces = [
  "office",
  "text",
  "style",
  "table",
  "form",
  "fo:xsl-fo-compatible",
  "draw:drawing",
  "svg:svg-compatible",
].map((entry) => {
  const [prefix = "", name = prefix] = entry.split(":");
  return `xmlns:${prefix}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`;
});

/** A document as a flat OpenDocument text. @param {Block[]} blocks @param {{ columns?: number, landscape?: boolean, font?: string, direction?: string, asForm?: boolean, justified?: boolean }} [look] */
export function flatOdt(
  blocks,
  {
    columns = 1,
    landscape = false,
    font = "Liberation Serif",
    direction = "lr-tb",
    asForm = false,
    justified = false,
  } = {},
) {
  let controls = "";
  let serial = 0;
  const body = blocks.map((block) => {
    if ("heading" in block)
      return `<text:h text:style-name="Head" text:outline-level="1">${escaped(block.heading)}</text:h>`;
    if ("text" in block) return `<text:p text:style-name="Body">${escaped(block.text)}</text:p>`;
    if ("list" in block)
      return `<text:list text:style-name="Bullets">${block.list.map((item) => `<text:list-item><text:p text:style-name="Item">${escaped(item)}</text:p></text:list-item>`).join("")}</text:list>`;
    if ("table" in block) {
      const width = block.table[0]?.length ?? 1;
      const rows = block.table.map(
        (row) =>
          `<table:table-row>${row.map((cell) => `<table:table-cell office:value-type="string"><text:p text:style-name="Item">${escaped(cell)}</text:p></table:table-cell>`).join("")}</table:table-row>`,
      );
      return `<table:table table:name="T"><table:table-column table:number-columns-repeated="${width}"/>${rows.join("")}</table:table>`;
    }
    return block.fields
      .map(([label, value]) => {
        if (!asForm) return `<text:p text:style-name="Item">${escaped(label)} ${escaped(value)}</text:p>`;
        const id = `control${++serial}`;
        controls += `<form:text form:name="${id}" xml:id="${id}" form:id="${id}" form:control-implementation="ooo:com.sun.star.form.component.TextField" form:current-value="${escaped(value)}" form:value="${escaped(value)}"/>`;
        return `<text:p text:style-name="Item">${escaped(label)} <draw:control text:anchor-type="as-char" svg:width="5cm" svg:height="0.6cm" draw:control="${id}"/></text:p>`;
      })
      .join("");
  });
  const size = landscape
    ? 'fo:page-width="29.7cm" fo:page-height="21cm" style:print-orientation="landscape"'
    : 'fo:page-width="21cm" fo:page-height="29.7cm"';
  const fonts = `style:font-name="F" style:font-name-asian="F" style:font-name-complex="F"`;
  const base = `<style:text-properties ${fonts} fo:font-size="11pt" style:font-size-asian="11pt" style:font-size-complex="11pt"/>`;
  const paragraph = `style:writing-mode="${direction}" ${justified ? 'fo:text-align="justify"' : ""}`;
  const forms = asForm
    ? `<office:forms form:automatic-focus="false"><form:form form:name="Form">${controls}</form:form></office:forms>`
    : "";
  return `<?xml version="1.0" encoding="UTF-8"?>
<office:document ${namespaces.join(" ")} xmlns:ooo="http://openoffice.org/2004/office" office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.text">
<office:font-face-decls><style:font-face style:name="F" svg:font-family="'${font}'"/></office:font-face-decls>
<office:automatic-styles>
<style:style style:name="Body" style:family="paragraph"><style:paragraph-properties ${paragraph} fo:margin-bottom="0.25cm"/>${base}</style:style>
<style:style style:name="Item" style:family="paragraph"><style:paragraph-properties style:writing-mode="${direction}"/>${base}</style:style>
<style:style style:name="Head" style:family="paragraph"><style:paragraph-properties style:writing-mode="${direction}" fo:margin-bottom="0.3cm"/><style:text-properties ${fonts} fo:font-size="15pt" style:font-size-asian="15pt" style:font-size-complex="15pt"/></style:style>
<style:style style:name="Columns" style:family="section"><style:section-properties><style:columns fo:column-count="${columns}" fo:column-gap="0.8cm"/></style:section-properties></style:style>
<text:list-style style:name="Bullets"><text:list-level-style-bullet text:level="1" text:bullet-char="•"><style:list-level-properties text:space-before="0.4cm" text:min-label-width="0.5cm"/></text:list-level-style-bullet></text:list-style>
<style:page-layout style:name="Page"><style:page-layout-properties ${size} fo:margin="2cm"/></style:page-layout>
</office:automatic-styles>
<office:master-styles><style:master-page style:name="Standard" style:page-layout-name="Page"/></office:master-styles>
<office:body><office:text>${forms}<text:section text:style-name="Columns" text:name="S">${body.join("\n")}</text:section></office:text></office:body></office:document>`;
}
