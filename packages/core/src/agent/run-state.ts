import type { GraphNode } from "../chains/graph.ts";
import { ConversationView } from "../truncation/view.ts";
import { Empty } from "../values/builtin.ts";
import type { Message } from "../values/message.ts";
import type { AnyValue } from "../values/value.ts";
import type { CompiledAgent } from "./compiled.ts";
import { RepeatWatch } from "./repeats.ts";
import type { ChosenBy, OnceEntry, PendingRequest } from "./snapshot.ts";
import { Tally } from "./tally.ts";

/** Everything a run is between two steps. */
export class RunState {
  readonly runId: string;
  readonly messages: Message[] = [];
  /** The conversation as tools see it: live, and read-only. */
  readonly live: readonly Message[];
  /** The conversation as the model sees it. */
  readonly view = new ConversationView();
  tally = new Tally();
  repeats = new RepeatWatch();
  isStarted = false;
  /** The tool that ran last; none at the start, and after a recovery. */
  last: GraphNode | undefined;
  /** What the next step starts from: at first the invocation's input. */
  output: AnyValue;
  chosenBy: ChosenBy = "default";
  /** The defaults left in this cycle. */
  queue: GraphNode[] = [];
  /** Calls of the model's last reply that have not run yet. */
  calls: AnyValue[] = [];
  /** Inputs that the model's calls were already checked into. */
  readonly prepared = new WeakMap<AnyValue, AnyValue>();
  pending: PendingRequest | null = null;
  readonly once = new Map<string, OnceEntry>();
  /** Told of a change of history. */
  onReplace:
    | ((range: { readonly from: number; readonly to: number }, messages: readonly Message[]) => void)
    | undefined;

  constructor(runId: string, input: AnyValue = Empty()) {
    this.runId = runId;
    this.output = input;
    this.live = readOnly(this.messages);
  }

  append(message: Message): void {
    this.messages.push(message);
    this.view.append(message);
  }

  /** Changes history; the conversation the model sees starts anew from it. */
  replace(range: { readonly from: number; readonly to: number }, messages: readonly Message[]): void {
    this.messages.splice(range.from, range.to - range.from, ...messages);
    this.onReplace?.(range, messages);
    this.view.reset(this.messages);
    this.repeats.forget();
  }

  /** The next default: the rest of this cycle, then the cycle from its start. */
  nextDefault({ graph }: CompiledAgent): GraphNode {
    if (this.queue.length === 0) this.queue = [...graph.defaults];
    const node = this.queue.shift();
    if (node === undefined) throw new Error("An agent without defaults was constructed");
    return node;
  }

  /** A tool gave an output: what comes next follows from it. */
  moveTo(node: GraphNode, output: AnyValue, chosenBy: ChosenBy): void {
    this.last = node;
    this.output = output;
    this.chosenBy = chosenBy;
  }

  /** A tool failed: its chain ends here, and the cycle of defaults goes on. */
  breakOff(): void {
    this.pending = null;
    this.last = undefined;
    this.output = Empty();
    this.chosenBy = "default";
  }

  /** After a recovery: a new cycle of defaults, and nothing to hand on. */
  startOver(): void {
    this.breakOff();
    this.queue = [];
    this.calls = [];
  }
}

/** The very list, for readers only. */
function readOnly(messages: readonly Message[]): readonly Message[] {
  const refuse = (): never => {
    throw new TypeError("A run's messages are read-only; change history with context.replaceMessages");
  };
  return new Proxy(messages, {
    set: refuse,
    defineProperty: refuse,
    deleteProperty: refuse,
    setPrototypeOf: refuse,
  });
}
