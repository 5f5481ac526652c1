import { inspect } from "node:util";

import { describe, expect, it } from "vitest";

import { encodings } from "./__fixtures__/encodings.ts";
import { DependencyFailure } from "./failure.ts";

/** Numbers that look random and are the same each time. */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const alphabets = [
  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
  "abcXYZ0123456789-_.~+/=",
  "abc .*+?^${}()|[]\\/%&#@!'\"`<>:;,",
  "äöüßéñ漢字ключ😀abc1",
] as const;
const words = [
  "connect",
  "failed",
  "at",
  "db.example:5432",
  "status",
  "401",
  "while",
  "listing",
  "models",
  "=",
  "{",
  '"',
];

/** A secret of 8 to 40 characters, of which none at an end is blank. */
function secretFrom(next: (below: number) => number): string {
  const alphabet = Array.from(alphabets[next(alphabets.length)] ?? alphabets[0]);
  const length = 8 + next(33);
  const secret = Array.from({ length }, () => alphabet[next(alphabet.length)] ?? "x").join("");
  return secret.trim().padEnd(8, "x");
}

/** An error that shows a text somewhere a failure is made from. */
function errorWith(shown: string, next: (below: number) => number): unknown {
  const filler = (): string => Array.from({ length: next(6) }, () => words[next(words.length)]).join(" ");
  const text = `${filler()} ${shown} ${filler()}`;
  const shapes: readonly (() => unknown)[] = [
    () => new Error(text),
    () => new TypeError("fetch failed", { cause: new Error(text) }),
    () => new AggregateError([new Error(filler()), new Error(text)], filler()),
    () => Object.assign(new Error(filler()), { status: 401, error: { message: text } }),
    () => Object.assign(new Error(filler()), { response: { status: 500, data: { error: text } } }),
    () => Object.assign(new Error(filler()), { body: JSON.stringify({ error: { message: text } }) }),
    () => Object.assign(new Error(filler()), { name: text }),
    () => Object.assign(new Error(""), { code: text }),
    () => text,
    () => new Error(`${"x".repeat(900 + next(120))} ${text}`),
  ];
  return (shapes[next(shapes.length)] ?? shapes[0])?.();
}

/** Whether anything of a secret can be read from a text: in any encoding, or a piece of six characters as it is. */
function leaks(text: string, secret: string, encoded: string): boolean {
  const units = Array.from(secret);
  const pieces = units.slice(0, -5).map((_, index) => units.slice(index, index + 6).join(""));
  return [encoded, ...pieces].some((piece) => text.includes(piece));
}

describe("a failure made from an error", () => {
  it.each(Object.entries(encodings))("shows nothing of a secret that the error has %s", (_, encode) => {
    const next = generator(1);
    const leaked: unknown[] = [];
    for (let round = 0; round < 1000; round += 1) {
      const secret = secretFrom(next);
      const encoded = encode(secret);
      const failure = DependencyFailure.fromError(errorWith(encoded, next), {
        environment: { X_SECRET: secret },
      });
      const shown = inspect(failure, { breakLength: Infinity, maxStringLength: Infinity }) + failure.message;
      if (leaks(shown, secret, encoded)) leaked.push({ round, secret, encoded, message: failure.message });
    }
    expect(leaked).toEqual([]);
  });
});
