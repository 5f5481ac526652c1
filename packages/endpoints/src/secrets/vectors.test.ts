import { describe, expect, it } from "vitest";
import { envTextFileVectors, secretVectors, valuesOf } from "../../vectors/published.ts";
import { parseEnv, serializeEnv } from "./env-text.ts";

const { vectors, refused } = envTextFileVectors;

describe("the published vectors", () => {
  it("are at least 60 of ciphertext, each under its own id, each refused one next to one that opens", () => {
    const ids = [...secretVectors, ...vectors, ...refused].map(({ id }) => id);
    const opening = new Set(secretVectors.filter((vector) => "values" in vector.expect).map(({ id }) => id));
    const strays = secretVectors.filter(({ id, differsFrom }) => !opening.has(differsFrom ?? id));

    expect(secretVectors.length).toBeGreaterThanOrEqual(60);
    expect(new Set(ids).size).toBe(ids.length);
    expect(strays).toEqual([]);
  });

  it.each(vectors)("$id: $why", ({ text, values, warnings, isCanonical }) => {
    const parsed = parseEnv(text);

    expect([...parsed.values]).toEqual([...valuesOf(values)]);
    expect(parsed.warnings).toEqual(warnings);
    if (isCanonical) expect(serializeEnv(parsed.values)).toBe(text);
    expect([...parseEnv(serializeEnv(parsed.values)).values]).toEqual([...parsed.values]);
  });

  it.each(refused)("$id: $why is not written", ({ values, code }) => {
    expect(() => serializeEnv(valuesOf(values))).toThrow(expect.objectContaining({ code }));
  });
});
