import { isUtf8 } from "node:buffer";
import { CommandRefusal } from "../commands/command.ts";
import type { PathOperand, PreparedCommand } from "../commands/command.ts";
import { fingerprintOf } from "../commands/inputs.ts";
import { removeName } from "../commands/removal.ts";
import type { Doomed } from "../commands/removal.ts";
import { checkTarget, writeNeeds } from "../commands/targets.ts";
import type { FileAccess } from "../files/access.ts";
import { kindOf } from "../files/entry.ts";
import { childLocation, isTextName, parentLocation } from "../files/file-name.ts";
import { readWhole } from "../files/reading.ts";
import { FileChangedError, systemCode, systemSentence } from "../files/system-error.ts";
import { replaceFile } from "../files/write-file.ts";
import { quoted } from "../permissions/quote.ts";
import { eachOccurrence } from "./occurrences.ts";

/** A change of one file by its text. */
export interface PatchRequest {
  readonly path: string;
  /** What is replaced, literally; empty for a whole new content. */
  readonly oldText: string;
  readonly newText: string;
  readonly replacesAll: boolean;
}

/** What came of a patch. */
export interface PatchOutcome {
  readonly isDone: boolean;
  /** One line that says what was done, or why nothing was. */
  readonly text: string;
}

/** A patch that is ready to be judged and done. */
export interface PreparedPatch extends Pick<PreparedCommand, "needs" | "fingerprint"> {
  /** The path as it was given. */
  readonly shown: string;
  /**
   * Does the change; what goes wrong is an outcome, and leaves the file as it was.
   *
   * @throws The signal's reason, before anything was written.
   */
  readonly run: (signal: AbortSignal) => Promise<PatchOutcome>;
}

/** A file is held in memory a few times over, and so is a text. */
const largestFile = 64 * 1024 * 1024;
const longestText = 16 * 1024 * 1024;

/**
 * Works out what a patch would do, without doing it.
 *
 * @throws {@link CommandRefusal} for a path that no single ordinary file can have, and for texts that are too long or
 * cannot be written as UTF-8.
 */
export async function preparePatch(
  request: PatchRequest,
  { access, literal }: { access: FileAccess; literal: (path: string) => Promise<PathOperand> },
): Promise<PreparedPatch> {
  checkRequest(request);
  const operand = await literal(request.path);
  if (operand.asksForDirectory) throw refusal(`${quoted(request.path)} names a directory`);
  if (operand.stats !== undefined || operand.hasParent) checkTarget("apply_patch", operand);
  else if (/(?:^|\/)\.\.(?:\/|$)/.test(request.path))
    throw refusal(`${quoted(request.path)}: No such file or directory`);
  return {
    needs: writeNeeds(operand),
    shown: request.path,
    fingerprint: () => fingerprintOf([operand]),
    run: (signal) => run(request, operand, { access, signal }),
  };
}

function refusal(problem: string): CommandRefusal {
  return new CommandRefusal(`apply_patch: ${problem}`);
}

function checkRequest({ path, oldText, newText }: PatchRequest): void {
  const wrong = /[*?[\]]/.exec(path)?.[0];
  if (wrong !== undefined)
    throw refusal(`${quoted(wrong)} cannot be part of a path; give the path of one file`);
  for (const text of [path, oldText, newText]) {
    if (!isTextName(text)) throw refusal("half of a surrogate pair cannot be written");
    if (text.length > longestText) throw refusal(`a text of more than ${longestText} characters is too long`);
  }
}

/** What a patch is done with. */
interface Doing {
  readonly access: FileAccess;
  readonly signal: AbortSignal;
}

async function run(request: PatchRequest, operand: PathOperand, doing: Doing): Promise<PatchOutcome> {
  doing.signal.throwIfAborted();
  try {
    return request.oldText === ""
      ? rewrite(request, operand, doing.access)
      : await replace(request, operand, doing);
  } catch (error) {
    if (error instanceof FileChangedError) {
      return failure(
        `${quoted(operand.spelled)} was changed meanwhile and is left as it is now; read it again`,
      );
    }
    const sentence = systemSentence(error);
    if (sentence === undefined) throw error;
    return failure(`${quoted(operand.spelled)}: ${sentence}`);
  }
}

function failure(text: string): PatchOutcome {
  return { isDone: false, text };
}

function rewrite({ newText }: PatchRequest, operand: PathOperand, access: FileAccess): PatchOutcome {
  const { location, spelled, stats } = operand;
  const content = Buffer.from(newText, "utf8");
  const made: Doomed[] = [];
  try {
    if (!operand.hasParent) makeParents(access, parentLocation(location), made);
    replaceFile(access, location, content, { expected: stats });
  } catch (error) {
    removeMade(access, made);
    throw error;
  }
  const done = stats === undefined ? "created with the given text" : "replaced by the given text";
  return {
    isDone: true,
    text: `Full-file rewrite: ${quoted(spelled)} was ${done} (${content.length} bytes)`,
  };
}

/** @param made - Gets each directory as it is made, also when a later one cannot be. */
function makeParents(access: FileAccess, location: string, made: Doomed[]): void {
  let at = "/";
  for (const name of location.split("/").filter((component) => component !== "")) {
    const directory = access.at(at);
    const stats = directory.inspect(name);
    const child = childLocation(at, name);
    if (stats === undefined) {
      if (hasMade(access, at, name)) made.push({ location: child, stats: access.at(child).stats });
    } else if (kindOf(stats) !== "directory") throw new FileChangedError(child);
    at = child;
  }
}

/** Somebody else may make the same directory at the same time. */
function hasMade(access: FileAccess, location: string, name: string): boolean {
  try {
    access.at(location).makeDirectory(name);
    return true;
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
    return false;
  }
}

/** Takes back the directories of a file that was not made; one in which something stands by now is kept. */
function removeMade(access: FileAccess, made: readonly Doomed[]): void {
  for (const directory of [...made].reverse()) {
    try {
      removeName(access, directory);
    } catch (error) {
      // Why the work ended counts for more than what it leaves.
      if (systemSentence(error) === undefined) throw error;
      return;
    }
  }
}

async function replace(
  request: PatchRequest,
  operand: PathOperand,
  { access, signal }: Doing,
): Promise<PatchOutcome> {
  const { location, spelled, stats } = operand;
  const shown = quoted(spelled);
  if (stats === undefined)
    return failure(`${shown}: No such file or directory; an empty old_string creates a file`);
  const file = readWhole(access, { location, stats }, largestFile);
  if (file === undefined) return failure(`${shown} is larger than ${largestFile} bytes`);
  const { content } = file;
  if (!isUtf8(content)) return failure(`${shown} is no UTF-8 text`);
  const old = Buffer.from(request.oldText, "utf8");
  const count = await occurrences(content, old, signal);
  if (count === 0) {
    const isThere = await standsWithOtherLineEnds(content, request.oldText, signal);
    return failure(notFound(shown, isThere));
  }
  if (count > 1 && !request.replacesAll) {
    return failure(
      `old_string stands ${count} times in ${shown}; give more of the text around it, or set replace_all`,
    );
  }
  const newBytes = Buffer.from(request.newText, "utf8");
  const length = content.length + count * (newBytes.length - old.length);
  if (length > largestFile) return failure(`${shown} would become larger than ${largestFile} bytes`);
  const changed = Buffer.allocUnsafe(length);
  await fillReplaced(changed, { content, old, newBytes, signal });
  replaceFile(access, location, changed, {
    expected: file.stats,
    oldContent: content,
  });
  return {
    isDone: true,
    text: `Replaced ${count} occurrence${count === 1 ? "" : "s"} in ${shown}`,
  };
}

/** How often a text stands in another. UTF-8 never has one character inside another, so bytes will do. */
async function occurrences(content: Buffer, old: Buffer, signal: AbortSignal): Promise<number> {
  let count = 0;
  const found = (): void => {
    count += 1;
  };
  await eachOccurrence(content, old, { signal, found });
  return count;
}

/** Plain copying of bytes: nothing in the new text has a meaning of its own. */
async function fillReplaced(
  changed: Buffer,
  {
    content,
    old,
    newBytes,
    signal,
  }: {
    readonly content: Buffer;
    readonly old: Buffer;
    readonly newBytes: Buffer;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  let from = 0;
  let to = 0;
  const found = (at: number): void => {
    to += content.copy(changed, to, from, at);
    to += newBytes.copy(changed, to);
    from = at + old.length;
  };
  await eachOccurrence(content, old, { signal, found });
  content.copy(changed, to, from);
}

/** Whether a text that does not stand in a file would with all line ends alike. */
async function standsWithOtherLineEnds(
  content: Buffer,
  oldText: string,
  signal: AbortSignal,
): Promise<boolean> {
  const plain = (text: string): Buffer =>
    Buffer.from(text.replaceAll("\r\n", "\n").replaceAll("\r", "\n"), "utf8");
  return (await occurrences(plain(content.toString("utf8")), plain(oldText), signal)) > 0;
}

function notFound(shown: string, isThere: boolean): string {
  return isThere
    ? `old_string stands in ${shown} only with other line ends (CRLF or LF); use those of the file`
    : `old_string was not found in ${shown}; read the file again and copy the text exactly`;
}
