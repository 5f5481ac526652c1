import type { OptionSpec } from "./command.ts";

/** What `grep` and `rg` both take. */
export const searchOptions: readonly OptionSpec[] = [
  { key: "line-number", forms: ["-n", "--line-number"] },
  { key: "ignore-case", forms: ["-i", "--ignore-case"] },
  { key: "invert-match", forms: ["-v", "--invert-match"] },
  { key: "fixed-strings", forms: ["-F", "--fixed-strings"] },
  { key: "word-regexp", forms: ["-w", "--word-regexp"] },
  { key: "line-regexp", forms: ["-x", "--line-regexp"] },
  { key: "count", forms: ["-c", "--count"] },
  { key: "files-with-matches", forms: ["-l", "--files-with-matches"] },
  { key: "quiet", forms: ["-q", "--quiet"] },
  { key: "only-matching", forms: ["-o", "--only-matching"] },
  { key: "with-filename", forms: ["-H", "--with-filename"] },
  { key: "max-count", forms: ["-m", "--max-count"], value: "ARG", isCount: true },
  { key: "after-context", forms: ["-A", "--after-context"], value: "ARG", isCount: true },
  { key: "before-context", forms: ["-B", "--before-context"], value: "ARG", isCount: true },
  { key: "context", forms: ["-C", "--context"], value: "ARG", isCount: true },
];

/** What decides which lines match, and is handed to the program as it is. */
const handedOn = [
  "ignore-case",
  "invert-match",
  "fixed-strings",
  "word-regexp",
  "line-regexp",
  "only-matching",
];
const valued = ["max-count", "after-context", "before-context", "context"];

/** The arguments that say what to search for. Names and line numbers are always asked for, to be put in their place. */
export function searchArguments(
  name: "grep" | "rg",
  options: ReadonlyMap<string, string | true>,
  pattern: string,
): readonly string[] {
  const form = formOf(options, name);
  const given = handedOn.filter((key) => options.has(key)).map((key) => `--${key}`);
  const values = valued.flatMap((key) => {
    const value = options.get(key);
    return typeof value === "string" ? [`--${key}=${value}`] : [];
  });
  const shape =
    form === "lines"
      ? ["--line-number"]
      : form === "counts"
        ? ["--count"]
        : form === "names"
          ? ["--files-with-matches"]
          : ["--quiet"];
  return ["--color=never", "--with-filename", "--null", ...shape, ...given, ...values, "-e", pattern];
}

/**
 * The arguments that find out which lines of one text match, whatever is to be shown of them: each such line is written
 * behind its place in the text and a colon.
 */
export function filterArguments(
  options: ReadonlyMap<string, string | true>,
  pattern: string,
): readonly string[] {
  const given = handedOn
    .filter((key) => key !== "only-matching" && options.has(key))
    .map((key) => `--${key}`);
  return ["--color=never", "--no-filename", "--byte-offset", "--text", ...given, "-e", pattern];
}

/**
 * Whether a file matches exactly when one of its lines does in a longer text. It does not where a pattern can tell the
 * start or the end of a text from that of a line; and `grep -c` counts files without a match, too.
 */
export function canFilter(
  name: "grep" | "rg",
  options: ReadonlyMap<string, string | true>,
  pattern: string,
): boolean {
  if (name === "rg") return !/\\[Az]|\(\?[^:<)]*[ms]/.test(pattern);
  return formOf(options, name) !== "counts" && !/\\[`']/.test(pattern);
}

/** The search of `Buffer` takes very long for some longer words; programs do not. */
const longestWords = 64;

/** The words that a line must hold to match, when the pattern is nothing but words, and they are few. */
export function wordsOf(options: ReadonlyMap<string, string | true>, pattern: string): string | undefined {
  const isPlain = options.has("fixed-strings")
    ? !pattern.includes("\n")
    : !/[\n\\.[\]{}()*+?^$|]/.test(pattern);
  const isOther = options.has("ignore-case") || options.has("invert-match");
  if (pattern === "" || pattern.length > longestWords) return undefined;
  return isPlain && !isOther ? pattern : undefined;
}

/** What a search writes. */
export type SearchForm = "lines" | "counts" | "names" | "nothing";

/** The quietest wish counts; of names and counts, each program prefers its own. */
export function formOf(options: ReadonlyMap<string, string | true>, name: "grep" | "rg"): SearchForm {
  if (options.has("quiet")) return "nothing";
  if (name === "rg" && options.has("count")) return "counts";
  if (options.has("files-with-matches")) return "names";
  return options.has("count") ? "counts" : "lines";
}

export function hasContext(options: ReadonlyMap<string, string | true>): boolean {
  return ["after-context", "before-context", "context"].some((key) => options.has(key));
}
