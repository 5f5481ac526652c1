import { rulesOf, severityOf } from "../truncation/select.ts";
import { contentObject, type Message } from "../values/message.ts";

/** A part of the conversation, by positions; `to` is not part of it. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** What a repeat watch knows, as a snapshot holds it. */
export interface RepeatState {
  readonly callAt: number | null;
  readonly previous: Range | null;
  readonly count: number;
  readonly isExempt: boolean;
}

/**
 * Notices when a model makes the same call with the same outcome again and again. A round is what stands from one call
 * to the next, chained results included.
 */
export class RepeatWatch {
  #callAt: number | null = null;
  #previous: Range | null = null;
  #count = 0;
  #isExempt = false;

  static from(state: RepeatState): RepeatWatch {
    const watch = new RepeatWatch();
    watch.#callAt = state.callAt;
    watch.#previous = state.previous;
    watch.#count = state.count;
    watch.#isExempt = state.isExempt;
    return watch;
  }

  state(): RepeatState {
    return { callAt: this.#callAt, previous: this.#previous, count: this.#count, isExempt: this.#isExempt };
  }

  /** A call of the model was recorded at this position: the first of a reply begins the round. */
  called(position: number): void {
    this.#callAt ??= position;
  }

  /** A tool ran that is asked again and again on purpose. */
  exempt(): void {
    this.#isExempt = true;
  }

  /** History changed: positions no longer mean what they did. */
  forget(): void {
    this.#callAt = null;
    this.#previous = null;
    this.#count = 0;
  }

  /** Closes a round; how many times running it has been the same, this one included. */
  close(messages: readonly Message[]): number {
    if (this.#callAt === null) return 0;
    const round = { from: this.#callAt, to: messages.length };
    const isSame = this.#previous !== null && !this.#isExempt && isSameRound(messages, this.#previous, round);
    this.#count = this.#isExempt ? 0 : isSame ? this.#count + 1 : 1;
    this.#previous = round;
    this.#callAt = null;
    this.#isExempt = false;
    return this.#count;
  }
}

function isSameRound(messages: readonly Message[], one: Range, other: Range): boolean {
  if (one.to - one.from !== other.to - other.from) return false;
  // From the end, where rounds are most likely to differ.
  for (let offset = one.to - one.from - 1; offset >= 0; offset -= 1) {
    if (textOf(messages[one.from + offset]) !== textOf(messages[other.from + offset])) return false;
  }
  return true;
}

/**
 * What a message says to the model: of a call without the reason given for it, which it words anew each time, and nothing of
 * one that it is never shown.
 */
function textOf(message: Message | undefined): string | undefined {
  const isHidden = message?.truncation !== undefined && severityOf(rulesOf(message), 0, 0) === "remove";
  if (isHidden) return undefined;
  if (message?.role !== "assistant") return message?.content;
  return JSON.stringify({ ...contentObject(message.content), rationale: undefined });
}
