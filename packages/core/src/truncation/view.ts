import type { Message } from "../values/message.ts";
import type { TruncationRule } from "./policy.ts";
import { rulesOf, selectTruncation, severityOf, type SelectTruncation } from "./select.ts";
import { shortenMessage, type ShortenMessage } from "./shorten.ts";

/** The two functions that truncation consists of, for callers who bring their own. */
export interface ViewOptions {
  /** Replaces the selection. Every message is then asked about again for each model call. */
  readonly select?: SelectTruncation | undefined;
  /** Replaces what a severity does to a message. */
  readonly shorten?: ShortenMessage | undefined;
}

/** How often a message was shown: `earlier`, and once for each showing that falls into one of the spans. */
interface Count {
  readonly earlier: number;
  /** From which showing to which (not included) the message was part of the view. */
  readonly spans: { readonly from: number; to: number }[];
}

/** A history and its counts; replaced as a whole, so that what was recorded from an old one still holds. */
interface Log {
  readonly messages: Message[];
  /** By position; only messages whose showings matter. */
  readonly counts: Map<number, Count>;
}

/** A moment of a log. */
interface Moment {
  readonly length: number;
  readonly showing: number;
  readonly extra: readonly Message[];
}

const none: readonly Message[] = Object.freeze([]);

/**
 * A conversation as the model sees it, kept as it grows: a message is looked at when it is added and when one of its
 * rules comes to apply, never once per turn.
 */
export class ConversationView {
  readonly #select: SelectTruncation | undefined;
  readonly #shorten: ShortenMessage;
  #log: Log = { messages: [], counts: new Map() };
  /** How many messages of the log the fields below account for. */
  #applied = 0;
  #showing = 0;
  #isStale = false;
  #sent: Message[] = [];
  /** For each message sent, its position in the log. */
  #positions: number[] = [];
  #tokens = 0;
  /** Which messages to look at again, by the length of the log, and by the number of showings. */
  #dueAtLength = new Map<number, number[]>();
  #dueAtShowing = new Map<number, number[]>();

  constructor({ select, shorten = shortenMessage }: ViewOptions = {}) {
    this.#select = select === selectTruncation ? undefined : select;
    this.#shorten = shorten;
  }

  /** A message was added to the run's history. */
  append(message: Message): void {
    this.#log.messages.push(message);
  }

  /**
   * What is sent now.
   *
   * @param extra - Messages that follow for this one call, such as repair messages: they add to the distance of the
   * others and are truncated too.
   * @returns Without `extra`, the view's own list: the same object each time, to be read before the view changes.
   */
  current(extra: readonly Message[] = none): readonly Message[] {
    this.#update();
    if (extra.length === 0) return this.#sent;
    const moment = { length: this.#applied, showing: this.#showing, extra };
    if (this.#select !== undefined) return this.#project(this.#log, moment);
    const list: Message[] = [];
    let next = 0;
    for (const position of this.#dueWithin(extra.length)) {
      const end = this.#placeOf(position);
      for (; next < end; next += 1) pushAt(list, this.#sent, next);
      if (this.#positions[next] === position) next += 1;
      const message = this.#projectAt(this.#log, position, moment);
      if (message !== undefined) list.push(message);
    }
    for (; next < this.#sent.length; next += 1) pushAt(list, this.#sent, next);
    list.push(...this.#projectExtra(extra));
    return list;
  }

  /**
   * A function that gives what is sent now, at any later time. It keeps no list, only the moment, and works the list
   * out from the history when it is called.
   */
  recall(extra: readonly Message[] = none): () => readonly Message[] {
    this.#update();
    const log = this.#log;
    const moment = { length: this.#applied, showing: this.#showing, extra: [...extra] };
    return () => this.#project(log, moment);
  }

  /** The model was called with the view, and so has seen every message in it once more. Call it before adding the reply. */
  shown(): void {
    this.#update();
    this.#showing += 1;
    this.#isStale = this.#select !== undefined;
    const due = this.#dueAtShowing.get(this.#showing);
    if (due === undefined) return;
    this.#dueAtShowing.delete(this.#showing);
    for (const position of due) this.#place(position);
  }

  /** What is sent now of the messages from a position of the history on; a list of its own. */
  shownFrom(position: number): readonly Message[] {
    this.#update();
    return this.#sent.slice(this.#placeOf(position));
  }

  /** The tokens of what is sent now, at four characters a token, images not counted. */
  get tokenEstimate(): number {
    this.#update();
    return this.#tokens;
  }

  /**
   * How often messages have been shown, by position: for a snapshot, and only where it makes a difference.
   * Counts beyond a message's last rule are given as that rule's threshold.
   */
  showings(): Readonly<Record<number, number>> {
    this.#update();
    const result: Record<number, number> = {};
    for (const [position, count] of this.#log.counts) {
      const shown = Math.min(
        countAt(count, this.#showing),
        this.#select === undefined ? Math.max(...showingThresholds(this.#log, position)) : Infinity,
      );
      if (shown > 0) result[position] = shown;
    }
    return result;
  }

  /**
   * Starts over from another history. Functions that `recall` gave still answer from the old one.
   *
   * @param showings - How often messages have been shown already, by position.
   */
  reset(messages: readonly Message[], showings: Readonly<Record<number, number>> = {}): void {
    const counts = new Map<number, Count>();
    for (const [position, earlier] of Object.entries(showings))
      counts.set(Number(position), { earlier, spans: [] });
    this.#log = { messages: [...messages], counts };
    this.#applied = 0;
    this.#showing = 0;
    this.#isStale = false;
    this.#sent = [];
    this.#positions = [];
    this.#tokens = 0;
    this.#dueAtLength = new Map();
    this.#dueAtShowing = new Map();
  }

  /** Puts other messages in place of those from `from` up to `to`, not included; all others keep their showings. */
  replace({ from, to }: { readonly from: number; readonly to: number }, messages: readonly Message[]): void {
    const kept: Record<number, number> = {};
    for (const [key, count] of Object.entries(this.showings())) {
      const position = Number(key);
      if (position < from) kept[position] = count;
      if (position >= to) kept[position - to + from + messages.length] = count;
    }
    const old = this.#log.messages;
    this.reset([...old.slice(0, from), ...messages, ...old.slice(to)], kept);
  }

  /** Takes in what was appended since, and what that brings due. */
  #update(): void {
    const from = this.#applied;
    const to = this.#log.messages.length;
    if (from === to && !this.#isStale) return;
    this.#applied = to;
    this.#isStale = false;
    if (this.#select !== undefined) {
      for (let position = 0; position < from; position += 1) this.#place(position);
    } else if (this.#dueAtLength.size > 0) {
      for (let length = from + 1; length <= to; length += 1) {
        const due = this.#dueAtLength.get(length);
        if (due === undefined) continue;
        this.#dueAtLength.delete(length);
        for (const position of due) this.#place(position);
      }
    }
    for (let position = from; position < to; position += 1) this.#add(position);
  }

  #add(position: number): void {
    if (this.#countsShowings(position) && !this.#log.counts.has(position))
      this.#log.counts.set(position, { earlier: 0, spans: [] });
    this.#place(position);
    if (this.#select !== undefined) return;
    for (const { threshold, countBy } of rulesAt(this.#log, position)) {
      const length = position + 1 + threshold;
      if (countBy !== "showings" && length > this.#applied) enqueue(this.#dueAtLength, length, position);
    }
  }

  #countsShowings(position: number): boolean {
    return this.#select !== undefined || rulesAt(this.#log, position).some(goesByShowings);
  }

  /** Brings the list in line with what a message now is: whole, shortened or left out. */
  #place(position: number): void {
    const moment = { length: this.#applied, showing: this.#showing, extra: none };
    const message = this.#projectAt(this.#log, position, moment);
    const at = this.#placeOf(position);
    const before = this.#positions[at] === position ? this.#sent[at] : undefined;
    if (message === undefined) {
      if (before === undefined) return;
      this.#sent.splice(at, 1);
      this.#positions.splice(at, 1);
      this.#leave(position);
    } else if (before !== undefined) {
      this.#sent[at] = message;
    } else {
      this.#sent.splice(at, 0, message);
      this.#positions.splice(at, 0, position);
      this.#enter(position);
    }
    this.#tokens += tokensOf(message) - tokensOf(before);
  }

  #enter(position: number): void {
    const count = this.#log.counts.get(position);
    if (count === undefined) return;
    const shown = countAt(count, this.#showing);
    count.spans.push({ from: this.#showing, to: Infinity });
    for (const threshold of showingThresholds(this.#log, position))
      if (threshold > shown) enqueue(this.#dueAtShowing, this.#showing + threshold - shown, position);
  }

  #leave(position: number): void {
    const span = this.#log.counts.get(position)?.spans.at(-1);
    if (span !== undefined) span.to = this.#showing;
  }

  /** Where a message stands in the list, or would stand. */
  #placeOf(position: number): number {
    let low = 0;
    let high = this.#positions.length;
    if (high > 0 && (this.#positions[high - 1] ?? 0) < position) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#positions[middle] ?? 0) < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The positions that come due when so many messages follow, in order. */
  #dueWithin(more: number): readonly number[] {
    const due = new Set<number>();
    for (let length = this.#applied + 1; length <= this.#applied + more; length += 1)
      for (const position of this.#dueAtLength.get(length) ?? []) due.add(position);
    return [...due].sort((one, other) => one - other);
  }

  #project(log: Log, moment: Moment): readonly Message[] {
    const list: Message[] = [];
    for (let position = 0; position < moment.length; position += 1) {
      const message = this.#projectAt(log, position, moment);
      if (message !== undefined) list.push(message);
    }
    list.push(...this.#projectExtra(moment.extra));
    return list;
  }

  #projectAt(log: Log, position: number, { length, showing, extra }: Moment): Message | undefined {
    const message = log.messages[position];
    if (message === undefined) return undefined;
    const count = log.counts.get(position);
    const distance = length + extra.length - 1 - position;
    return this.#truncate(message, distance, count === undefined ? 0 : countAt(count, showing));
  }

  #projectExtra(extra: readonly Message[]): readonly Message[] {
    return extra.flatMap((message, at) => this.#truncate(message, extra.length - 1 - at, 0) ?? []);
  }

  #truncate(message: Message, distance: number, showings: number): Message | undefined {
    if (message.role === "system") return message;
    const severity =
      this.#select === undefined
        ? severityOf(rulesOf(message), distance, showings)
        : this.#select({ message, distance, showings });
    return severity === undefined ? message : this.#shorten(message, severity);
  }
}

/**
 * A conversation as the model sees it, worked out once.
 *
 * @param messages - The whole history; none of it is changed.
 */
export function projectConversation(
  messages: readonly Message[],
  options: ViewOptions & { readonly showings?: Readonly<Record<number, number>> | undefined } = {},
): readonly Message[] {
  const view = new ConversationView(options);
  view.reset(messages, options.showings);
  return view.current();
}

/** The tokens of a conversation as the model sees it: four characters are taken for one, images for none. */
export function estimateConversationTokens(messages: readonly Message[]): number {
  return projectConversation(messages).reduce((sum, message) => sum + tokensOf(message), 0);
}

function tokensOf(message: Message | undefined): number {
  return message === undefined ? 0 : Math.ceil(message.content.length / 4);
}

function countAt({ earlier, spans }: Count, showing: number): number {
  let count = earlier;
  for (const { from, to } of spans) if (from < showing) count += Math.min(to, showing) - from;
  return count;
}

function rulesAt(log: Log, position: number): ReturnType<typeof rulesOf> {
  const message = log.messages[position];
  return message === undefined || message.role === "system" ? [] : rulesOf(message);
}

function showingThresholds(log: Log, position: number): readonly number[] {
  return rulesAt(log, position)
    .filter(goesByShowings)
    .map(({ threshold }) => threshold);
}

function goesByShowings({ countBy, threshold }: TruncationRule): boolean {
  return countBy === "showings" && threshold > 0;
}

function enqueue(due: Map<number, number[]>, key: number, position: number): void {
  const positions = due.get(key);
  if (positions === undefined) due.set(key, [position]);
  else positions.push(position);
}

function pushAt(list: Message[], from: readonly Message[], at: number): void {
  const message = from[at];
  if (message !== undefined) list.push(message);
}
