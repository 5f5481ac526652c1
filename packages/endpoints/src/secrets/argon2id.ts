import { Argon2Error } from "./errors.ts";

/** Argon2id 0x13, 3 passes over 64 MiB in 4 lanes: what the Python release uses for every value (RFC 9106). */
const parameters = {
  algorithm: 2,
  version: 1, // the library's number for 0x13
  timeCost: 3,
  memoryCost: 65_536,
  parallelism: 4,
  outputLen: 32,
} as const;

/**
 * Derives the 32 bytes that open one value of format v1.
 * Node has Argon2 only from 24.7 on, and in JavaScript it takes seconds, so a native library is loaded on first use.
 */
export async function deriveArgon2id(password: string, salt: Buffer): Promise<Buffer> {
  const { hashRaw } = await loadLibrary();
  return hashRaw(Buffer.from(password, "utf8"), { ...parameters, salt });
}

async function loadLibrary() {
  try {
    return await import("@node-rs/argon2");
  } catch (cause) {
    throw new Argon2Error({ cause });
  }
}
