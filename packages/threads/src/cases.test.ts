import { readdirSync, readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

/** The numbered cases that threads are held to, and the attacks `TH-01` to `TH-32`. */
const cases = { behaviour: 158, attacks: 32 };

/** What tests are called by: the texts in a source, with those that a table puts into `threads $number`. */
function titlesIn(source: string): string[] {
  const texts = [...source.matchAll(/"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g)].map(([text]) => text);
  if (!texts.some((text) => text.includes("threads $number"))) return texts;
  const numbers = [...source.matchAll(/\bnumber: (\d+),/g)].map(([, number = ""]) => `threads ${number}`);
  return [...texts, ...numbers];
}

/** The cases that no title names, such as `threads 138 to 142, TH-20` does. */
function missingIn(
  titles: readonly string[],
  { behaviour, attacks }: { readonly behaviour: number; readonly attacks: number },
): string[] {
  const found = new Set<string>();
  for (const title of titles) {
    for (const [, list = ""] of title.matchAll(/\bthreads ((?:\d+(?: to |, | and )?)+)/g)) {
      for (const [, first, last = first] of list.matchAll(/(\d+)(?: to (\d+))?/g))
        for (let number = Number(first); number <= Number(last); number += 1) found.add(`threads ${number}`);
    }
    for (const [attack] of title.matchAll(/\bTH-\d\d\b/g)) found.add(attack);
  }
  return [
    ...Array.from({ length: behaviour }, (_, index) => `threads ${index + 1}`),
    ...Array.from({ length: attacks }, (_, index) => `TH-${String(index + 1).padStart(2, "0")}`),
  ].filter((name) => !found.has(name));
}

describe("the cases of threads", () => {
  it("are each named by a test", () => {
    const folder = import.meta.dirname;
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
      (file) => /^testing\/.*\.ts$|\.test\.ts$/.test(file) && file !== "cases.test.ts",
    );
    const titles = files.flatMap((file) => titlesIn(readFileSync(`${folder}/${file}`, "utf8")));
    expect(missingIn(titles, cases)).toEqual([]);
  });

  it("are missed where no title names them", () => {
    const source = `
      // threads 5: a comment is no title
      it.each([{ number: 2, why: "x" }])("threads $number: $why", check);
      it("threads 1, 3 to 4, TH-02: a", check);
      const title = \`threads 44: b (threads 6 and 8, TH-01)\`;`;
    expect(missingIn(titlesIn(source), { behaviour: 9, attacks: 3 })).toEqual([
      ...["threads 5", "threads 7", "threads 9", "TH-03"],
    ]);
    expect(
      missingIn(titlesIn('it("threads 1"); const row = { number: 2, why };'), { behaviour: 2, attacks: 0 }),
    ).toEqual(["threads 2"]);
  });
});
