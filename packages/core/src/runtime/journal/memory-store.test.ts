import { describe, it } from "vitest";

import { testJournalStore } from "../../testing/journal-store-suite.ts";
import { memoryJournalStore } from "./memory-store.ts";

testJournalStore({ makePlace: memoryJournalStore, open: (store) => store }, { describe, it });
