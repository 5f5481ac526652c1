import { rm } from "node:fs/promises";

import type { EventSink, RunLifecycleEvent } from "../events.ts";
import type { JournalStore } from "../journal/store.ts";
import { markActive } from "./activity.ts";
import { checkDataFolder, writeRunDocument, writeRunDocumentNow } from "./document-folder.ts";
import { exportRun, type DocumentOptions } from "./journal-document.ts";

/** What {@link persistenceSink} works with. */
export interface PersistenceSinkOptions extends DocumentOptions {
  /** Where the runs keep their journals: what documents are made of. Runs without one there fail the sink. */
  readonly journal: JournalStore;
}

/** A run that was heard to start. */
interface OpenRun {
  readonly unmark: () => void;
  /** The document that it began with; none for a run that was resumed. */
  readonly path: string | undefined;
}

/**
 * A sink that keeps a document of each run, `ROOT/YYYY/MM/DD/ID.json`, and while the run is under way an empty marker
 * `ROOT/.lifecycle/active/ID.run`. The document is written when the run starts, without messages and `running`, and once
 * more when it has ended, from its journal; never per message. After a crash the journal has what the document lacks:
 * {@link exportRun} makes the document of it at any time.
 *
 * @param root - Made, with mode 0700, when there is none.
 * @throws {@link DataFolderError} (`core/data-folder`) for a root that is no folder.
 */
export function persistenceSink(root: string, options: PersistenceSinkOptions): EventSink {
  checkDataFolder(root);
  const { journal, ...details } = options;
  const open = new Map<string, OpenRun>();
  const started = (event: RunLifecycleEvent): void => {
    const { runId, sequence } = event;
    const unmark = markActive(root, runId);
    // The document of a run that goes on is not to lose what it holds.
    try {
      const path = sequence > 1 ? undefined : writeRunDocumentNow(root, firstDocument(event, details));
      open.set(runId, { unmark, path });
    } catch (error) {
      unmark();
      throw error;
    }
  };
  const settle = async (runId: string): Promise<void> => {
    const run = open.get(runId);
    if (run === undefined) return;
    open.delete(runId);
    try {
      const path = await writeRunDocument(root, await exportRun(journal, runId, details));
      // Started just before midnight, as one clock has it, and just after as another.
      if (run.path !== undefined && run.path !== path) await rm(run.path, { force: true });
    } finally {
      run.unmark();
    }
  };
  return Object.assign(
    (event: Parameters<EventSink>[0]) => {
      if (event.type === "run-lifecycle" && event.kind === "started") started(event);
    },
    { settle, dataPath: root },
  );
}

/** A run's document before its first message. */
function firstDocument(
  { runId, agentName, agentDescription }: RunLifecycleEvent,
  { environment, tags = [], custom }: DocumentOptions,
) {
  return {
    schema_version: 3 as const,
    conversation_id: runId,
    agent_name: agentName,
    parent_conversation_id: null,
    started_at: new Date().toISOString(),
    ended_at: null,
    status: "running" as const,
    metadata: {
      environment: environment ?? null,
      agent_description: agentDescription === "" ? null : agentDescription,
      tags: [...tags],
      custom: { ...custom },
    },
    messages: [],
    runtime_events: [],
  };
}
