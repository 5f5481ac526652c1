import { systemClock } from "../runtime/clock.ts";
import type { RunReport } from "./outcome.ts";

/** What a run counts, as a snapshot holds it. */
export interface Counts {
  readonly llmCalls: number;
  readonly steps: number;
  readonly chainedSteps: number;
  readonly skippedCalls: number;
  readonly skippedPromptTokens: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly costUsd: number;
  /** Whether any cost was known; without prices there is none to report. */
  readonly isPriced: boolean;
  readonly failuresInRow: number;
  /** Milliseconds that the run's stretches have taken together; waiting for a reply between them does not count. */
  readonly wallMs: number;
  readonly toolMs: Readonly<Record<string, number>>;
}

/** Counts what one run does. */
export class Tally {
  llmCalls = 0;
  steps = 0;
  chainedSteps = 0;
  skippedCalls = 0;
  skippedPromptTokens = 0;
  tokensIn = 0;
  tokensOut = 0;
  costUsd = 0;
  isPriced = false;
  /** Tool failures since the last tool that succeeded. */
  failuresInRow = 0;
  readonly #toolMs = new Map<string, number>();
  /** What stretches before this one have taken. */
  #earlierMs = 0;
  #stretchStart: number | undefined;

  /** A tally that goes on from stored counts. */
  static from(counts: Counts): Tally {
    const { toolMs, wallMs, ...numbers } = counts;
    const tally = Object.assign(new Tally(), numbers);
    tally.#earlierMs = wallMs;
    for (const [name, milliseconds] of Object.entries(toolMs)) tally.spend(name, milliseconds);
    return tally;
  }

  /** Milliseconds that the run's stretches have taken together, the one under way included. */
  get wallMs(): number {
    return this.#earlierMs + (this.#stretchStart === undefined ? 0 : systemClock.now() - this.#stretchStart);
  }

  /** A stretch of the run begins. */
  startStretch(): void {
    this.#stretchStart = systemClock.now();
  }

  /** The stretch is over: time that passes until the next one does not count. */
  endStretch(): void {
    this.#earlierMs = this.wallMs;
    this.#stretchStart = undefined;
  }

  counts(): Counts {
    const {
      llmCalls,
      steps,
      chainedSteps,
      skippedCalls,
      skippedPromptTokens,
      tokensIn,
      tokensOut,
      costUsd,
      isPriced,
      failuresInRow,
      wallMs,
    } = this;
    const toolMs = Object.fromEntries(this.#toolMs);
    return {
      llmCalls,
      steps,
      chainedSteps,
      skippedCalls,
      skippedPromptTokens,
      tokensIn,
      tokensOut,
      costUsd,
      isPriced,
      failuresInRow,
      wallMs,
      toolMs,
    };
  }

  /** A call that a model would have had to make, with the prompt it would have been sent. */
  skip(promptTokens: number): void {
    this.skippedCalls += 1;
    this.skippedPromptTokens += promptTokens;
  }

  /** Adds what a child run did since it was last counted. */
  add(child: RunReport, before?: RunReport): void {
    this.llmCalls += child.llmCalls - (before?.llmCalls ?? 0);
    this.skippedCalls += child.skippedCalls - (before?.skippedCalls ?? 0);
    this.skippedPromptTokens += child.skippedPromptTokens - (before?.skippedPromptTokens ?? 0);
    this.tokensIn += child.tokensIn - (before?.tokensIn ?? 0);
    this.tokensOut += child.tokensOut - (before?.tokensOut ?? 0);
    if (child.costUsd === null) return;
    this.costUsd += child.costUsd - (before?.costUsd ?? 0);
    this.isPriced = true;
  }

  spend(toolName: string, milliseconds: number): void {
    this.#toolMs.set(toolName, (this.#toolMs.get(toolName) ?? 0) + milliseconds);
  }

  report(runId: string): RunReport {
    const { llmCalls, steps, chainedSteps, skippedCalls, skippedPromptTokens, tokensIn, tokensOut } = this;
    return {
      runId,
      llmCalls,
      steps,
      chainedSteps,
      skippedCalls,
      skippedPromptTokens,
      tokensIn,
      tokensOut,
      costUsd: this.isPriced ? this.costUsd : null,
      toolMs: Object.fromEntries(
        [...this.#toolMs].map(([name, milliseconds]) => [name, rounded(milliseconds)]),
      ),
    };
  }
}

/** To the microsecond: further digits are noise, and make a report hard to read. */
function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}
