/**
 * Writes both formats straight from their description in README.md, without the package's own code, so that the
 * vectors check it from outside. Everything that is random there is an argument here.
 */
import { createCipheriv, createHmac, scryptSync } from "node:crypto";
import { hashRaw } from "@node-rs/argon2";

/** Bytes `first`, `first + 1`, …: told apart at a glance, and the same in every run. */
export function counting(first: number, length: number): Buffer {
  return Buffer.from(Array.from({ length }, (_, index) => (first + index) % 256));
}

export interface HeaderV2 {
  readonly password: string;
  readonly salt: Buffer;
  readonly logN?: number;
  readonly blockSize?: number;
  readonly parallelism?: number;
  /** In place of the right one. */
  readonly check?: Buffer;
}

export interface EntryV2 {
  /** The name that is bound to the value. */
  readonly name: string;
  readonly plain: Buffer;
  readonly nonce: Buffer;
  /** In place of the right associated data. */
  readonly associatedData?: string;
}

/** Seals the entries of one file. */
export function sealV2(header: HeaderV2, entries: readonly EntryV2[]): string[] {
  const { password, salt, logN = 15, blockSize = 8, parallelism = 1 } = header;
  const derived = derive(password, { salt, logN, blockSize, parallelism });
  const check = header.check ?? derived.subarray(32);
  const text = ["roboz:v2:scrypt", logN, blockSize, parallelism, base64url(salt), base64url(check)].join(":");
  return entries.map(({ name, plain, nonce, associatedData = `${text}\0${name}` }) => {
    const cipher = createCipheriv("aes-256-gcm", derived.subarray(0, 32), nonce);
    cipher.setAAD(Buffer.from(associatedData));
    const sealed = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    return [text, base64url(nonce), base64url(sealed)].join(":");
  });
}

const derivedKeys = new Map<string, Buffer>();

/** Key and key check; vectors that share a header share the work. */
function derive(
  password: string,
  {
    salt,
    logN,
    blockSize,
    parallelism,
  }: { salt: Buffer; logN: number; blockSize: number; parallelism: number },
): Buffer {
  const id = JSON.stringify([password, salt.toString("hex"), logN, blockSize, parallelism]);
  const known = derivedKeys.get(id);
  if (known !== undefined) return known;
  const cost = 2 ** logN;
  const derived = scryptSync(Buffer.from(password), salt, 48, {
    cost,
    blockSize,
    parallelization: parallelism,
    maxmem: 2 ** 30,
  });
  derivedKeys.set(id, derived);
  return derived;
}

export interface EntryV1 {
  readonly password: string;
  readonly salt: Buffer;
  readonly plain: Buffer;
  readonly iv: Buffer;
  readonly unixSeconds: number;
  /** In place of 0x80. */
  readonly version?: number;
  /** False to encrypt `plain` as it is, without PKCS#7 padding. */
  readonly isPadded?: boolean;
}

// Argon2id, version 0x13.
const argon2id = {
  algorithm: 2,
  version: 1,
  timeCost: 3,
  memoryCost: 65_536,
  parallelism: 4,
  outputLen: 32,
} as const;

/** Seals one entry. */
export async function sealV1(entry: EntryV1): Promise<string> {
  const { password, salt, plain, iv, unixSeconds, version = 0x80, isPadded = true } = entry;
  const key = await hashRaw(Buffer.from(password), { ...argon2id, salt });
  const time = Buffer.alloc(8);
  time.writeBigUInt64BE(BigInt(unixSeconds));
  const cipher = createCipheriv("aes-128-cbc", key.subarray(16), iv).setAutoPadding(isPadded);
  const signed = Buffer.concat([Buffer.from([version]), time, iv, cipher.update(plain), cipher.final()]);
  const mac = createHmac("sha256", key.subarray(0, 16)).update(signed).digest();
  return `roboz:v1:${padded(salt)}:${padded(Buffer.concat([signed, mac]))}`;
}

export function base64url(bytes: Buffer): string {
  return bytes.toString("base64url");
}

export function padded(bytes: Buffer): string {
  return bytes.toString("base64").replaceAll("+", "-").replaceAll("/", "_");
}
