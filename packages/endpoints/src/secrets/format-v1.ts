import { isUtf8 } from "node:buffer";
import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { deriveArgon2id } from "./argon2id.ts";
import { decodeBase64url, encodeBase64url } from "./base64url.ts";
import { InvalidSecretError } from "./errors.ts";

/*
 * roboz:v1:<salt>:<token>, the format of the Python release. The token is a Fernet token
 * (https://github.com/fernet/spec/blob/master/Spec.md): version, time, IV, AES-128-CBC, HMAC-SHA256.
 * The name is not part of it, so two entries of a file can be swapped without a trace.
 */

const prefix = "roboz:v1:";
const padded = { isPadded: true };
const saltBytes = 16;
const version = 0x80;
const timeBytes = 8;
const ivBytes = 16;
const blockBytes = 16;
const macBytes = 32;
const headBytes = 1 + timeBytes + ivBytes;

/** A ciphertext of format v1, read but not opened. */
export interface SealedV1 {
  readonly salt: Buffer;
  readonly token: Buffer;
}

/** Takes a ciphertext apart; `undefined` when it is not canonical or its token has an impossible length. */
export function readV1(text: string): SealedV1 | undefined {
  if (!text.startsWith(prefix)) return undefined;
  const colon = text.indexOf(":", prefix.length);
  if (colon === -1) return undefined;
  const salt = decodeBase64url(text.slice(prefix.length, colon), padded);
  const token = decodeBase64url(text.slice(colon + 1), padded);
  if (salt?.length !== saltBytes || token === undefined) return undefined;
  const cipherBytes = token.length - headBytes - macBytes;
  if (token[0] !== version || cipherBytes < blockBytes || cipherBytes % blockBytes !== 0) return undefined;
  return { salt, token };
}

function macOf(key: Buffer, signed: Buffer): Buffer {
  return createHmac("sha256", key.subarray(0, 16)).update(signed).digest();
}

/** @throws {@link InvalidSecretError} for whatever reason it does not open. */
export async function openV1({ salt, token }: SealedV1, password: string): Promise<string> {
  const key = await deriveArgon2id(password, salt);
  const signed = token.subarray(0, -macBytes);
  if (!timingSafeEqual(macOf(key, signed), token.subarray(-macBytes))) throw new InvalidSecretError();
  const plain = openCbc(key, signed);
  if (plain === undefined || !isUtf8(plain)) throw new InvalidSecretError();
  return plain.toString("utf8");
}

function openCbc(key: Buffer, signed: Buffer): Buffer | undefined {
  const iv = signed.subarray(1 + timeBytes, headBytes);
  const decipher = createDecipheriv("aes-128-cbc", key.subarray(16), iv);
  try {
    return Buffer.concat([decipher.update(signed.subarray(headBytes)), decipher.final()]);
  } catch {
    return undefined;
  }
}

/** What makes a ciphertext of format v1 unlike any other; fixed only to check the format against known results. */
export interface FreshV1 {
  readonly salt: Buffer;
  readonly iv: Buffer;
  readonly unixSeconds: number;
}

/** Encrypts one value under a derivation of its own. */
export async function sealV1(
  value: string,
  password: string,
  { salt, iv, unixSeconds }: FreshV1 = {
    salt: randomBytes(saltBytes),
    iv: randomBytes(ivBytes),
    unixSeconds: Math.floor(Date.now() / 1000),
  },
): Promise<string> {
  const key = await deriveArgon2id(password, salt);
  const head = Buffer.alloc(1 + timeBytes);
  head.writeUInt8(version);
  head.writeBigUInt64BE(BigInt(unixSeconds), 1);
  const cipher = createCipheriv("aes-128-cbc", key.subarray(16), iv);
  const signed = Buffer.concat([head, iv, cipher.update(value, "utf8"), cipher.final()]);
  const token = Buffer.concat([signed, macOf(key, signed)]);
  return `${prefix}${encodeBase64url(salt, padded)}:${encodeBase64url(token, padded)}`;
}
