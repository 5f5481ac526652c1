/**
 * Writes the vectors beside this file, the same bytes in every run. With `--check` it writes nothing, and ends with
 * status 1 when a file differs from what it would write.
 *
 *     npx tsx packages/endpoints/vectors/generate.ts [--check]
 */
import { readFile, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { envTextVectors, refusedEnvEntries } from "./env-text.ts";
import { v1Vectors } from "./v1.ts";
import { v2Vectors } from "./v2.ts";

/** File names and their exact text. */
export async function renderVectors(): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, object>([
    ["v1.json", { schemaVersion: 1, vectors: await v1Vectors() }],
    ["v2.json", { schemaVersion: 1, vectors: v2Vectors() }],
    ["env-text.json", { schemaVersion: 1, vectors: envTextVectors(), refused: refusedEnvEntries() }],
  ]);
  return new Map([...files].map(([name, content]) => [name, `${JSON.stringify(content, null, 2)}\n`]));
}

async function main(isCheck: boolean): Promise<void> {
  for (const [name, text] of await renderVectors()) {
    const file = new URL(name, import.meta.url);
    if (!isCheck) {
      await writeFile(file, text);
    } else if ((await readFile(file, "utf8")) !== text) {
      console.error(`\`${name}\` is not what this script writes; run it without --check`);
      process.exitCode = 1;
    }
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  await main(process.argv.includes("--check"));
