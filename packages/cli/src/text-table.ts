/** Rows of cells as lines, in columns as wide as their widest cell; `numbers` are the columns that are set to the right. */
export function textTable(
  rows: readonly (readonly string[])[],
  { numbers }: { readonly numbers: readonly number[] },
): string {
  const count = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, at) =>
    Math.max(...rows.map((row) => row[at]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, at) =>
        numbers.includes(at) ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0),
      )
      .join("  ")
      .trimEnd();
  return rows.map((row) => `${line(row)}\n`).join("");
}
