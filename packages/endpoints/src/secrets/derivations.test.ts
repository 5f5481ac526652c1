import { expect, it, vi } from "vitest";

import { decryptEnvValues, encryptEnvValues } from "./env-values.ts";

const derivations = vi.hoisted(() => ({ running: 0, most: 0, all: 0 }));

vi.mock("./argon2id.ts", () => ({
  deriveArgon2id: async (_: string, salt: Buffer): Promise<Buffer> => {
    derivations.all += 1;
    derivations.running += 1;
    derivations.most = Math.max(derivations.most, derivations.running);
    await new Promise(setImmediate);
    derivations.running -= 1;
    return Buffer.concat([salt, salt]);
  },
}));

// Each derivation takes 64 MiB, and the cores. How long they take is measured by the bench.
it("EN-22: 100 secrets of format v1 are written and opened one derivation after the other", async () => {
  const values = new Map(Array.from({ length: 100 }, (_, index) => [`S${index}`, `value ${index}`]));

  const encrypted = await encryptEnvValues(values, {
    secretNames: [...values.keys()],
    password: "p",
    format: "v1",
  });
  const opened = await decryptEnvValues(encrypted, { password: "p" });

  expect([...opened]).toEqual([...values]);
  expect(derivations).toEqual({ running: 0, most: 1, all: 200 });
});
