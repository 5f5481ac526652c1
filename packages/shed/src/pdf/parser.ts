import { getDocument } from "unpdf/pdfjs";

import type { Piece } from "./page-line.ts";
import { pageText } from "./page-text.ts";
import { plainText } from "./plain-text.ts";

// The one module that knows the parser. It runs in a process of its own.

/** A document that is open. */
type PdfDocument = Awaited<ReturnType<typeof getDocument>["promise"]>;
type PdfPage = Awaited<ReturnType<PdfDocument["getPage"]>>;

/** An open document, as far as its text goes. */
export interface OpenPdf {
  readonly pageCount: number;
  /** Whether it is encrypted, also with an empty password. */
  readonly isEncrypted: boolean;
  /** @param page - From 1. */
  readonly textOf: (page: number) => Promise<string>;
  readonly close: () => Promise<void>;
}

/** Opens a document from its bytes, which are the parser's from then on. Nothing else is read, fetched or run. */
export async function openPdf(data: Uint8Array): Promise<OpenPdf> {
  const task = getDocument({
    data,
    verbosity: 0,
    isEvalSupported: false,
    enableXfa: false,
    disableFontFace: true,
    useSystemFonts: false,
    useWorkerFetch: false,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
    disableAutoFetch: true,
    disableStream: true,
  });
  const document = await task.promise;
  const { info } = await document.getMetadata();
  const isEncrypted = "EncryptFilterName" in info && info.EncryptFilterName !== null;
  return {
    pageCount: document.numPages,
    isEncrypted,
    textOf: async (number) => {
      const page = await document.getPage(number);
      try {
        return await textOf(page);
      } finally {
        page.cleanup();
      }
    },
    close: () => task.destroy(),
  };
}

async function textOf(page: PdfPage): Promise<string> {
  const { items, styles } = await page.getTextContent();
  const pieces: Piece[] = [];
  for (const item of items) {
    if (!("str" in item) || item.str === "") continue;
    const isVertical = styles[item.fontName]?.vertical === true;
    pieces.push(pieceOf(item, isVertical));
  }
  return pageText(pieces, await fieldsOf(page));
}

type TextItem = Extract<Awaited<ReturnType<PdfPage["getTextContent"]>>["items"][number], { str: string }>;

function pieceOf({ str, transform, width, height }: TextItem, isVertical: boolean): Piece {
  const [a = 1, b = 0, c = 0, d = 1, x = 0, y = 0] = transform.map(Number);
  const tilt = Math.round((Math.atan2(b, a) * 180) / Math.PI) + (isVertical ? -90 : 0);
  return {
    text: plainText(str),
    ...placed(tilt, x, y),
    width: isVertical ? height : width,
    size: Math.hypot(c, d) || Math.hypot(a, b) || 1,
  };
}

function placed(degrees: number, x: number, y: number): Pick<Piece, "angle" | "along" | "across"> {
  const turn = (degrees * Math.PI) / 180;
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
  return { angle: degrees, along: x * cos + y * sin, across: y * cos - x * sin };
}

/** What is filled into the form fields of a page. A form that is damaged costs only its fields. */
async function fieldsOf(page: PdfPage): Promise<readonly Piece[]> {
  const annotations: unknown[] = await page.getAnnotations().catch(() => []);
  return annotations.flatMap((annotation) => {
    if (typeof annotation !== "object" || annotation === null) return [];
    const text = fieldText(annotation);
    const corners = "rect" in annotation && Array.isArray(annotation.rect) ? annotation.rect.map(Number) : [];
    const [x1, y1, x2, y2] = corners;
    if (text === "" || x1 === undefined || y1 === undefined || x2 === undefined || y2 === undefined)
      return [];
    const lines = text.split("\n");
    const height = Math.min(y2 - y1, 14 * lines.length) / lines.length;
    const middle = (y1 + y2) / 2;
    return lines.map((line, index) => {
      const y = middle + (lines.length / 2 - index - 1) * height + height * 0.25;
      return { text: plainText(line), ...placed(0, x1, y), width: x2 - x1, size: height * 0.75 };
    });
  });
}

function fieldText(field: object): string {
  if (!("fieldType" in field) || ("hidden" in field && field.hidden === true)) return "";
  const value = "fieldValue" in field ? field.fieldValue : undefined;
  switch (field.fieldType) {
    case "Tx":
    case "Ch": {
      const values: unknown[] = Array.isArray(value) ? value : [value];
      return values
        .filter((each) => typeof each === "string")
        .join(", ")
        .replace(/\r\n?/g, "\n");
    }
    case "Btn":
      return isTicked(field, value) ? "[x]" : "";
    default:
      return "";
  }
}

function isTicked(field: object, value: unknown): boolean {
  const own =
    "exportValue" in field ? field.exportValue : "buttonValue" in field ? field.buttonValue : undefined;
  return typeof own === "string" && own !== "" && own === value;
}
