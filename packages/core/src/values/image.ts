import * as z from "zod";

import { ValueError } from "../errors.ts";

const dataUrlHead = /^data:image\/[a-z0-9.+-]+;base64,/;
/** Stands on the schema of an image's address; the same symbol in every installed copy of this package. */
const imageUrlKey = Symbol.for("@roboz/core/image-url");
const mediaTypes = ["image/png", "image/jpeg", "image/webp", "image/gif"] as const;

/** The media types that an image may be made of. */
export type ImageMediaType = (typeof mediaTypes)[number];

const imageUrl = z.string().refine(isImageUrl, "an image is an http(s) address or a base64 image data URL");
Object.defineProperty(imageUrl, imageUrlKey, { value: true });

/**
 * The schema of an image: a web address or a base64 data URL, and an optional hint such as `"high"`.
 * Only the form is checked; nothing is fetched or decoded.
 */
export const image = z.strictObject({ url: imageUrl, detail: z.string().optional() });
export type Image = Readonly<z.output<typeof image>>;

/** Whether a schema is that of an image, or extends it. */
export function isImageSchema(schema: unknown): schema is z.ZodObject {
  if (!(schema instanceof z.ZodObject)) return false;
  const url: unknown = schema.shape["url"];
  return typeof url === "object" && url !== null && imageUrlKey in url;
}

function isImageUrl(url: string): boolean {
  const [head] = dataUrlHead.exec(url) ?? [];
  if (head === undefined) return /^https?:\/\//i.test(url) && URL.canParse(url);
  return isBase64(url, head.length);
}

/** Whether a text is base64 from a position on, and not empty; in one pass, whatever its length. */
function isBase64(text: string, start: number): boolean {
  const length = text.length - start;
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const stray = /[^A-Za-z0-9+/]/g;
  stray.lastIndex = start;
  const at = stray.exec(text)?.index ?? text.length;
  return length > 0 && length % 4 === 0 && at === text.length - padding;
}

/**
 * Makes an image of bytes.
 *
 * @throws {@link ValueError} (`core/value`) when there are no bytes or the media type is not PNG, JPEG, WebP or GIF.
 */
export function imageFromBytes(bytes: Uint8Array, mediaType: ImageMediaType, detail?: string): Image {
  if (!mediaTypes.includes(mediaType)) {
    throw new ValueError({
      kind: "image",
      problem: `a media type that it does not know; it takes ${mediaTypes.join(", ")}`,
    });
  }
  if (bytes.length === 0) throw new ValueError({ kind: "image", problem: "no bytes" });
  const url = `data:${mediaType};base64,${Buffer.from(bytes).toString("base64")}`;
  return Object.freeze(detail === undefined ? { url } : { url, detail });
}
