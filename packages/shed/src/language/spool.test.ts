import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";

import { OutputTooLarge, Spool, SpoolStore } from "./spool.ts";

async function bytesOf(spool: Spool): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of spool.read()) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

const digest = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
/** Whatever else runs on the machine, only these tests' spools are here. */
const folder = mkdtempSync(join(tmpdir(), "spool-tests-"));
vi.stubEnv("TMPDIR", folder);
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});
const leftovers = (): string[] => readdirSync(folder);

describe("a spool", () => {
  it.each([
    { why: "in memory", memoryBytes: 10_000_000 },
    { why: "in a file without a name", memoryBytes: 500_000 },
    { why: "in a file from the first byte", memoryBytes: 0 },
  ])("gives exactly what was written, $why (SQ-08)", async ({ memoryBytes }) => {
    const spool = new Spool({ memoryBytes });
    const pieces = [1, 0, 7, 100_000, 3, 16_384, 20_000, 1, 900_000, 5].map((size) => randomBytes(size));
    const passing = new Uint8Array(1_000_000);
    for (const piece of pieces) {
      passing.set(piece);
      spool.write(passing.subarray(0, piece.length));
      passing.fill(0);
    }
    expect(spool.size).toBe(Buffer.concat(pieces).length);
    expect(digest(await bytesOf(spool))).toBe(digest(Buffer.concat(pieces)));
    expect(leftovers()).toEqual([]);
  });

  it("goes to a file once there is more than may stay in memory", () => {
    const spool = new Spool({ memoryBytes: 100_000 });
    spool.write(Buffer.alloc(100_000));
    expect(spool.isOnDisk).toBe(false);
    spool.write(Buffer.alloc(20_000));
    expect(spool.isOnDisk).toBe(true);
    expect(leftovers()).toEqual([]);
    spool.dispose();
    spool.dispose();
  });

  it("takes many small pieces without keeping each", () => {
    const spool = new Spool();
    for (let count = 0; count < 300_000; count++) spool.write(Buffer.from("x\n"));
    expect(spool.peek(600_000)?.length).toBe(600_000);
    expect(spool.peek(599_999)).toBeUndefined();
  });

  it("has a limit (SQ-07)", () => {
    const spool = new Spool({ maxBytes: 10 });
    spool.write(Buffer.alloc(10));
    expect(() => {
      spool.write(Buffer.alloc(1));
    }).toThrow(OutputTooLarge);
    spool.dispose();
  });

  it("is gone once it was read, or its reader has left", async () => {
    const spool = new Spool({ memoryBytes: 0 });
    spool.write(Buffer.alloc(1_000_000));
    for await (const chunk of spool.read()) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    expect(spool.isOnDisk).toBe(false);
    expect(await bytesOf(spool)).toHaveLength(0);
  });
});

describe("a store of spools", () => {
  it("gives each once, and gives up the oldest for one too many", () => {
    const store = new SpoolStore(2);
    const spools = [1, 2, 3].map((size) => {
      const spool = new Spool({ memoryBytes: 0 });
      spool.write(Buffer.alloc(size * 20_000));
      return spool;
    });
    for (const [index, spool] of spools.entries()) store.put(`${index}`, spool);
    expect(store.take("0")).toBeUndefined();
    expect(spools[0]?.isOnDisk).toBe(false);
    expect(store.take("1")).toBe(spools[1]);
    expect(store.take("1")).toBeUndefined();
    expect(store.take("2")).toBe(spools[2]);
    for (const spool of spools) spool.dispose();
  });
});
