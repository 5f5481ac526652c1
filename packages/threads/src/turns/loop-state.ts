import {
  assistantMessage,
  contentObject,
  type Message,
  type RunSnapshot,
  type StoredValue,
} from "@roboz/core";

import type { KeptMessage } from "../store/model-messages.ts";

/** Where an agent's loop stands between two steps, without its conversation: what a turn keeps of it. */
export interface LoopState {
  readonly run: Omit<RunSnapshot, "messages" | "showings">;
  /** How often the model was shown messages whose policy counts that, by their number in the thread. */
  readonly showings: Readonly<Record<string, number>>;
  /** The identifiers of the model's calls that did not run yet; empty for what is said to the user. */
  readonly calls: readonly string[];
  /** The call that the tools chained to it belong to. */
  readonly upstream: string | null;
  /** The call whose result the loop waits for. */
  readonly waiting: { readonly toolUseId: string; readonly toolName: string } | null;
}

/** What a loop keeps from turn to turn. */
export interface LoopMemory {
  readonly skills: readonly string[];
  readonly showings: Readonly<Record<string, number>>;
}

/** Reads what a turn keeps. */
export function parseLoopState(json: string): LoopState {
  const state: unknown = JSON.parse(json);
  if (isLoopState(state)) return state;
  throw new Error("What a turn keeps of its loop is broken");
}

/** What it holds in depth is checked when the run is restored. */
function isLoopState(candidate: unknown): candidate is LoopState {
  return (
    typeof candidate === "object" &&
    candidate !== null &&
    "run" in candidate &&
    "calls" in candidate &&
    "showings" in candidate
  );
}

/** Reads what a thread keeps for its next turn. */
export function parseLoopMemory(json: string | null): LoopMemory {
  const memory: unknown = json === null ? null : JSON.parse(json);
  return isLoopMemory(memory) ? memory : { skills: [], showings: {} };
}

function isLoopMemory(candidate: unknown): candidate is LoopMemory {
  return (
    typeof candidate === "object" && candidate !== null && "skills" in candidate && "showings" in candidate
  );
}

/** A conversation as a run has it: what it starts with, and what the thread keeps. */
export interface Conversation {
  readonly opening: readonly Message[];
  readonly kept: readonly KeptMessage[];
}

/** The snapshot of a run at this place of a conversation. */
export function snapshotAt({ run, showings }: LoopState, { opening, kept }: Conversation): RunSnapshot {
  const shown = kept.flatMap(({ n }, index) => {
    const times = n === 0 ? undefined : showings[n];
    return times === undefined ? [] : [[String(opening.length + index), times] as const];
  });
  return {
    ...run,
    messages: [...opening, ...kept.map(({ message }) => message)],
    showings: Object.fromEntries(shown),
  };
}

/** What is kept of a run's snapshot. */
export function stateOf(
  { messages: _messages, showings, ...run }: RunSnapshot,
  { opening, kept }: Conversation,
  rest: Pick<LoopState, "calls" | "upstream" | "waiting">,
): LoopState {
  const shown = Object.entries(showings).flatMap(([position, times]) => {
    const n = kept[Number(position) - opening.length]?.n ?? 0;
    return n === 0 ? [] : [[String(n), times] as const];
  });
  return { run, showings: Object.fromEntries(shown), ...rest };
}

/** The state of a loop that begins with nothing but its conversation. */
export function freshState(
  { messages: _messages, showings: _showings, ...blank }: RunSnapshot,
  { skills, showings }: LoopMemory,
  text: string | null,
): LoopState {
  const output: StoredValue =
    text === null ? { kind: "empty", fields: {} } : { kind: "str", fields: { value: text } };
  const position = {
    ...blank.position,
    lastTool: null,
    output,
    chosenBy: "default" as const,
    queue: [],
    calls: [],
  };
  return {
    run: { ...blank, isStarted: true, skills, position, pending: null },
    showings,
    calls: [],
    upstream: null,
    waiting: null,
  };
}

/** The loop after a chain that was broken off: what is left of the model's calls comes next. */
export function brokenOff(state: LoopState): LoopState {
  const { run } = state;
  const output: StoredValue = { kind: "empty", fields: {} };
  const position = { ...run.position, lastTool: null, output, chosenBy: "default" as const };
  return { ...state, run: { ...run, pending: null, position }, waiting: null };
}

/** The loop after one of the model's calls that was begun and is not made again, and how that call stands in the conversation. */
export function skippedCall(state: LoopState): {
  readonly state: LoopState;
  readonly messages: readonly Message[];
} {
  const { run, calls } = state;
  const rest = { ...brokenOff(state), calls: calls.slice(1) };
  if (run.position.output.kind === "invoke") return { state: rest, messages: [] };
  // The run had taken it from those that were left.
  const [call, ...others] = run.position.calls;
  const position = { ...rest.run.position, calls: others };
  return {
    state: { ...rest, run: { ...rest.run, position } },
    messages: call === undefined ? [] : [callMessage(call)],
  };
}

/** A call of the model's, as a run keeps it. */
export function callOf({ fields }: StoredValue): {
  readonly action: string;
  readonly input: Record<string, unknown>;
} {
  const { action, rationale: _rationale, ...input } = fields;
  return { action: String(action), input };
}

/** How a call stands in the conversation. */
export function callMessage({ fields }: StoredValue): Message {
  return assistantMessage(JSON.stringify(fields));
}

/** What stands for the result of a call that has none. */
const unavailable = "The result of this call is not available.";

/**
 * The conversation with a result right after each call that has none: a provider would refuse it otherwise. What is kept is
 * not changed.
 *
 * @param isOpen - Whether the last call is about to be carried out.
 */
export function repaired(kept: readonly KeptMessage[], isOpen: boolean): readonly KeptMessage[] {
  const result: KeptMessage[] = [];
  for (const [index, one] of kept.entries()) {
    result.push(one);
    const { role, content } = one.message;
    const action = role === "assistant" ? contentObject(content)?.["action"] : undefined;
    if (typeof action !== "string") continue;
    const next = kept[index + 1]?.message;
    if (next === undefined && isOpen) continue;
    if (next !== undefined && contentObject(next.content)?.["caller"] === action) continue;
    const message: Message = Object.freeze({
      role: "user",
      content: JSON.stringify({ caller: action, error: unavailable }),
      images: [],
    });
    result.push({ n: 0, seq: one.seq, message });
  }
  return result;
}
