import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { bundledInventory } from "./bundled-inventory.ts";
import { decodeInventory } from "./decode-inventory.ts";
import { encodeInventory, type Inventory, type ProviderSpec } from "./inventory.ts";
import { chatModel, transcriptionModel } from "./model-spec.ts";
import { isPublicIdentifier, modelNameFault } from "./public-name.ts";

const text = fc.string({ unit: "binary", minLength: 1 }).filter((value) => value.trim() !== "");
const name = fc
  .oneof(
    fc.stringMatching(/^[a-z][a-z0-9_]{0,12}$/),
    fc.stringMatching(/^\p{ID_Start}\p{ID_Continue}{0,4}$/u),
  )
  .filter((value) => isPublicIdentifier(value) && modelNameFault(value) === undefined);
const model = fc.oneof(
  text.map((modelId) => transcriptionModel({ modelId })),
  fc
    .tuple(text, fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), fc.boolean())
    .map(([modelId, maxContextTokens, acceptsImages]) =>
      chatModel({ modelId, maxContextTokens, acceptsImages }),
    ),
);
const seconds = fc
  .double({ min: 0, minExcluded: true, noDefaultInfinity: true, noNaN: true })
  .filter((value) => value > 0);
const provider = fc.record({
  baseUrl: fc.webUrl({ validSchemes: ["http", "https"] }).filter((url) => !/[?#@\\]/.test(url)),
  apiKeyEnv: text,
  timeoutSeconds: fc.oneof(fc.integer({ min: 1, max: 3600 }), seconds),
  stream: fc.boolean(),
  models: fc.dictionary(name, model, { maxKeys: 4, noNullPrototype: true }),
});
const inventories: fc.Arbitrary<Inventory> = fc.record({
  providers: fc.dictionary(name, provider, { maxKeys: 4, noNullPrototype: true }),
});

describe("encodeInventory", () => {
  it("writes what decodes to an equal inventory, and that to the same bytes", () => {
    fc.assert(
      fc.property(inventories, (inventory) => {
        const json = encodeInventory(inventory);
        const decoded = decodeInventory(json);
        expect(decoded).toEqual(inventory);
        expect(Object.keys(decoded.providers)).toEqual(Object.keys(inventory.providers));
        expect(encodeInventory(decoded)).toBe(json);
        expect(JSON.parse(json)).toMatchObject({ schema_version: 1 });
      }),
    );
  });

  it("writes every default, two spaces deep, with one newline at the end", () => {
    const { groq, cerebras } = bundledInventory.providers;
    expect(encodeInventory({ providers: { groq, cerebras: { ...cerebras, models: {} } } })).toBe(`{
  "schema_version": 1,
  "providers": {
    "groq": {
      "base_url": "https://api.groq.com/openai/v1",
      "api_key_env": "GROQ_API_KEY",
      "timeout_s": 60.0,
      "stream": true,
      "models": {
        "whisper_large_v3_turbo": {
          "endpoint_type": "transcription",
          "model_id": "whisper-large-v3-turbo"
        }
      }
    },
    "cerebras": {
      "base_url": "https://api.cerebras.ai/v1",
      "api_key_env": "CEREBRAS_API_KEY",
      "timeout_s": 60.0,
      "stream": true,
      "models": {}
    }
  }
}
`);
  });

  it("writes an inventory without providers", () => {
    expect(encodeInventory({ providers: {} })).toBe('{\n  "schema_version": 1,\n  "providers": {}\n}\n');
  });

  it.each([
    { seconds: 60, spelling: "60.0" },
    { seconds: 0.5, spelling: "0.5" },
    { seconds: 1e21, spelling: "1e+21" },
    { seconds: 1e-7, spelling: "1e-7" },
  ])("writes a timeout of $seconds as $spelling", ({ seconds: timeoutSeconds, spelling }) => {
    const provider = { ...bundledInventory.providers.groq, timeoutSeconds };
    expect(encodeInventory({ providers: { groq: provider } })).toContain(`"timeout_s": ${spelling},\n`);
  });

  it("writes no key, also of a provider that carries one", () => {
    const provider = { ...bundledInventory.providers.groq, apiKey: "sk-test" };
    expect(encodeInventory({ providers: { groq: provider } })).not.toContain("sk-test");
  });
});

describe("bundledInventory", () => {
  it("is the published list, in its order", () => {
    const rows = Object.entries<ProviderSpec>(bundledInventory.providers).flatMap<unknown>(
      ([provider, { baseUrl, apiKeyEnv, models }]) =>
        Object.entries(models).map(([attribute, spec]) => [provider, baseUrl, apiKeyEnv, attribute, spec]),
    );
    const chat = { endpointType: "llm", acceptsImages: false };
    const openrouter = ["openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"];
    expect(rows).toEqual([
      [...openrouter, "z_ai__glm_5_3", { ...chat, modelId: "z-ai/glm-5.3", maxContextTokens: 1_310_720 }],
      [
        ...openrouter,
        "z_ai__glm_5_3_flash",
        { ...chat, modelId: "z-ai/glm-5.3-flash", maxContextTokens: 1_310_720 },
      ],
      [
        "cerebras",
        "https://api.cerebras.ai/v1",
        "CEREBRAS_API_KEY",
        "gpt_oss_120b",
        { ...chat, modelId: "gpt-oss-120b", maxContextTokens: 131_072 },
      ],
      [
        "groq",
        "https://api.groq.com/openai/v1",
        "GROQ_API_KEY",
        "whisper_large_v3_turbo",
        { endpointType: "transcription", modelId: "whisper-large-v3-turbo" },
      ],
    ]);
    for (const { timeoutSeconds, stream } of Object.values(bundledInventory.providers)) {
      expect({ timeoutSeconds, stream }).toEqual({ timeoutSeconds: 60, stream: true });
    }
  });

  it("is frozen in depth", () => {
    expect(Object.isFrozen(bundledInventory.providers.groq.models)).toBe(true);
  });
});
