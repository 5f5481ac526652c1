import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "./workspace.mjs";

/** What a package is held to: numbered cases, and attacks by letters and number. */
interface Cases {
  /** What their tests call the numbered ones: `threads 5`. */
  readonly word: string;
  readonly numbered: number;
  /** How many attacks there are of each kind: `TH-01` and so on. */
  readonly attacks: Readonly<Record<string, number>>;
  /** Where the tests are. */
  readonly packages: readonly string[];
}

const held: readonly Cases[] = [
  { word: "deployment", numbered: 65, attacks: {}, packages: ["deployment"] },
  {
    word: "shed",
    numbered: 135,
    attacks: {
      ...{ FT: 29, PB: 26, SL: 11, RC: 9, GL: 11, SQ: 15, CT: 11, SP: 7, FN: 7, IO: 8, PR: 10, PA: 16 },
      PD: 19,
    },
    // The cases of compaction are those of the core.
    packages: ["shed", "core"],
  },
  { word: "threads", numbered: 158, attacks: { TH: 32 }, packages: ["threads"] },
  {
    word: "endpoints",
    numbered: 0,
    attacks: { EV: 15, EN: 26, AL: 12 },
    packages: ["endpoints", "core", "cli"],
  },
  { word: "cli", numbered: 0, attacks: { CL: 7 }, packages: ["cli", "endpoints", "../tools"] },
];

/** What tests are called by: the texts in a source, with those that a table puts into `threads $number`. */
function titlesIn(source: string, word: string): string[] {
  const texts = [...source.matchAll(/"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g)].map(([text]) => text);
  if (!texts.some((text) => text.includes(`${word} $number`))) return texts;
  const numbers = [...source.matchAll(/\bnumber: (\d+),/g)].map(([, number = ""]) => `${word} ${number}`);
  return [...texts, ...numbers];
}

/** The cases that no title names, such as `threads 138 to 142, TH-20` does. */
function missingIn(
  titles: readonly string[],
  { word, numbered, attacks }: Omit<Cases, "packages">,
): string[] {
  const found = new Set<string>();
  const named = new RegExp(`\\b${word} ((?:\\d+(?: to |, | and )?)+)`, "g");
  for (const title of titles) {
    for (const [, list = ""] of title.matchAll(named)) {
      for (const [, first, last = first] of list.matchAll(/(\d+)(?: to (\d+))?/g))
        for (let number = Number(first); number <= Number(last); number += 1) found.add(`${word} ${number}`);
    }
    for (const [attack] of title.matchAll(/\b[A-Z]{2}-\d\d\b/g)) found.add(attack);
  }
  return [
    ...Array.from({ length: numbered }, (_, index) => `${word} ${index + 1}`),
    ...Object.entries(attacks).flatMap(([kind, count]) =>
      Array.from({ length: count }, (_, index) => `${kind}-${String(index + 1).padStart(2, "0")}`),
    ),
  ].filter((name) => !found.has(name));
}

/** The tests of a package, the suites that it publishes, and cases that its tests share. */
function testsOf(packageName: string): string[] {
  const folder =
    packageName === "../tools" ? join(root, "tools") : join(root, "packages", packageName, "src");
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /^testing\/.*\.ts$|__fixtures__\/cases\/|\.test(?:-d)?\.ts$/.test(file))
    .map((file) => readFileSync(join(folder, file), "utf8"));
}

describe("the cases", () => {
  it.each(held)("of $word are each named by a test", (cases) => {
    const titles = cases.packages.flatMap(testsOf).flatMap((source) => titlesIn(source, cases.word));
    expect(missingIn(titles, cases)).toEqual([]);
  });

  it("are missed where no title names them", () => {
    const source = `
      // threads 5: a comment is no title
      it.each([{ number: 2, why: "x" }])("threads $number: $why", check);
      it("threads 1, 3 to 4, TH-02: a", check);
      const title = \`threads 44: b (threads 6 and 8, TH-01, SL-01)\`;`;
    const cases = { word: "threads", numbered: 9, attacks: { TH: 3, SL: 2 } };
    expect(missingIn(titlesIn(source, "threads"), cases)).toEqual([
      ...["threads 5", "threads 7", "threads 9", "TH-03", "SL-02"],
    ]);
    expect(
      missingIn(titlesIn('it("threads 1"); const row = { number: 2, why };', "threads"), {
        word: "threads",
        numbered: 2,
        attacks: {},
      }),
    ).toEqual(["threads 2"]);
  });
});
