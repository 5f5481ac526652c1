import type { z } from "zod";

/** What is wrong with a value, in one line: each problem with the path to it. */
export function problemsOf({ issues }: z.ZodError): string {
  const lines = issues.map(({ path, message }) =>
    path.length === 0 ? message : `\`${pathOf(path)}\`: ${message}`,
  );
  return [...new Set(lines)].join("; ");
}

function pathOf(path: readonly PropertyKey[]): string {
  return path
    .map((key, index) => (typeof key === "number" ? `[${key}]` : `${index === 0 ? "" : "."}${String(key)}`))
    .join("");
}
