import { createHash } from "node:crypto";
import { constants, deflateRawSync, deflateSync } from "node:zlib";

/** An object of a document: its text, or a stream with the entries of its dictionary. */
export type PdfObject = string | { readonly entries: string; readonly data: string | Uint8Array };

/** A document of numbered objects, of which the first is the catalog. */
export function pdfOf(
  objects: readonly PdfObject[],
  { trailer = "" }: { trailer?: string } = {},
): Uint8Array {
  const parts: Buffer[] = [];
  let length = 0;
  const add = (part: string | Uint8Array): void => {
    const bytes = typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part);
    parts.push(bytes);
    length += bytes.length;
  };
  add("%PDF-1.7\n");
  const places = objects.map((object, index) => {
    const place = length;
    add(`${index + 1} 0 obj\n`);
    if (typeof object === "string") add(object);
    else {
      add(`<< ${object.entries} /Length ${Buffer.from(object.data).length} >>\nstream\n`);
      add(object.data);
      add("\nendstream");
    }
    add("\nendobj\n");
    return place;
  });
  const start = length;
  const rows = places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`);
  add(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows.join("")}`);
  add(`trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`);
  return Uint8Array.from(Buffer.concat(parts));
}

const font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>";

/** What a page draws, or its text, one line below the other. */
export type PageContent = readonly string[] | { readonly draws: string };

/** A document with pages of text. */
export function textPdf(
  pages: readonly PageContent[],
  {
    catalog = "",
    page = "",
    more = [],
  }: { catalog?: string; page?: string; more?: readonly PdfObject[] } = {},
): Uint8Array {
  const first = 4 + more.length;
  const kids = pages.map((_, index) => `${first + index * 2} 0 R`);
  return pdfOf([
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    `<< /Type /Pages /Kids [${kids.join(" ")}] /Count ${pages.length} /MediaBox [0 0 595 842] /Resources << /Font << /F ${font} >> >> >>`,
    "<< >>",
    ...more,
    ...pages.flatMap((content, index): PdfObject[] => [
      `<< /Type /Page /Parent 2 0 R /Contents ${first + index * 2 + 1} 0 R ${page} >>`,
      { entries: "", data: "draws" in content ? content.draws : drawn(content) },
    ]),
  ]);
}

function drawn(lines: readonly string[]): string {
  const shown = lines.map((line) => `(${line.replace(/[()\\]/g, "\\$&")}) Tj 0 -14 Td`);
  return `BT /F 11 Tf 56 780 Td ${shown.join("\n")} ET`;
}

const padding = Buffer.from("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a", "hex");

function rc4(key: Uint8Array, data: Uint8Array): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index);
  const swap = (one: number, other: number): void => {
    [state[one], state[other]] = [state[other] ?? 0, state[one] ?? 0];
  };
  for (let at = 0, other = 0; at < 256; at++) {
    other = (other + (state[at] ?? 0) + (key[at % key.length] ?? 0)) & 255;
    swap(at, other);
  }
  let [one, other] = [0, 0];
  return Buffer.from(
    data.map((byte) => {
      one = (one + 1) & 255;
      other = (other + (state[one] ?? 0)) & 255;
      swap(one, other);
      return byte ^ (state[((state[one] ?? 0) + (state[other] ?? 0)) & 255] ?? 0);
    }),
  );
}

/**
 * A document that says "Hello.", encrypted with RC4 of 40 bits.
 *
 * @see ISO 32000-1, 7.6.3, algorithms 1 to 4
 */
export function encryptedPdf(userPassword: string): Uint8Array {
  const md5 = (...parts: readonly Uint8Array[]): Buffer =>
    createHash("md5").update(Buffer.concat(parts)).digest().subarray(0, 5);
  const padded = (password: string): Buffer =>
    Buffer.concat([Buffer.from(password, "latin1"), padding]).subarray(0, 32);
  const id = Buffer.alloc(16, 7);
  const owner = rc4(md5(padded("the owner")), padded(userPassword));
  const key = md5(padded(userPassword), owner, Buffer.of(0xfc, 0xff, 0xff, 0xff), id);
  const keyOfContent = createHash("md5")
    .update(Buffer.concat([key, Buffer.of(5, 0, 0, 0, 0)]))
    .digest()
    .subarray(0, 10);
  const encryption = `<< /Filter /Standard /V 1 /R 2 /P -4 /O <${owner.toString("hex")}> /U <${rc4(key, padding).toString("hex")}> >>`;
  return pdfOf(
    [
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
      encryption,
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R /Resources << /Font << /F ${font} >> >> >>`,
      { entries: "", data: rc4(keyOfContent, Buffer.from(drawn(["Hello."]))) },
    ],
    { trailer: `/Encrypt 3 0 R /ID [<${id.toString("hex")}> <${id.toString("hex")}>]` },
  );
}

/** A page whose content, a mebibyte so many times over, is packed twice. */
function packed(mebibyte: Uint8Array, times: number): Uint8Array {
  // Blocks that end at a whole byte can be repeated without being packed again.
  const block = deflateRawSync(mebibyte, { finishFlush: constants.Z_FULL_FLUSH });
  const whole = Array.from({ length: times }, () => block);
  const inner = Buffer.concat([Buffer.of(0x78, 0x9c), ...whole, Buffer.of(0x03, 0x00, 0, 0, 0, 0)]);
  return pdfOf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Contents 4 0 R >>",
    { entries: "/Filter [/FlateDecode /FlateDecode]", data: deflateSync(inner, { level: 9 }) },
  ]);
}

/** A few kilobytes that unfold to a gigabyte. */
export function bomb(): Uint8Array {
  return packed(Buffer.alloc(1 << 20, " "), 1024);
}

/** A few kilobytes of work for minutes. */
export function endlessWork(): Uint8Array {
  return packed(Buffer.alloc(1 << 20, "q Q "), 64);
}

/** Forms that draw each other ten times each, thirty deep, with a word at the end. */
export function nestedForms(): Uint8Array {
  const depth = 30;
  const forms = Array.from({ length: depth }, (_, index): PdfObject => ({
    entries: `/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /Font << /F ${font} >> /XObject << /X ${index + 5} 0 R >> >>`,
    data: index === depth - 1 ? "BT /F 9 Tf (x) Tj ET" : "/X Do ".repeat(10),
  }));
  return pdfOf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Contents ${depth + 4} 0 R /Resources << /XObject << /X 4 0 R >> >> >>`,
    ...forms,
    { entries: "", data: "/X Do" },
  ]);
}
