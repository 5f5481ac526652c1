import type { RunReport } from "@roboz/core";

/** The reports of a lunch with chains and of the same lunch without. */
export interface Comparison {
  readonly chained: RunReport;
  readonly unchained: RunReport;
}

/** Sets both runs side by side; the last line is what chains saved. */
export function comparisonText({ chained, unchained }: Comparison): string {
  return [
    row("", "model calls", "prompt tokens"),
    row("without chains", count(unchained.llmCalls), count(unchained.tokensIn)),
    row("with chains", count(chained.llmCalls), count(chained.tokensIn)),
    "",
    "Prompt tokens are estimated from all that was sent, system prompts included: four characters for each.",
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
