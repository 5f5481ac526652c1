import type { GraphNode, ToolGraph } from "../chains/graph.ts";
import type { OutsideLog } from "../runtime/journal/outside.ts";
import { ConversationView } from "../truncation/view.ts";
import { Empty } from "../values/builtin.ts";
import type { Message } from "../values/message.ts";
import type { AnyValue } from "../values/value.ts";
import type { Reach, ReachOf } from "./reach.ts";
import { RepeatWatch } from "./repeats.ts";
import type { ChosenBy, OnceEntry, PendingRequest } from "./snapshot.ts";
import { Tally } from "./tally.ts";

/** What a run's state needs of its agent. */
interface AgentParts {
  readonly graph: ToolGraph;
  readonly reachOf: ReachOf;
}

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
  /** The defaults left in this cycle; none when the next step starts it anew. */
  queue: readonly GraphNode[] = [];
  /** Calls of the model's last reply that have not run yet. */
  calls: readonly AnyValue[] = [];
  /** Inputs that the model's calls were already checked into. */
  readonly prepared = new WeakMap<AnyValue, AnyValue>();
  pending: PendingRequest | null = null;
  readonly once = new Map<string, OnceEntry>();
  /** The skills loaded, in the order of loading. */
  skills: readonly string[] = [];
  /** The tools that the run has, with those of its skills. */
  reach: Reach;
  /** Where what reaches the run from outside is noted; none for a run without a journal. */
  outside: OutsideLog | undefined;
  /** Told of a change of history. */
  onReplace:
    | ((range: { readonly from: number; readonly to: number }, messages: readonly Message[]) => void)
    | undefined;
  readonly #agent: AgentParts;

  constructor(runId: string, agent: AgentParts, input: AnyValue = Empty()) {
    this.runId = runId;
    this.#agent = agent;
    this.reach = agent.reachOf(new Set());
    this.output = input;
    this.live = readOnly(this.messages);
  }

  append(message: Message): void {
    this.messages.push(message);
    this.view.append(message);
  }

  /** Loads skills; one that is loaded already stays so. */
  load(skills: readonly string[]): void {
    const loaded = new Set([...this.skills, ...skills]);
    if (loaded.size === this.skills.length) return;
    this.skills = [...loaded];
    this.reach = this.#agent.reachOf(loaded);
  }

  /** Changes history. */
  replace(range: { readonly from: number; readonly to: number }, messages: readonly Message[]): void {
    this.messages.splice(range.from, range.to - range.from, ...messages);
    this.onReplace?.(range, messages);
    this.view.replace(range, messages);
    this.repeats.forget();
  }

  /** The default whose turn it is; it has it until its step is finished. */
  nextDefault(): GraphNode {
    const [node] = this.#cycleLeft();
    if (node === undefined) throw new Error("An agent without defaults was constructed");
    return node;
  }

  /** The default whose turn it was is done; the next one is due when no chain goes on. */
  endTurn(): void {
    this.queue = this.#cycleLeft().slice(1);
  }

  /** A tool gave an output: what comes next follows from it. */
  moveTo(node: GraphNode, output: AnyValue, chosenBy: ChosenBy): void {
    if (chosenBy === "default") this.endTurn();
    this.last = node;
    this.output = output;
    this.chosenBy = chosenBy;
  }

  /** A call of the model is recorded: what comes next follows from it. */
  takeCall(prompter: GraphNode, call: AnyValue, others: readonly AnyValue[]): void {
    this.calls = others;
    this.last = prompter;
    this.output = call;
    this.chosenBy = "default";
  }

  /** A tool failed: its chain ends here, and the cycle of defaults goes on. */
  breakOff(chosenBy: ChosenBy): void {
    if (chosenBy === "default") this.endTurn();
    this.pending = null;
    this.last = undefined;
    this.output = Empty();
    this.chosenBy = "default";
  }

  /** After a recovery: a new cycle of defaults, and nothing to hand on. */
  startOver(): void {
    this.breakOff("default");
    this.queue = [];
    this.calls = [];
  }

  #cycleLeft(): readonly GraphNode[] {
    return this.queue.length === 0 ? this.#agent.graph.defaults : this.queue;
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
    preventExtensions: refuse,
  });
}
