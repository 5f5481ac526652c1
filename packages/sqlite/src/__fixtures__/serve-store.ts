// Opens the runs of the database that it is given, for the process that started it.
import { serveJournalStore } from "@roboz/core/testing";

import { sqliteJournalStore } from "../journal-store.ts";

serveJournalStore(sqliteJournalStore(process.argv[2] ?? ""));
