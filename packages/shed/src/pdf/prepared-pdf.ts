import { CommandRefusal } from "../commands/command.ts";
import { checkFile, fingerprintOf, read } from "../commands/inputs.ts";
import type { Guarded } from "../command-tools/guarding.ts";
import type { PreparePaths } from "../command-tools/guarded-work.ts";
import { isTextName } from "../files/file-name.ts";
import { readWhole } from "../files/reading.ts";
import { FileChangedError, systemSentence } from "../files/system-error.ts";
import { quoted } from "../permissions/quote.ts";

/** It is held in memory a few times over, here and where it is read. */
const largestPdf = 64 * 1024 * 1024;

/** A PDF file that may be read when the guard says so. */
export interface PreparedPdf extends Guarded {
  /** The bytes of the very file that was looked at, or a sentence that says why there are none. */
  readonly bytes: () => { readonly bytes: Uint8Array } | { readonly problem: string };
}

/**
 * Looks for one ordinary file, without opening it.
 *
 * @throws {@link CommandRefusal} for a path that no single ordinary file has.
 */
export async function preparePdf(path: string, { access, literal }: PreparePaths): Promise<PreparedPdf> {
  if (!isTextName(path))
    throw new CommandRefusal("process_pdf: half of a surrogate pair cannot be part of a path");
  const file = checkFile("process_pdf", await literal(path));
  const bytes: PreparedPdf["bytes"] = () => {
    try {
      const whole = readWhole(access, file, largestPdf);
      if (whole !== undefined) return { bytes: whole.content };
      return { problem: `${quoted(path)} is larger than ${largestPdf / 1024 / 1024} MiB and is not read` };
    } catch (error) {
      if (error instanceof FileChangedError)
        return { problem: `${quoted(path)} was changed meanwhile; read it again` };
      const sentence = systemSentence(error);
      if (sentence === undefined) throw error;
      return { problem: `${quoted(path)}: ${sentence}` };
    }
  };
  return { needs: [read(file.location)], fingerprint: () => fingerprintOf([file]), bytes };
}
