import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { bundledInventory } from "./bundled-inventory.ts";
import { decodeInventory } from "./decode-inventory.ts";
import { encodeInventory, type Inventory } from "./inventory.ts";
import { namedModel, projectInventory } from "./named-model.ts";

const { groq } = bundledInventory.providers;
const groqAlone: Inventory = { providers: { groq } };

describe("projectInventory", () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "roboz-project-"));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  it("gives the bundled examples where there is no models.json", async () => {
    expect(await projectInventory({ directory })).toEqual(bundledInventory);
  });

  it("gives what the project's models.json says", async () => {
    await mkdir(join(directory, "model_catalogue"));
    await writeFile(join(directory, "model_catalogue", "models.json"), encodeInventory(groqAlone));
    expect(await projectInventory({ directory })).toEqual(groqAlone);
  });

  it("never puts the examples in the place of a file that is wrong, or was named and is missing", async () => {
    await mkdir(join(directory, "model_catalogue"));
    await writeFile(join(directory, "model_catalogue", "models.json"), "{");
    await expect(projectInventory({ directory })).rejects.toMatchObject({
      code: "endpoints/catalogue-syntax",
    });
    await expect(projectInventory({ directory, path: "other.json" })).rejects.toMatchObject({
      fault: "missing",
    });
  });
});

describe("namedModel", () => {
  it("gives the endpoint of a chat model and the variable of its key", () => {
    const { endpoint, apiKeyEnv } = namedModel(bundledInventory, "cerebras.gpt_oss_120b");
    expect(endpoint).toMatchObject({ apiName: "cerebras", modelName: "gpt-oss-120b", stream: true });
    expect(apiKeyEnv).toBe("CEREBRAS_API_KEY");
  });

  it.each([
    { why: "an unknown provider", asked: "nope.gpt_oss_120b" },
    { why: "an unknown model", asked: "cerebras.nope" },
    { why: "a provider alone", asked: "cerebras" },
    { why: "a member of every object", asked: "cerebras.toString" },
    { why: "a speech-to-text model", asked: "groq.whisper_large_v3_turbo" },
    { why: "the model's name at the provider", asked: "cerebras.gpt-oss-120b" },
    { why: "nothing", asked: "" },
  ])("refuses $why and lists what there is", ({ asked }) => {
    expect(() => namedModel(bundledInventory, asked)).toThrow(
      expect.objectContaining({
        code: "endpoints/model-choice",
        asked,
        known: ["openrouter.z_ai__glm_5_3", "openrouter.z_ai__glm_5_3_flash", "cerebras.gpt_oss_120b"],
      }),
    );
  });

  it("says so when the catalogue has no chat model", () => {
    const empty = decodeInventory(`{ "schema_version": 1, "providers": {} }`);
    expect(() => namedModel(empty, "a.b")).toThrow(
      '"a.b" is no chat model of the catalogue; the catalogue has none',
    );
  });
});
