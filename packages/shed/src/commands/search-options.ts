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
const handedOn: ReadonlySet<string> = new Set([
  "ignore-case",
  "invert-match",
  "fixed-strings",
  "word-regexp",
  "line-regexp",
  "only-matching",
]);
const contexts: ReadonlySet<string> = new Set(["after-context", "before-context", "context"]);

/** The arguments that say what to search for. Names and line numbers are always asked for, to be put in their place. */
export function searchArguments(
  name: "grep" | "rg",
  options: ReadonlyMap<string, string | true>,
  pattern: string,
): readonly string[] {
  const form = formOf(options, name);
  // In the order in which they came: of options that exclude each other, rg takes the last one.
  const given = [...options].flatMap(([key, value]) => {
    if (typeof value === "string") return [`--${key}=${value}`];
    return handedOn.has(key) ? [`--${key}`] : [];
  });
  const shape =
    form === "lines"
      ? ["--line-number"]
      : form === "counts"
        ? ["--count"]
        : form === "names"
          ? ["--files-with-matches"]
          : ["--quiet"];
  return ["--color=never", "--with-filename", "--null", ...shape, ...given, "-e", pattern];
}

/**
 * The arguments that find out which lines of one text match, whatever is to be shown of them: each such line is written
 * behind its place in the text and a colon.
 */
export function filterArguments(
  options: ReadonlyMap<string, string | true>,
  pattern: string,
): readonly string[] {
  const given = [...options.keys()]
    .filter((key) => key !== "only-matching" && handedOn.has(key))
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

/** Whether a `--` stands between matches that are apart: for grep also where no line around them is shown. */
export function hasContext(options: ReadonlyMap<string, string | true>, name: "grep" | "rg"): boolean {
  const given = [...options].filter(([key]) => contexts.has(key));
  if (name === "grep") return given.length > 0;
  // To rg, `-C` takes back `-A` and `-B` that came before it, and each of them takes back a `-C`.
  const last = given.at(-1)?.[0];
  const holds = given.filter(([key]) => (last === "context" ? key === last : key !== "context"));
  return holds.some(([, value]) => Number(value) > 0);
}
