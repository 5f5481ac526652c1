// Opens the runs of the folder that it is given, for the process that started it.
import { serveJournalStore } from "../../../testing/other-process.ts";
import { fileJournalStore } from "../file-store.ts";

serveJournalStore(fileJournalStore(process.argv[2] ?? ""));
