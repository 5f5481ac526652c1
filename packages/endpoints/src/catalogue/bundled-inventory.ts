import { chatModel, transcriptionModel } from "./model-spec.ts";

const defaults = { timeoutSeconds: 60, stream: true } as const;

/**
 * The examples that come with this package: what `roboz inventory init` writes. Fixed configuration, not discovered: neither
 * a promise that an account may use a model, nor of its context window.
 */
export const bundledInventory = deepFreeze({
  providers: {
    openrouter: {
      baseUrl: "https://openrouter.ai/api/v1",
      apiKeyEnv: "OPENROUTER_API_KEY",
      ...defaults,
      models: {
        z_ai__glm_5_3: chatModel({ modelId: "z-ai/glm-5.3", maxContextTokens: 1_310_720 }),
        z_ai__glm_5_3_flash: chatModel({ modelId: "z-ai/glm-5.3-flash", maxContextTokens: 1_310_720 }),
      },
    },
    cerebras: {
      baseUrl: "https://api.cerebras.ai/v1",
      apiKeyEnv: "CEREBRAS_API_KEY",
      ...defaults,
      models: { gpt_oss_120b: chatModel({ modelId: "gpt-oss-120b", maxContextTokens: 131_072 }) },
    },
    groq: {
      baseUrl: "https://api.groq.com/openai/v1",
      apiKeyEnv: "GROQ_API_KEY",
      ...defaults,
      models: { whisper_large_v3_turbo: transcriptionModel({ modelId: "whisper-large-v3-turbo" }) },
    },
  },
});

function deepFreeze<Data extends object>(data: Data): Data {
  for (const part of Object.values(data)) if (typeof part === "object" && part !== null) deepFreeze(part);
  return Object.freeze(data);
}
