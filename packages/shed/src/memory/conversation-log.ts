import {
  checkRunId,
  exportRun,
  readRunDocument,
  RunDocumentError,
  type JournalStore,
  type RunDocument,
} from "@roboz/core";

/** Whether a file of this name is a log. */
export function isLog(name: string): boolean {
  return name.endsWith(".json");
}

/**
 * The conversation that a log file holds. Of one that is under way the file has the beginning only; the journal has the rest.
 *
 * @returns `"invalid"` for a file that is no log, `"unreadable"` for one that the system does not give, which may be another time.
 */
export async function readConversation(
  path: string,
  journal: JournalStore | undefined,
): Promise<RunDocument | "invalid" | "unreadable"> {
  let document: RunDocument;
  try {
    document = await readRunDocument(path);
    checkRunId(document.conversation_id);
  } catch (error) {
    // The file is left as it is, for whoever wants to know what became of it.
    return error instanceof RunDocumentError && error.cause !== undefined ? "unreadable" : "invalid";
  }
  if (document.status !== "running" || journal === undefined) return document;
  try {
    return await exportRun(journal, document.conversation_id);
  } catch {
    // No journal of it, or one that cannot be read: the file says what is known.
    return document;
  }
}
