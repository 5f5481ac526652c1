import type { EventSink } from "@roboz/core";

/**
 * One agent's line to the outside, for one build: who hears its runs, and what ends them. A builder may tie what it makes,
 * such as a watcher, to `signal`.
 */
export class AgentPipe {
  readonly agentName: string;
  /** Receive the events of the agent's runs, in this order. */
  readonly sinks: readonly EventSink[];
  /** Fires when the built agent is to end all its runs; they are then cancelled with the same reason. */
  readonly signal: AbortSignal;
  /** Ends the agent's runs, those to come too, and nobody else's. Only the first reason counts. */
  readonly cancel: (reason?: unknown) => void;

  constructor({ agentName, sinks }: { readonly agentName: string; readonly sinks: readonly EventSink[] }) {
    const controller = new AbortController();
    this.agentName = agentName;
    this.sinks = Object.freeze([...sinks]);
    this.signal = controller.signal;
    this.cancel = (reason = new DOMException(`\`${agentName}\` was cancelled`, "AbortError")) => {
      controller.abort(reason);
    };
  }
}
