import { callLlmApi, LLMEndpoint, TranscriptionEndpoint, userMessage } from "@roboz/core";
import { describe, expect, it } from "vitest";

import * as bundledCatalogues from "../inventory.ts";
import { scriptedProvider } from "../testing/index.ts";
import { bundledInventory } from "./bundled-inventory.ts";
import { decodeInventory } from "./decode-inventory.ts";
import { encodeInventory } from "./inventory.ts";
import { inventoryCatalogues, providerCatalogue } from "./provider-catalogue.ts";

const { cerebras, groq } = bundledInventory.providers;

describe("providerCatalogue", () => {
  it("gives endpoints of the provider with the settings of their specs", () => {
    const models = providerCatalogue("quick", { ...cerebras, stream: false });
    expect(models.gpt_oss_120b).toBeInstanceOf(LLMEndpoint);
    expect(models.gpt_oss_120b).toMatchObject({
      dependencyId: "model:quick:gpt-oss-120b",
      maxContextTokens: 131_072,
      stream: false,
      acceptsImages: false,
    });
    expect(models.configured().gpt_oss_120b).toMatchObject({ stream: true });
    expect(providerCatalogue("groq", groq).whisper_large_v3_turbo).toBeInstanceOf(TranscriptionEndpoint);
  });

  it("gives endpoints that core can call", async () => {
    const provider = await scriptedProvider(["Hello."], { apiKey: "sk-test" });
    const models = providerCatalogue("local", { ...cerebras, baseUrl: provider.baseUrl });
    const endpoint = models.configured({ apiKey: "sk-test" }).gpt_oss_120b;
    const { text } = await callLlmApi({ endpoint, messages: [userMessage("Hi.")] });
    await endpoint.close();
    await provider.close();
    expect(text).toBe("Hello.");
    expect(provider.requests[0]?.body).toMatchObject({ model: "gpt-oss-120b" });
  });

  it("takes the longest timeout that a file may hold", () => {
    const models = providerCatalogue("patient", { ...cerebras, timeoutSeconds: Number.MAX_VALUE });
    expect(models.gpt_oss_120b.apiName).toBe("patient");
  });

  it.each([
    { why: "a base URL with a password", wrong: { baseUrl: "https://user:secret@host" }, setting: "baseUrl" },
    { why: "a timeout of 0", wrong: { timeoutSeconds: 0 }, setting: "timeoutMs" },
    { why: "a blank credential variable", wrong: { apiKeyEnv: " " }, setting: "apiKeyEnv" },
  ])("fails at each read of a model, not before, with $why", ({ wrong, setting }) => {
    const models = providerCatalogue("wrong", { ...cerebras, ...wrong });
    const expected: unknown = expect.objectContaining({
      code: "endpoints/endpoint-settings",
      settings: [setting],
    });
    expect(() => models.gpt_oss_120b).toThrow(expected);
    expect(() => models.gpt_oss_120b).toThrow(expected);
  });
});

describe("inventoryCatalogues", () => {
  it("gives a catalogue for each provider of a file, in its order", () => {
    const catalogues = inventoryCatalogues(decodeInventory(encodeInventory(bundledInventory)));
    expect([...catalogues.keys()]).toEqual(["openrouter", "cerebras", "groq"]);
    expect(catalogues.get("cerebras")?.["gpt_oss_120b"]).toMatchObject({
      dependencyId: "model:cerebras:gpt-oss-120b",
    });
  });
});

describe("the bundled catalogues", () => {
  it("are those of the bundled inventory", () => {
    const inventory = Object.fromEntries(
      Object.entries(bundledInventory.providers).map(([name, { models }]) => [
        name,
        { apiName: name, models },
      ]),
    );
    expect(JSON.parse(JSON.stringify(bundledCatalogues))).toEqual(JSON.parse(JSON.stringify(inventory)));
  });
});
