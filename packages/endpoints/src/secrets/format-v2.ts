import { isUtf8 } from "node:buffer";
import { createCipheriv, createDecipheriv, randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { decodeBase64url, encodeBase64url } from "./base64url.ts";
import { InvalidSecretError } from "./errors.ts";

/*
 * roboz:v2:scrypt:<log2 N>:<r>:<p>:<salt>:<check>:<nonce>:<sealed>
 *
 * One scrypt derivation (RFC 7914) per file gives 48 bytes: 32 are the key of AES-256-GCM (NIST SP 800-38D), 16 the
 * key check, which also ties a ciphertext to one key: GCM alone does not. `sealed` is ciphertext and tag. Everything
 * before the nonce, a NUL and the base name are the associated data.
 */

const prefix = "roboz:v2:scrypt";
const unpadded = { isPadded: false };
const keyBytes = 32;
const checkBytes = 16;
const saltBytes = 16;
const nonceBytes = 12;
const tagBytes = 16;
const blockSize = 8;

/** The cost of new files: N = 2^17, r = 8, p = 1, which takes 128 MiB. */
export const defaultScryptLogN = 17;
/** The floor and the ceiling of what is read: 32 MiB to 256 MiB, one to four passes. */
export const scryptLimits = { minLogN: 15, maxLogN: 18, minParallelism: 1, maxParallelism: 4 } as const;

const shape =
  /^roboz:v2:scrypt:(\d{1,2}):(\d{1,2}):(\d{1,2}):([\w-]{22}):([\w-]{22}):([\w-]{16}):([\w-]{22,})$/;

interface Parameters {
  readonly logN: number;
  readonly parallelism: number;
  readonly salt: Buffer;
}

interface DerivedKey {
  readonly key: Buffer;
  readonly check: Buffer;
}

/** A ciphertext of format v2, read and within limits, but not opened. */
export interface SealedV2 extends Parameters {
  /** Everything before the nonce. */
  readonly header: string;
  readonly check: Buffer;
  readonly nonce: Buffer;
  readonly sealed: Buffer;
}

/** Takes a ciphertext apart without deriving or allocating anything; `undefined` when it is not canonical or not within limits. */
export function readV2(text: string): SealedV2 | undefined {
  const match = shape.exec(text);
  if (match === null) return undefined;
  const [, logNText = "", blockSizeText = "", parallelismText = "", saltText = "", checkText = ""] = match;
  const [, , , , , , nonceText = "", sealedText = ""] = match;
  const logN = Number(logNText);
  const parallelism = Number(parallelismText);
  if (blockSizeText !== String(blockSize)) return undefined;
  if (logNText !== String(logN) || parallelismText !== String(parallelism)) return undefined;
  if (logN < scryptLimits.minLogN || logN > scryptLimits.maxLogN) return undefined;
  if (parallelism < scryptLimits.minParallelism || parallelism > scryptLimits.maxParallelism)
    return undefined;
  const salt = decodeBase64url(saltText, unpadded);
  const check = decodeBase64url(checkText, unpadded);
  const nonce = decodeBase64url(nonceText, unpadded);
  const sealed = decodeBase64url(sealedText, unpadded);
  if (salt === undefined || check === undefined || nonce === undefined || sealed === undefined)
    return undefined;
  const header = `${prefix}:${logNText}:${blockSizeText}:${parallelismText}:${saltText}:${checkText}`;
  return { logN, parallelism, salt, check, nonce, sealed, header };
}

function deriveKey(password: string, { logN, parallelism, salt }: Parameters): Promise<DerivedKey> {
  const cost = 2 ** logN;
  // The default limit of Node is 32 MiB; this one is what these parameters take, and no more.
  const maxmem = 128 * blockSize * (cost + parallelism + 2) + 2 ** 20;
  return new Promise((resolve, reject) => {
    scrypt(
      Buffer.from(password, "utf8"),
      salt,
      keyBytes + checkBytes,
      { cost, blockSize, parallelization: parallelism, maxmem },
      (error, derived) => {
        if (error) reject(error);
        else resolve({ key: derived.subarray(0, keyBytes), check: derived.subarray(keyBytes) });
      },
    );
  });
}

function associatedData(header: string, baseName: string): Buffer {
  return Buffer.from(`${header}\0${baseName}`, "utf8");
}

/** Opens ciphertexts of format v2; those of one file share one derivation. */
export class V2Opener {
  readonly #password: string;
  readonly #keys = new Map<string, Promise<DerivedKey>>();

  constructor(password: string) {
    this.#password = password;
  }

  /** @throws {@link InvalidSecretError} for whatever reason it does not open. */
  async open(entry: SealedV2, baseName: string): Promise<string> {
    const { key, check } = await this.#keyFor(entry);
    if (!timingSafeEqual(check, entry.check)) throw new InvalidSecretError();
    const plain = openGcm(key, entry, associatedData(entry.header, baseName));
    if (plain === undefined || !isUtf8(plain)) throw new InvalidSecretError();
    return plain.toString("utf8");
  }

  #keyFor(parameters: Parameters): Promise<DerivedKey> {
    const { logN, parallelism, salt } = parameters;
    const id = `${logN}:${parallelism}:${salt.toString("hex")}`;
    const known = this.#keys.get(id);
    if (known !== undefined) return known;
    const fresh = deriveKey(this.#password, parameters);
    this.#keys.set(id, fresh);
    return fresh;
  }
}

function openGcm(key: Buffer, { nonce, sealed }: SealedV2, additional: Buffer): Buffer | undefined {
  const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: tagBytes });
  decipher.setAAD(additional);
  decipher.setAuthTag(sealed.subarray(-tagBytes));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(0, -tagBytes)), decipher.final()]);
  } catch {
    return undefined;
  }
}

/** A value to encrypt, under its base name. */
export interface PlainEntry {
  readonly baseName: string;
  readonly value: string;
}

/** Encrypts values under one derivation with a fresh salt and, for each, a fresh nonce; order is kept. */
export async function sealV2(
  entries: readonly PlainEntry[],
  { password, logN = defaultScryptLogN }: { password: string; logN?: number | undefined },
): Promise<string[]> {
  const salt = randomBytes(saltBytes);
  const { key, check } = await deriveKey(password, { logN, parallelism: 1, salt });
  const header = `${prefix}:${logN}:${blockSize}:1:${encodeBase64url(salt, unpadded)}:${encodeBase64url(check, unpadded)}`;
  return entries.map(({ baseName, value }) => {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: tagBytes });
    cipher.setAAD(associatedData(header, baseName));
    const sealed = Buffer.concat([cipher.update(value, "utf8"), cipher.final(), cipher.getAuthTag()]);
    return `${header}:${encodeBase64url(nonce, unpadded)}:${encodeBase64url(sealed, unpadded)}`;
  });
}
