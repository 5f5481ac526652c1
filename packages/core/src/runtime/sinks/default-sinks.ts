import type { EventSink } from "../events.ts";
import { persistenceSink, type PersistenceSinkOptions } from "../persistence/persistence-sink.ts";
import { cliSink, type CliSinkOptions } from "./cli-sink.ts";

/** Which sinks {@link defaultEventSinks} gives. */
export interface DefaultSinkOptions {
  /** Prints the run at the terminal: true by default, false not at all, or how to print it. */
  readonly cli?: boolean | CliSinkOptions | undefined;
  /** Keeps a document of each run below `root`; without it nothing is written. */
  readonly documents?: (PersistenceSinkOptions & { readonly root: string }) | undefined;
}

/**
 * The sinks that most hosts attach to an agent. None is attached without being asked for.
 *
 * @throws {@link DataFolderError} (`core/data-folder`) for a root of documents that is no folder.
 */
export function defaultEventSinks({ cli = true, documents }: DefaultSinkOptions = {}): readonly EventSink[] {
  const printing = cli === false ? [] : [cliSink(cli === true ? {} : cli)];
  if (documents === undefined) return printing;
  const { root, ...options } = documents;
  return [persistenceSink(root, options), ...printing];
}
