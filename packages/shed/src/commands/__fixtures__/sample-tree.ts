import { chmodSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const words = [
  "alpha",
  "beta",
  "gamma",
  "needle",
  "Needle",
  "x",
  "foo bar",
  "",
  "tab\there",
  "ünï",
  "12.5",
  "end.",
];

function lines(count: number, step: number): string {
  return Array.from(
    { length: count },
    (_, index) => words[(index * step + (index >> 2)) % words.length],
  ).join("\n");
}

/** What stands in the sample tree. All files have one name, so every command takes them. */
export const sampleFiles: Readonly<Record<string, string | Buffer>> = {
  "a.txt": "one\ntwo\nneedle three\n",
  "b.txt": "one\n2\nneedle three\nfour\n",
  "empty.txt": "",
  "cut.txt": "no newline\nat the end",
  "blank.txt": "\n\n\nx\n\n\n\ny\n",
  "tabs.txt": "a\tb\n\tc\r\nd \n",
  "crlf.txt": "one\r\ntwo\r\nneedle\r\n",
  "utf8.txt": "grüße\n日本語 テスト\ncafé e\u0301\nnaïve needle\n",
  "latin.txt": Buffer.from("caf\xe9\nna\xefve\nplain\n", "latin1"),
  "binary.bin": Buffer.from("needle\n\0\x01\x02needle\n\xff\xfe", "latin1"),
  "numbers.txt": `${Array.from({ length: 40 }, (_, index) => String(index + 1)).join("\n")}\n`,
  "long.txt": `${lines(120, 5)}\n`,
  "longer.txt": `${lines(118, 5)}\nchanged\nlast\n`,
  "same.txt": "one\ntwo\nneedle three\n",
  "case.txt": "ONE\nTwo\n  needle   three\n",
  "big.txt": `${lines(4000, 7)}\n`,
  "dir/inner.txt": "inner needle\n",
  "dir/deep/more.txt": "more\nof it\n",
  "dir/deep/.hidden": "hidden needle\n",
  "dir/other.md": "# other\n",
  "dir/deep/list.md": "- needle\n- x\n",
  "odd/with space": "space\n",
  "odd/-dash": "dash needle\n",
  "odd/quote'd": "quote\n",
  ".dot/file": "dotted\n",
  "ignored/.gitignore": "*.log\n!keep.log\n",
  "ignored/a.log": "needle in a log\n",
  "ignored/keep.log": "needle kept\n",
  "ignored/.ignore": "skip/\n",
  "ignored/skip/s.txt": "needle skipped\n",
  "ignored/seen.txt": "needle seen\n",
  // So many that a search reads their texts first.
  ...Object.fromEntries(
    Array.from({ length: 24 }, (_, index) => [`many/${index}.txt`, lines(index % 7, index + 1)] as const),
  ),
};

/** Makes the sample tree; the same call makes the same tree, with the same times. */
export function makeSampleTree(base: string): void {
  for (const [path, content] of Object.entries(sampleFiles)) {
    mkdirSync(join(base, path, ".."), { recursive: true });
    writeFileSync(join(base, path), content);
  }
  for (const folder of ["void", "dir/nothing", "ignored/.git"])
    mkdirSync(join(base, folder), { recursive: true });
  chmodSync(join(base, "a.txt"), 0o600);
  chmodSync(join(base, "dir/other.md"), 0o755);
  chmodSync(join(base, "b.txt"), 0o444);
  for (const [index, path] of Object.keys(sampleFiles).entries()) {
    const time = 1_700_000_000 + ((index * 7919) % 50) * 86_400;
    utimesSync(join(base, path), time, time + index);
  }
  for (const [index, folder] of [
    "dir/deep",
    "dir/nothing",
    "dir",
    "odd",
    ".dot",
    "void",
    "ignored",
    ".",
  ].entries()) {
    utimesSync(join(base, folder), 1_700_000_000, 1_700_000_000 + index);
  }
}

/** Links, which only the commands that list and remove take. */
export function addLinks(base: string): void {
  symlinkSync("../a.txt", join(base, "void/link"));
  symlinkSync("nowhere", join(base, "void/dangling"));
  symlinkSync("..", join(base, "void/up"));
}
