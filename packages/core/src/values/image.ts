import * as z from "zod";

import { ValueError } from "../errors.ts";

const dataUrl =
  /^data:image\/[a-z0-9.+-]+;base64,(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const mediaTypes = ["image/png", "image/jpeg", "image/webp", "image/gif"] as const;

/** The media types that an image may be made of. */
export type ImageMediaType = (typeof mediaTypes)[number];

/**
 * The schema of an image: a web address or a base64 data URL, and an optional hint such as `"high"`.
 * Only the form is checked; nothing is fetched or decoded.
 */
export const image = z.strictObject({
  url: z.string().refine(isImageUrl, "an image is an http(s) address or a base64 image data URL"),
  detail: z.string().optional(),
});
export type Image = Readonly<z.output<typeof image>>;

function isImageUrl(url: string): boolean {
  if (url.startsWith("data:")) return dataUrl.test(url) && !url.endsWith(";base64,");
  return URL.canParse(url) && /^https?:\/\//i.test(url);
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
  return detail === undefined ? { url } : { url, detail };
}
