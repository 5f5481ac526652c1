import { isUtf8 } from "node:buffer";
import { CommandRefusal } from "../commands/command.ts";
import type { PathOperand, PreparedCommand } from "../commands/command.ts";
import { fingerprintOf } from "../commands/inputs.ts";
import { checkTarget, writeNeeds } from "../commands/targets.ts";
import type { FileAccess } from "../files/access.ts";
import { kindOf } from "../files/entry.ts";
import { childLocation, isTextName, lastName, parentLocation } from "../files/file-name.ts";
import { readWhole } from "../files/reading.ts";
import { FileChangedError, systemCode, systemSentence } from "../files/system-error.ts";
import { replaceFile } from "../files/write-file.ts";
import { quoted } from "../permissions/quote.ts";

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
  /** Does the change; what goes wrong is an outcome, and leaves the file as it was. */
  readonly run: () => PatchOutcome;
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
    run: () => run(request, operand, access),
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

function run(request: PatchRequest, operand: PathOperand, access: FileAccess): PatchOutcome {
  try {
    return request.oldText === "" ? rewrite(request, operand, access) : replace(request, operand, access);
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
  if (!operand.hasParent) makeParents(access, parentLocation(location));
  const content = Buffer.from(newText, "utf8");
  replaceFile(access.at(parentLocation(location)), lastName(location), content, { expected: stats });
  const done = stats === undefined ? "created with the given text" : "replaced by the given text";
  return {
    isDone: true,
    text: `Full-file rewrite: ${quoted(spelled)} was ${done} (${content.length} bytes)`,
  };
}

function makeParents(access: FileAccess, location: string): void {
  let at = "/";
  for (const name of location.split("/").filter((component) => component !== "")) {
    const directory = access.at(at);
    const stats = directory.inspect(name);
    if (stats === undefined) makeDirectory(access, at, name);
    else if (kindOf(stats) !== "directory") throw new FileChangedError(childLocation(at, name));
    at = childLocation(at, name);
  }
}

/** Somebody else may make the same directory at the same time. */
function makeDirectory(access: FileAccess, location: string, name: string): void {
  try {
    access.at(location).makeDirectory(name);
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
  }
}

function replace(request: PatchRequest, operand: PathOperand, access: FileAccess): PatchOutcome {
  const { location, spelled, stats } = operand;
  const shown = quoted(spelled);
  if (stats === undefined)
    return failure(`${shown}: No such file or directory; an empty old_string creates a file`);
  const file = readWhole(access, { location, stats }, largestFile);
  if (file === undefined) return failure(`${shown} is larger than ${largestFile} bytes`);
  const { content } = file;
  if (!isUtf8(content)) return failure(`${shown} is no UTF-8 text`);
  const old = Buffer.from(request.oldText, "utf8");
  const places = placesOf(content, old);
  if (places.length === 0) return failure(notFound(shown, content, request.oldText));
  if (places.length > 1 && !request.replacesAll) {
    return failure(
      `old_string stands ${places.length} times in ${shown}; give more of the text around it, or set replace_all`,
    );
  }
  const changed = replaced(content, places, old.length, Buffer.from(request.newText, "utf8"));
  if (changed.length > largestFile) return failure(`${shown} would become larger than ${largestFile} bytes`);
  replaceFile(access.at(parentLocation(location)), lastName(location), changed, {
    expected: file.stats,
    oldContent: content,
  });
  return {
    isDone: true,
    text: `Replaced ${places.length} occurrence${places.length === 1 ? "" : "s"} in ${shown}`,
  };
}

/** Where a text stands, from left to right and without overlaps. UTF-8 never has one character inside another. */
function placesOf(content: Buffer, old: Buffer): readonly number[] {
  const places: number[] = [];
  for (let at = content.indexOf(old); at !== -1; at = content.indexOf(old, at + old.length)) places.push(at);
  return places;
}

/** Plain copying of bytes: nothing in the new text has a meaning of its own. */
function replaced(content: Buffer, places: readonly number[], oldLength: number, newBytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  for (const place of places) {
    parts.push(content.subarray(at, place), newBytes);
    at = place + oldLength;
  }
  parts.push(content.subarray(at));
  return Buffer.concat(parts);
}

function notFound(shown: string, content: Buffer, oldText: string): string {
  const plain = (text: string) => text.replaceAll("\r\n", "\n").replaceAll("\r", "\n");
  if (plain(content.toString("utf8")).includes(plain(oldText))) {
    return `old_string stands in ${shown} only with other line ends (CRLF or LF); use those of the file`;
  }
  return `old_string was not found in ${shown}; read the file again and copy the text exactly`;
}
