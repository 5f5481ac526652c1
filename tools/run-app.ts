import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { runToEnd, type Ended, type RunOptions } from "./run-to-end.ts";
import { root } from "./workspace.mjs";

export interface RunAppOptions extends Pick<RunOptions, "env" | "input" | "signal"> {
  /** Where the model `local.chat` of the catalogue is; its key is in `LOCAL_API_KEY`. Without it there is no such model. */
  readonly baseUrl?: string | undefined;
}

/** Runs an app as `npm start` does, in an empty project of its own, and waits for its end. */
export async function runApp(
  app: string,
  args: readonly string[] = [],
  { baseUrl, ...options }: RunAppOptions = {},
): Promise<Ended> {
  const cwd = await mkdtemp(join(tmpdir(), "roboz-app-"));
  try {
    if (baseUrl !== undefined) await writeCatalogue(cwd, baseUrl);
    const loader = pathToFileURL(createRequire(join(root, "package.json")).resolve("tsx")).href;
    const main = join(root, "apps", app, "src", "main.ts");
    const program = ["--conditions=@roboz/source", "--import", loader, main];
    return await runToEnd(process.execPath, [...program, ...args], { cwd, ...options });
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
}

async function writeCatalogue(cwd: string, baseUrl: string): Promise<void> {
  const chat = { endpoint_type: "llm", model_id: "scripted-model", max_context_tokens: 1000 };
  const local = { base_url: baseUrl, api_key_env: "LOCAL_API_KEY", models: { chat } };
  await mkdir(join(cwd, "model_catalogue"));
  const text = JSON.stringify({ schema_version: 1, providers: { local } });
  await writeFile(join(cwd, "model_catalogue", "models.json"), text);
}
