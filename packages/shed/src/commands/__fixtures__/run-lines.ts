import { execFileSync } from "node:child_process";
import { PermissionPolicy } from "../../permissions/policy.ts";
import { runTokens } from "./command-run.ts";

/**
 * Runs lines of words in a base, one after the other, and prints how each ended as JSON. The search word is an argument.
 * The first word says how many files this process may have open from now on; what loads it opens many sources at once.
 */
const [most = "", base = "", ...lines] = process.argv.slice(2);
execFileSync("prlimit", [`--nofile=${most}:${most}`, "--pid", String(process.pid)]);
const policy = PermissionPolicy.local(base);
const outcomes: unknown[] = [];
for (const line of lines) {
  const [name = "", ...words] = line.split(" ");
  const tokens = words.map((text) => {
    const isArgument = text === "needle" || text === "straw";
    return { text, tag: text.startsWith("-") ? "FLG" : isArgument ? "ARG" : "PTH" } as const;
  });
  const { status, stdout, stderr, refused = "" } = await runTokens(name, tokens, { policy });
  outcomes.push({ status, lines: stdout.split("\n").length - 1, stderr: stderr + refused });
}
process.stdout.write(JSON.stringify(outcomes));
