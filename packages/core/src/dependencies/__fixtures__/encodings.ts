import { Buffer } from "node:buffer";
import { inspect } from "node:util";

/** Ways in which a text turns up in another, by their names. */
export const encodings: Readonly<Record<string, (text: string) => string>> = {
  "as it is": (text) => text,
  "percent-encoded": (text) => encodeURIComponent(text),
  "percent-encoded in lower case": percentEncoded,
  "percent-encoded twice": (text) => encodeURIComponent(encodeURIComponent(text)),
  "form-encoded": (text) => new URLSearchParams({ q: text }).toString().slice(2),
  "as the user of a URL": (text) => userOf(text),
  "JSON-escaped": (text) => JSON.stringify(text).slice(1, -1),
  "JSON in JSON": (text) => JSON.stringify(JSON.stringify(text)),
  "\\u-escaped": (text) =>
    units(text)
      .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
      .join(""),
  "as a string of JavaScript": (text) => inspect(text),
  "as HTML": (text) => text.replace(/[&<>"']/g, (sign) => `&#x${sign.charCodeAt(0).toString(16)};`),
  "in hexadecimal": (text) => Buffer.from(text).toString("hex"),
  "in upper hexadecimal": (text) => Buffer.from(text).toString("hex").toUpperCase(),
  "as a printed buffer": (text) => (Buffer.from(text).toString("hex").match(/../g) ?? []).join(" "),
  "in base64": (text) => Buffer.from(text).toString("base64"),
  "in base64 without padding": (text) => Buffer.from(text).toString("base64").replace(/=+$/, ""),
  "in base64url": (text) => Buffer.from(text).toString("base64url"),
  "in base64, behind others": (text) => Buffer.from(`user:${text}`).toString("base64"),
  "in base64url, between others": (text) => Buffer.from(`{"key":"${text}","n":1}`).toString("base64url"),
};

/** Every byte that is no letter, digit or `_` as `%xx`, in lower case. */
function percentEncoded(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) => {
      const sign = byte < 128 ? String.fromCharCode(byte) : "";
      return /\w/.test(sign) ? sign : `%${byte.toString(16).padStart(2, "0")}`;
    })
    .join("");
}

function userOf(text: string): string {
  const url = new URL("postgres://host.example/db");
  url.username = text;
  return url.href;
}

function units(text: string): readonly number[] {
  return Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
}
