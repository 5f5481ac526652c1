import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseEnv, serializeEnv } from "./env-text.ts";

const isLong = process.env["ROBOZ_LONG"] !== undefined;
const valueCount = isLong ? 1_000_000 : 10_000;

const name = fc.oneof(
  fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,8}$/).filter((text) => !/_encrypted$/i.test(text)),
  fc.stringMatching(/^[A-Z]{1,4}_ENCRYPTED$/),
  fc.constantFrom("export", "__proto__", "constructor", "_"),
);
// What dotenv readers stumble over, among any other characters.
const tricky = fc.constantFrom(
  "'",
  '"',
  "\\",
  "\\\\",
  "\\'",
  "\n",
  "\r",
  "\r\n",
  "#",
  " #",
  "=",
  "$",
  "${X}",
  " ",
  "\t",
  "`",
  "\uFEFF",
  "\u2028",
  "\u00A0",
  "export ",
  "A=",
  "\u{1F511}",
  "n",
);
const text = fc.oneof(
  { weight: 3, arbitrary: fc.array(tricky, { maxLength: 12 }).map((parts) => parts.join("")) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 20 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 20 }) },
);
const value = fc.option(
  text.map((some) => some.replaceAll("\0", "")),
  { nil: undefined, freq: 8 },
);
const environment = fc.uniqueArray(fc.tuple(name, value), {
  minLength: 1,
  maxLength: 20,
  selector: ([key]) => key,
});

describe("parseEnv and serializeEnv", () => {
  it(
    `EV-10: keep every value without NUL, ${valueCount} of them`,
    () => {
      let seen = 0;
      fc.assert(
        fc.property(environment, (entries) => {
          seen += entries.length;
          const { values, warnings } = parseEnv(serializeEnv(new Map(entries)));
          expect(warnings).toEqual([]);
          expect([...values]).toEqual(entries);
        }),
        { numRuns: valueCount / 5 },
      );
      expect(seen).toBeGreaterThanOrEqual(valueCount);
    },
    isLong ? 1_800_000 : 60_000,
  );

  it("never throws and never loses the line after, whatever stands before it", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(tricky, fc.string({ maxLength: 5 }))), (parts) => {
        const before = parts.join("").replaceAll(/['"\n\r]/g, "");

        expect(parseEnv(`${before}\nLAST=1\n`).values.get("LAST")).toBe("1");
      }),
      { numRuns: 2000 },
    );
  });

  it("keeps half a surrogate pair in memory, where no file is written", () => {
    const values = new Map([["A", "x\uD800'"]]);

    expect([...parseEnv(serializeEnv(values)).values]).toEqual([...values]);
  });
});

const pem = "-----BEGIN KEY-----\nAb+/c==\n-----END KEY-----";

describe("parseEnv", () => {
  it.each<{ why: string; text: string; values: Readonly<Record<string, string | undefined>> }>([
    {
      why: "EV-01: a hash in a value, and one that begins a comment",
      text: "A=a#b\nB=a #b\nC=\"a #b\"\nD='a #b'\n",
      values: { A: "a#b", B: "a", C: "a #b", D: "a #b" },
    },
    { why: "EV-02: quotes in the comment behind quotes", text: `K="V1" # or "V2"\n`, values: { K: "V1" } },
    {
      why: "EV-03: the escapes of either quotes, and no others",
      text:
        String.raw`A='\\ \' \n \" $X \${X}'` +
        "\n" +
        String.raw`B="\\ \' \" \a\b\f\n\r\t\v \q $X \${X}"` +
        "\n",
      values: {
        A: String.raw`\ ' \n \" $X \${X}`,
        B: `\\ ' " \x07\b\f\n\r\t\v ${String.raw`\q`} $X ${String.raw`\${X}`}`,
      },
    },
    {
      why: "EV-04: a key over several lines, and the same with escaped line ends",
      text: `A="${pem}"\nB="${pem.replaceAll("\n", String.raw`\n`)}"\n`,
      values: { A: pem, B: pem },
    },
    {
      why: "EV-05: CRLF, kept within quotes only",
      text: "A=1\r\nB\r\nC='x\r\ny'\r\nD=2\r\n",
      values: { A: "1", B: undefined, C: "x\r\ny", D: "2" },
    },
    { why: "EV-06: a byte-order mark", text: "\uFEFFA=1\nB=2\n", values: { A: "1", B: "2" } },
    {
      why: "EV-08: bare names and blank lines",
      text: "foo\n\n\nbar\nbaz=whatever\n",
      values: { foo: undefined, bar: undefined, baz: "whatever" },
    },
    { why: "EV-09: settings in comments", text: "K=first\n# K=second\n#K=third\n", values: { K: "first" } },
    { why: "EV-11: an empty value", text: "K=\nL=1\n", values: { K: "", L: "1" } },
    {
      why: "EV-12: export, spaces around the sign, no last line end",
      text: "export K=v\nexport  L = v\nM =v",
      values: { K: "v", L: "v", M: "v" },
    },
  ])("reads $why", ({ text: given, values }) => {
    const parsed = parseEnv(given);

    expect([...parsed.values]).toEqual(Object.entries(values));
    expect(parsed.warnings).toEqual([]);
  });

  it("EV-13: warns about a line without showing what stands in it", () => {
    const { values, warnings } = parseEnv(
      "A=1\nSECRET='hidden-1\nhidden-2 hidden-3\nhidden+4/==\n1X=hidden-5\nB=2\n",
    );

    expect([...values]).toEqual([
      ["A", "1"],
      ["B", "2"],
    ]);
    expect(warnings.map(({ line }) => line)).toEqual([2, 3, 4, 5]);
    expect(JSON.stringify(warnings)).not.toContain("hidden");
  });

  it.each([
    {
      why: "10,000 names",
      of: () => Array.from({ length: 10_000 }, (_, at) => `N${at}=v\n`).join(""),
      names: 10_000,
    },
    { why: "a value of 1 MB", of: () => `N='${"x".repeat(2 ** 20)}'\n`, names: 1 },
    { why: "a value of 1 MB of backslashes", of: () => `N="${"\\\\".repeat(2 ** 19)}"\n`, names: 1 },
    { why: "100,000 quotes", of: () => `N=${"'".repeat(100_000)}\nM=1\n`, names: 1 },
    { why: "100,000 lines that open a quote", of: () => "N='\n".repeat(100_000), names: 1 },
    { why: "50,000 lines that open one of two quotes", of: () => `A="x\nB='y\n`.repeat(25_000), names: 0 },
    {
      why: "1 MB of white space before a comment sign",
      of: () => `N=a${" ".repeat(2 ** 20)}b#c\n`,
      names: 1,
    },
  ])("EV-14: reads $why", ({ of, names }) => {
    expect(parseEnv(of()).values.size).toBe(names);
  });
});
