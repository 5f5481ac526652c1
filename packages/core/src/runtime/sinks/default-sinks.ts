import type { EventSink } from "../events.ts";
import { cliSink, type CliSinkOptions } from "./cli-sink.ts";

/** Which sinks {@link defaultEventSinks} gives. */
export interface DefaultSinkOptions {
  /** Prints the run at the terminal: true by default, false not at all, or how to print it. */
  readonly cli?: boolean | CliSinkOptions | undefined;
}

/** The sinks that most hosts attach to an agent. None is attached without being asked for. */
export function defaultEventSinks({ cli = true }: DefaultSinkOptions = {}): readonly EventSink[] {
  if (cli === false) return [];
  return [cliSink(cli === true ? {} : cli)];
}
