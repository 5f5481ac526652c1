import { exchangeText, type Judgement } from "../permissions/guard.ts";

/** How long a report, and what is kept for it, may become. */
const longestReport = 40_000;
const longestPermissions = 20_000;
const longestLabel = 1_000;

const outputOmitted = "[earlier command output omitted]";
const permissionsOmitted = "[earlier permission messages omitted]";

/** One executed step, as the report shows it. */
export interface StepReport {
  readonly label: string;
  readonly status: number;
  readonly isFed: boolean;
  /** What was shown, or null when it went to the next command. */
  readonly stdout: string | null;
  readonly stderr: string;
  /** How many entries `ls` or `find` left out because they may not be read. */
  readonly leftOut: number;
  /** Whether there are rules that ask a person about reading: an entry may have been left out for such a one alone. */
  readonly mayAskToRead: boolean;
}

/** How a sequence ended. */
export type Ending =
  | { readonly type: "exit"; readonly status: number }
  | { readonly type: "too-large"; readonly status: number }
  | { readonly type: "execution-error" };

/** What a report is made of: texts that are already within their budgets. */
export interface ReportParts {
  readonly permissions: string;
  readonly history: string;
}

/** The parts with one more step. */
export function withStep({ permissions, history }: ReportParts, step: StepReport): ReportParts {
  const frame = `--- begin: ${step.label} ---\n${bodyOf(step)}\n--- end: ${step.label} ---`;
  return { permissions, history: newest(joined(history, frame), longestReport, outputOmitted) };
}

/** The parts with what a guard said: every exchange, and the denial if it was one. */
export function withJudgement({ permissions, history }: ReportParts, judgement: Judgement): ReportParts {
  const texts = judgement.exchanges.map(exchangeText);
  if (judgement.status === "denied") texts.push(judgement.message);
  if (texts.length === 0) return { permissions, history };
  const all = joined(permissions, texts.join("\n"));
  return { permissions: newest(all, longestPermissions, permissionsOmitted), history };
}

/** The whole report: how it ended, what was asked, and a frame for each executed step. */
export function reportText(ending: Ending, { permissions, history }: ReportParts): string {
  const head = joined(statusLine(ending), permissions);
  const room = longestReport - head.length - 1;
  return joined(head, newest(history, room, outputOmitted));
}

function statusLine(ending: Ending): string {
  switch (ending.type) {
    case "exit":
      return `Overall: ${ending.status === 0 ? "success" : "failure"} (exit ${ending.status})`;
    case "too-large":
      return `Overall: failure (output too large; exit ${ending.status})`;
    case "execution-error":
      return "Overall: failure (execution error)";
  }
}

function bodyOf({ label, status, isFed, stdout, stderr, leftOut, mayAskToRead }: StepReport): string {
  const lines: string[] = [];
  if (isFed) lines.push("[stdin: piped from previous command]");
  if (status !== 0) lines.push(`[error] Command failed (exit ${status})`);
  if (stdout === null) lines.push("[stdout: piped to next command]");
  else if (stdout !== "") lines.push(unframed(stdout));
  else if (status === 0) lines.push(`[no output] ${label} succeeded`);
  if (leftOut > 0) {
    const why = `reading them is not allowed${mayAskToRead ? ", or needs a person's yes that was not asked for" : ""}`;
    lines.push(`[${leftOut} ${leftOut === 1 ? "entry" : "entries"} left out: ${why}]`);
  }
  if (stderr !== "") lines.push("stderr:", unframed(stderr));
  return lines.join("\n").replace(/\n+$/, "");
}

/** Output whose lines cannot be taken for those of a frame. */
function unframed(text: string): string {
  return text.replace(/^(?=--- (?:begin|end): )/gm, "\\");
}

function joined(text: string, more: string): string {
  return text === "" || more === "" ? `${text}${more}` : `${text}\n${more}`;
}

/** The end of a text that is too long, behind a marker. */
function newest(text: string, most: number, marker: string): string {
  if (text.length <= most) return text;
  const start = text.length - Math.max(most - marker.length - 1, 0);
  const kept = text.slice(start);
  // What stood inside a line must not become one of a frame by beginning the text; what is put in takes no room.
  const isFalseFrame = text[start - 1] !== "\n" && /^--- (?:begin|end): /.test(kept);
  const own = isFalseFrame ? `\\${kept.slice(1)}` : kept;
  const whole = /^[\udc00-\udfff]/.test(own) ? own.slice(1) : own;
  return `${marker}\n${whole.startsWith(marker) ? whole.slice(marker.length + 1) : whole}`;
}

/** A command as a shell would take it, on one line. */
export function labelOf(words: readonly string[]): string {
  let label = "";
  for (const [index, word] of words.entries()) {
    label += `${index === 0 ? "" : " "}${shellQuoted(word)}`;
    if (label.length <= longestLabel) continue;
    const shown = label.slice(0, longestLabel).replace(/[\ud800-\udbff]$/, "");
    const left = words.length - index - 1;
    return left === 0 ? `${shown}…` : `${shown}… (${left} more words)`;
  }
  return label;
}

const plainWord = /^[\w@%+=:,./-]+$/;
const unsafe = /(?! )[\p{C}\p{Z}]|\p{Default_Ignorable_Code_Point}/u;
const unsafeInQuotes = /(?! )[\p{C}\p{Z}]|\p{Default_Ignorable_Code_Point}|['\\]/gu;

function shellQuoted(word: string): string {
  if (plainWord.test(word)) return word;
  if (!unsafe.test(word)) return `'${word.replaceAll("'", `'"'"'`)}'`;
  return `$'${word.replace(unsafeInQuotes, (character) => bytesInQuotes(character))}'`;
}

function bytesInQuotes(character: string): string {
  if (character === "'" || character === "\\") return `\\${character}`;
  const point = character.codePointAt(0) ?? 0;
  if (point >= 0xdc80 && point <= 0xdcff) return `\\x${(point - 0xdc00).toString(16)}`;
  return [...Buffer.from(character)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
}
