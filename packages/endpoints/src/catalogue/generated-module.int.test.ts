import fs from "node:fs/promises";
import { join } from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { bundledInventory } from "./bundled-inventory.ts";
import { decodeInventory } from "./decode-inventory.ts";
import { type ConsumerProject, consumerProject } from "./__fixtures__/consumer-project.ts";
import { generateModule } from "./generate-module.ts";
import { generateInventory, initInventory } from "./inventory-files.ts";

const fixture = (name: string) => new URL(`__fixtures__/${name}`, import.meta.url);

let project: ConsumerProject;
beforeAll(async () => {
  project = await consumerProject();
});
afterAll(async () => {
  await project.end();
});

/** Names that are ordinary words of the language, of its library, or of TypeScript, and that code may still export. */
const ordinaryNames: readonly string[] = `
  Object Map Proxy JSON Promise Record Readonly Array String Symbol Error Infinity NaN Math Reflect Function Date
  abstract accessor any as_ asserts async_ bigint boolean constructor declare exports from_ get infer intrinsic is_ keyof
  list globals module namespace never number object of out override readonly require satisfies self set string symbol
  type unique unknown using window process console catalogue chatModel providerCatalogue Catalogue ChatModelSpec
  größe 模型 данные`
  .trim()
  .split(/\s+/);

async function writeModules(): Promise<void> {
  const { groq } = bundledInventory.providers;
  const ordinary = Object.fromEntries(ordinaryNames.map((name) => [name, groq]));
  await project.write("providers.ts", await fs.readFile(fixture("providers.ts"), "utf8"));
  await project.write("models.ts", generateModule(bundledInventory));
  await project.write("ordinary.ts", generateModule({ providers: ordinary }));
  await project.write("none.ts", generateModule({ providers: {} }));
  await project.write(
    "right.ts",
    `import type { LLMEndpoint, TranscriptionEndpoint } from "@roboz/core";
import * as models from "./models.ts";
import * as none from "./none.ts";
import * as ordinary from "./ordinary.ts";
import { globals, groq, Object as local, openrouter } from "./providers.ts";
const chat: LLMEndpoint[] = [openrouter.z_ai__glm_5_3, local.größe, local.configured().größe];
const ear: TranscriptionEndpoint[] = [local.list, groq.whisper_large_v3_turbo, ordinary.Map.whisper_large_v3_turbo];
console.log(chat, ear, globals.models, models.cerebras.gpt_oss_120b, none);
`,
  );
}

describe("a generated module", () => {
  it("endpoints 38: is byte for byte the recorded one", async () => {
    const recorded = await fs.readFile(fixture("providers.ts"), "utf8");
    expect(generateModule(decodeInventory(await fs.readFile(fixture("models.json"))))).toBe(recorded);
  });

  it("compiles under strict settings, in which only wrong models and wrong kinds of endpoint are errors", async () => {
    await writeModules();
    await project.write(
      "wrong.ts",
      `import type { LLMEndpoint } from "@roboz/core";
import { groq, openrouter } from "./providers.ts";
export const unknown = openrouter.z_ai__glm_5_4;
export const ear: LLMEndpoint = groq.whisper_large_v3_turbo;
export { cerebras } from "./providers.ts";
`,
    );
    const { output } = await project.compile({ module: "nodenext" });
    const errors = output.split("\n").filter((line) => line.includes("error TS"));
    expect(errors).toEqual([
      expect.stringContaining("wrong.ts(3,35): error TS2551"),
      expect.stringMatching(/^wrong\.ts\(4,14\): error TS2\d+: Type 'TranscriptionEndpoint'/),
      expect.stringContaining("wrong.ts(5,10): error TS2305"),
    ]);
    await project.remove("wrong.ts");
  });

  it("compiles for a bundler", async () => {
    await writeModules();
    const outcome = await project.compile({ module: "esnext", moduleResolution: "bundler" });
    expect(outcome).toEqual({ status: 0, output: "" });
  });

  it("endpoints 37: loads with providers called like the language's own names", async () => {
    await writeModules();
    await project.write("names.ts", `console.log(Object.keys(await import("./ordinary.ts")).length);\n`);
    expect(await project.run("names.ts")).toEqual({ status: 0, output: `${ordinaryNames.length}\n` });
  });

  it("needs no inference to be declared", async () => {
    const text = await fs.readFile(fixture("providers.ts"), "utf8");
    const { diagnostics = [], outputText } = ts.transpileDeclaration(text, {
      reportDiagnostics: true,
      compilerOptions: { isolatedDeclarations: true, declaration: true, strict: true },
    });
    expect(diagnostics).toEqual([]);
    expect(outputText).toContain("export declare const groq: _Catalogue<{");
  });

  it("offers an editor the names of providers and models", async () => {
    await writeModules();
    const completions = editor(project.directory, {
      "providers-of.ts": `import { | } from "./providers.ts";`,
      "models-of.ts": `import { openrouter } from "./providers.ts";\nopenrouter.|`,
      "configured.ts": `import { Object } from "./providers.ts";\nObject.configured().|`,
    });
    const members = ["apiName", "configured", "models", "modelsByAttribute", "toJSON"];
    expect(completions).toEqual({
      "providers-of.ts": ["Object", "globals", "groq", "openrouter", "type"],
      "models-of.ts": [...members, "z_ai__glm_5_3", "z_ai__glm_5_3_flash"],
      "configured.ts": [...members, "größe", "list"].sort(),
    });
  });

  it("endpoints 1, cli 13: is loaded, listed and read without credentials, without the SDK and without a look at the environment", async () => {
    await initInventory({ directory: project.directory });
    await generateInventory({ directory: project.directory });
    await fs.rm(join(project.directory, "model_catalogue", "models.json"));
    await project.write(
      "no-sdk.ts",
      `import { register } from "node:module";
const hooks = \`export async function resolve(specifier, context, next) {
  if (/^openai(\\\\/|$)/.test(specifier)) throw new Error("the SDK was imported");
  return next(specifier, context);
}\`;
register(\`data:text/javascript,\${encodeURIComponent(hooks)}\`);
`,
    );
    await project.write(
      "main.ts",
      `import "./no-sdk.ts";
const read: string[] = [];
process.env = new Proxy(process.env, {
  get(target, name) { if (typeof name === "string") read.push(name); return target[String(name)]; },
});
const { openrouter, cerebras, groq } = await import("./model_catalogue/providers.ts");
const bundled = await import("@roboz/endpoints/inventory");
for (const { models } of [openrouter, cerebras, groq]) console.log(models.map(({ modelId }) => modelId).join());
for (const { gpt_oss_120b } of [cerebras, bundled.cerebras]) {
  console.log(gpt_oss_120b.dependencyId, gpt_oss_120b.maxContextTokens);
}
for (const { whisper_large_v3_turbo: ear } of [groq, bundled.groq]) {
  console.log(ear.dependencyId, JSON.stringify(ear.redactedMetadata()));
}
console.log(read.filter((name) => /KEY|ROBOZ|OPENAI/.test(name)).length);
await import("openai").then(() => console.log("loaded"), (error) => console.log(error.message));
`,
    );
    expect(await project.run("main.ts")).toEqual({
      status: 0,
      output: `z-ai/glm-5.3,z-ai/glm-5.3-flash
gpt-oss-120b
whisper-large-v3-turbo
model:cerebras:gpt-oss-120b 131072
model:cerebras:gpt-oss-120b 131072
model:groq:whisper-large-v3-turbo {"apiName":"groq","modelName":"whisper-large-v3-turbo","endpointType":"transcription"}
model:groq:whisper-large-v3-turbo {"apiName":"groq","modelName":"whisper-large-v3-turbo","endpointType":"transcription"}
0
the SDK was imported
`,
    });
  });
});

/** What an editor offers at the bar in each text, as TypeScript's own service tells it. */
function editor(
  directory: string,
  marked: Readonly<Record<string, string>>,
): Readonly<Record<string, readonly string[]>> {
  const texts = new Map(Object.entries(marked).map(([name, text]) => [join(directory, name), text]));
  const host: ts.LanguageServiceHost = {
    getScriptFileNames: () => [...texts.keys()],
    getScriptVersion: () => "1",
    getScriptSnapshot: (path) => {
      const content = texts.get(path)?.replace("|", "") ?? ts.sys.readFile(path);
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
    },
    getCurrentDirectory: () => directory,
    getCompilationSettings: () => ({
      module: ts.ModuleKind.NodeNext,
      strict: true,
      allowImportingTsExtensions: true,
      noEmit: true,
      customConditions: ["@roboz/source"],
    }),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (path) => ts.sys.fileExists(path),
    readFile: (path) => ts.sys.readFile(path),
    directoryExists: (path) => ts.sys.directoryExists(path),
    getDirectories: (path) => ts.sys.getDirectories(path),
    realpath: (path) => ts.sys.realpath?.(path) ?? path,
  };
  const service = ts.createLanguageService(host);
  const offered = Object.entries(marked).map(([name, text]) => {
    const entries =
      service.getCompletionsAtPosition(join(directory, name), text.indexOf("|"), {})?.entries ?? [];
    return [name, entries.map((entry) => entry.name).sort()] as const;
  });
  service.dispose();
  return Object.fromEntries(offered);
}
