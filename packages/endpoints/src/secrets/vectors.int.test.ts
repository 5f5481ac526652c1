import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { renderVectors } from "../../vectors/generate.ts";
import { secretVectors, valuesOf } from "../../vectors/published.ts";
import { decryptEnvValues } from "./env-values.ts";

describe("decryptEnvValues (EN-03)", () => {
  it.each(secretVectors)("$id: $why", async ({ entries, password, expect: expected }) => {
    const opened = decryptEnvValues(valuesOf(entries), { password: password ?? undefined });

    if ("values" in expected) expect([...(await opened)]).toEqual([...valuesOf(expected.values)]);
    else await expect(opened).rejects.toMatchObject({ code: expected.code });
  });
});

describe("the script that writes the vectors", () => {
  it("writes the published files to the byte", async () => {
    for (const [name, text] of await renderVectors()) {
      expect(await readFile(new URL(`../../vectors/${name}`, import.meta.url), "utf8"), name).toBe(text);
    }
  });
});
