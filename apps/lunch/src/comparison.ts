import type { RunReport } from "@roboz/core";

/** The reports of a lunch with chains and of the same lunch without. */
export interface Comparison {
  readonly chained: RunReport;
  readonly unchained: RunReport;
}

/**
 * Sets both runs side by side; the last line is what chains saved.
 *
 * @param options.isBilled - Whether the prompt tokens are those of a service; else they are estimated.
 */
export function comparisonText(
  { chained, unchained }: Comparison,
  { isBilled }: { readonly isBilled: boolean },
): string {
  return [
    row("", "model calls", "prompt tokens"),
    row("without chains", count(unchained.llmCalls), count(unchained.tokensIn)),
    row("with chains", count(chained.llmCalls), count(chained.tokensIn)),
    "",
    isBilled
      ? "Prompt tokens are what the service counted; where it did not say, four characters make one."
      : "Prompt tokens are estimated from all that was sent, system prompts and tools included: four characters make one.",
    "",
    `model calls: ${chained.llmCalls}, skipped: ${chained.skippedCalls}`,
    "",
  ].join("\n");
}

function row(name: string, ...figures: readonly string[]): string {
  return `  ${name.padEnd(15)}${figures.map((figure) => figure.padStart(15)).join("")}`;
}

function count(figure: number): string {
  return figure.toLocaleString("en-US");
}
