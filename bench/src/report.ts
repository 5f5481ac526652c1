/** A figure beside the bare work's. */
export interface Row {
  readonly work: string;
  readonly unit: string;
  readonly ours: number;
  readonly bare: number;
  /** The ratio to stay within. */
  readonly goal: number;
}

/** The middle of some figures. */
export function median(figures: readonly number[]): number {
  const sorted = [...figures].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Prints rows as a table. */
export function report(rows: readonly Row[]): void {
  const cells = [
    ["work", "ours", "bare", "ratio", "goal", ""],
    ...rows.map(({ work, unit, ours, bare, goal }) => [
      work,
      `${ours.toFixed(2)} ${unit}`,
      `${bare.toFixed(2)} ${unit}`,
      (ours / bare).toFixed(2),
      `≤ ${goal}`,
      ours / bare <= goal ? "met" : "MISSED",
    ]),
  ];
  const widths =
    cells[0]?.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0))) ?? [];
  for (const row of cells)
    process.stdout.write(
      `${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd()}\n`,
    );
}
