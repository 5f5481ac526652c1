import { checkRunId, exportRun, readRunDocument, type JournalStore, type RunDocument } from "@roboz/core";

/** Whether a file of this name is a log. */
export function isLog(name: string): boolean {
  return name.endsWith(".json");
}

/**
 * The conversation that a log file holds. Of one that is under way the file has the beginning only; the journal has the rest.
 *
 * @returns undefined for a file that cannot be read, or is no log.
 */
export async function readConversation(
  path: string,
  journal: JournalStore | undefined,
): Promise<RunDocument | undefined> {
  let document: RunDocument;
  try {
    document = await readRunDocument(path);
    checkRunId(document.conversation_id);
  } catch {
    // The file is left as it is, for whoever wants to know what became of it.
    return undefined;
  }
  if (document.status !== "running" || journal === undefined) return document;
  try {
    return await exportRun(journal, document.conversation_id);
  } catch {
    // No journal of it, or one that cannot be read: the file says what is known.
    return document;
  }
}
