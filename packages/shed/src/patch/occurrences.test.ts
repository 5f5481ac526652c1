import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { eachOccurrence } from "./occurrences.ts";

const { signal } = new AbortController();

async function placesOf(content: string, old: string): Promise<readonly number[]> {
  const places: number[] = [];
  const found = (at: number): void => void places.push(at);
  await eachOccurrence(Buffer.from(content), Buffer.from(old), { signal, found });
  return places;
}

describe("the occurrences of a text", () => {
  it.each([
    { content: "aaaaa", old: "aa", places: [0, 2] },
    { content: "aabaabaaab", old: "aaab", places: [6] },
    { content: "ababac", old: "abac", places: [2] },
    { content: "a", old: "aa", places: [] },
    { content: "", old: "a", places: [] },
    { content: "ä ö ä", old: "ä", places: [0, 6] },
  ])("stand in $content at $places: $old", async ({ content, old, places }) => {
    expect(await placesOf(content, old)).toEqual(places);
  });

  it("are those that a plain search finds", async () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 60 });
    const old = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(text, old, async (content, sought) => {
        const plain: number[] = [];
        for (let at = content.indexOf(sought); at !== -1; at = content.indexOf(sought, at + sought.length))
          plain.push(at);
        expect(await placesOf(content, sought)).toEqual(plain);
      }),
      { numRuns: 2_000 },
    );
  });
});
