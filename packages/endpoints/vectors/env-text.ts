import { numbered, type EnvTextVector, type Pair } from "./vector.ts";

type Row = Omit<EnvTextVector, "id" | "warnings"> & { readonly warnings?: EnvTextVector["warnings"] };

const pemLines = "-----BEGIN KEY-----\nAAEC+/==\n-----END KEY-----";

/** The vectors of dotenv reading; those marked as canonical are also what writing their values gives. */
export function envTextVectors(): EnvTextVector[] {
  const rows: readonly Row[] = [
    { why: "a hash right after text is text", text: "K=a#b\n", values: [["K", "a#b"]] },
    { why: "a hash after white space begins a comment", text: "K=a #b\n", values: [["K", "a"]] },
    { why: "a hash in double quotes is text", text: 'K="a #b"\n', values: [["K", "a #b"]] },
    {
      why: "a hash in single quotes is text",
      text: "K='a #b'\n",
      values: [["K", "a #b"]],
      isCanonical: true,
    },
    { why: "a hash at the start of a value is text", text: "K=#b\n", values: [["K", "#b"]] },
    { why: "a comment in place of a value", text: "K= # none\n", values: [["K", ""]] },
    { why: "quotes in a comment end nothing", text: 'K="V1" # or "V2"\n', values: [["K", "V1"]] },
    { why: "a comment right after the quote", text: "K='v'#c\n", values: [["K", "v"]] },
    {
      why: "single quotes know two escapes",
      text: "K='a\\\\b\\'c\\nd\\\"e'\n",
      values: [["K", "a\\b'c\\nd\\\"e"]],
    },
    {
      why: "double quotes know ten escapes",
      text: 'K="\\\\\\\'\\"\\a\\b\\f\\n\\r\\t\\v"\n',
      values: [["K", "\\'\"\x07\b\f\n\r\t\v"]],
    },
    { why: "other escapes stay as written", text: 'K="\\x41\\$\\0\\ "\n', values: [["K", "\\x41\\$\\0\\ "]] },
    { why: "no escapes without quotes", text: "K=a\\nb\\\\\n", values: [["K", "a\\nb\\\\"]] },
    {
      why: "nothing is interpolated",
      text: "A=$X\nB=\"${X}\"\nC='$X'\n",
      values: [
        ["A", "$X"],
        ["B", "${X}"],
        ["C", "$X"],
      ],
    },
    { why: "a double-quoted value over several lines", text: `K="${pemLines}"\n`, values: [["K", pemLines]] },
    {
      why: "the same with escapes",
      text: `K="${pemLines.replaceAll("\n", "\\n")}"\n`,
      values: [["K", pemLines]],
    },
    {
      why: "a single-quoted value over several lines",
      text: `K='${pemLines}'\n`,
      values: [["K", pemLines]],
      isCanonical: true,
    },
    {
      why: "CRLF ends lines",
      text: "A=1\r\nB=2\r\n",
      values: [
        ["A", "1"],
        ["B", "2"],
      ],
    },
    {
      why: "a lone CR ends a line",
      text: "A=1\rB=2\r",
      values: [
        ["A", "1"],
        ["B", "2"],
      ],
    },
    {
      why: "CR and CRLF are kept in quotes",
      text: "K='a\r\nb\rc'\n",
      values: [["K", "a\r\nb\rc"]],
      isCanonical: true,
    },
    { why: "a byte-order mark is not part of the name", text: "\uFEFFK=v\n", values: [["K", "v"]] },
    {
      why: "a byte-order mark in a value is kept",
      text: "K='\uFEFFv'\n",
      values: [["K", "\uFEFFv"]],
      isCanonical: true,
    },
    {
      why: "the last of two wins, at the place of the first",
      text: "A=1\nB=2\nA=3\n",
      values: [
        ["A", "3"],
        ["B", "2"],
      ],
    },
    { why: "a bare name takes an earlier value away", text: "A=1\nA\n", values: [["A", null]] },
    {
      why: "lines never run together",
      text: "foo\n\n\nbar\nbaz=whatever\n",
      values: [
        ["foo", null],
        ["bar", null],
        ["baz", "whatever"],
      ],
    },
    { why: "comment lines", text: "K=first\n# K=second\n#K=third\n  # K=fourth\n", values: [["K", "first"]] },
    {
      why: "an empty value is not a bare name",
      text: "K=\nL=1\nM\n",
      values: [
        ["K", ""],
        ["L", "1"],
        ["M", null],
      ],
    },
    {
      why: "a value does not go on in the next line",
      text: "K=\n\n v\n",
      values: [
        ["K", ""],
        ["v", null],
      ],
    },
    {
      why: "export before an entry",
      text: "export K=v\nexport L\n",
      values: [
        ["K", "v"],
        ["L", null],
      ],
    },
    { why: "an entry named export", text: "export=1\nexport\n", values: [["export", null]] },
    { why: "spaces around the equals sign", text: "  K \t= \t v \t\n", values: [["K", "v"]] },
    { why: "spaces around quotes", text: "K = 'v'  \n", values: [["K", "v"]] },
    { why: "no line end at the end", text: "K=v", values: [["K", "v"]] },
    { why: "equals signs in a value", text: "K=a=b==\n", values: [["K", "a=b=="]] },
    { why: "quotes inside an unquoted value", text: 'K=it\'s "x"\n', values: [["K", 'it\'s "x"']] },
    {
      why: "a backslash before the closing quote",
      text: "A='a\\\\'\nB='b'\n",
      values: [
        ["A", "a\\"],
        ["B", "b"],
      ],
      isCanonical: true,
    },
    {
      why: "runs of backslashes in several entries",
      text: "A='\\\\\\\\\\''\nB='\\'\\\\'\nC='\\\\'\n",
      values: [
        ["A", "\\\\'"],
        ["B", "'\\"],
        ["C", "\\"],
      ],
      isCanonical: true,
    },
    {
      why: "empty, bare and plain entries",
      text: "A=''\nB\nC='c'\n",
      values: [
        ["A", ""],
        ["B", null],
        ["C", "c"],
      ],
      isCanonical: true,
    },
    { why: "an empty text", text: "", values: [], isCanonical: true },
    {
      why: "a quote that is never closed takes only its line along",
      text: "A=1\nK='open\nB=2\n",
      values: [
        ["A", "1"],
        ["B", "2"],
      ],
      warnings: [{ line: 2, fault: "unclosed-quote", envName: "K" }],
    },
    {
      why: "a quote that the next entry would close takes only its line along",
      text: "K='open\nB='b'\n",
      values: [["B", "b"]],
      warnings: [{ line: 1, fault: "after-quote", envName: "K" }],
    },
    {
      why: "text after a closing quote",
      text: "K='a' b\nB=2\n",
      values: [["B", "2"]],
      warnings: [{ line: 1, fault: "after-quote", envName: "K" }],
    },
    {
      why: "a name that begins with a digit",
      text: "1X=2\nB=2\n",
      values: [["B", "2"]],
      warnings: [{ line: 1, fault: "name", envName: "1X" }],
    },
    {
      why: "what may be part of a key is not shown as a name",
      text: "K='open\nAAEC-9=x\nB=2\n",
      values: [["B", "2"]],
      warnings: [
        { line: 1, fault: "unclosed-quote", envName: "K" },
        { line: 2, fault: "name" },
      ],
    },
    {
      why: "base64 with padding is not shown as a name",
      text: "B=2\nAA-EC==\n",
      values: [["B", "2"]],
      warnings: [{ line: 2, fault: "name" }],
    },
    {
      why: "words without an equals sign",
      text: "B=2\n\nhello world\n",
      values: [["B", "2"]],
      warnings: [{ line: 3, fault: "syntax" }],
    },
    {
      why: "lines are counted through quoted values and every kind of line end",
      text: "A='1\n2'\r\nB=3\r!\n",
      values: [
        ["A", "1\n2"],
        ["B", "3"],
      ],
      warnings: [{ line: 4, fault: "syntax" }],
    },
    { why: "a value without a name", text: "=v\n", values: [], warnings: [{ line: 1, fault: "syntax" }] },
  ];
  return numbered(
    "env",
    rows.map((row) => ({ ...row, warnings: row.warnings ?? noWarnings })),
  );
}

const noWarnings: readonly [] = [];

/** What writing refuses. */
export function refusedEnvEntries(): { id: string; why: string; values: readonly Pair[]; code: string }[] {
  const rows: readonly (readonly [why: string, values: readonly Pair[], code: string])[] = [
    ["a name with a dash", [["A-B", "x"]], "endpoints/secret-name"],
    ["a name with a line end", [["A\nB", "x"]], "endpoints/secret-name"],
    ["an empty name", [["", "x"]], "endpoints/secret-name"],
    ["a doubled suffix", [["A_ENCRYPTED_ENCRYPTED", "x"]], "endpoints/secret-name"],
    ["a NUL in a value", [["A", "a\0b"]], "endpoints/secret-value"],
  ];
  return numbered(
    "env-refused",
    rows.map(([why, values, code]) => ({ why, values, code })),
  );
}
