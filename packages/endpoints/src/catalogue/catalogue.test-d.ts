import type { LLMEndpoint, TranscriptionEndpoint } from "@roboz/core";
import { assertType, describe, expectTypeOf, it } from "vitest";

import { type cerebras, groq, openrouter } from "../inventory.ts";
import { OpenAICompatibleAdapter } from "../openai/adapter.ts";
import * as providers from "./__fixtures__/providers.ts";
import { type Catalogue, catalogue, type CatalogueMembers } from "./catalogue.ts";
import {
  chatModel,
  type ChatModelSpec,
  type ModelSpec,
  type ModelSpecs,
  transcriptionModel,
  type TranscriptionModelSpec,
} from "./model-spec.ts";

/** What an editor offers after the dot, less what every catalogue has. */
type Models<Given> = Exclude<keyof Given, keyof CatalogueMembers<ModelSpecs>>;

describe("a generated module", () => {
  it("offers the providers of its JSON, and nothing else", () => {
    expectTypeOf<keyof typeof providers>().toEqualTypeOf<"openrouter" | "Object" | "groq" | "globals">();
  });

  it("offers the models of each provider, and nothing else", () => {
    expectTypeOf<Models<typeof providers.openrouter>>().toEqualTypeOf<
      "z_ai__glm_5_3" | "z_ai__glm_5_3_flash"
    >();
    expectTypeOf<Models<typeof providers.Object>>().toEqualTypeOf<"größe" | "list">();
    expectTypeOf<Models<typeof providers.groq>>().toEqualTypeOf<"whisper_large_v3_turbo">();
    expectTypeOf<Models<typeof providers.globals>>().toEqualTypeOf<never>();
  });

  it("gives each model its own kind of endpoint", () => {
    expectTypeOf(providers.openrouter.z_ai__glm_5_3).toEqualTypeOf<LLMEndpoint>();
    expectTypeOf(providers.Object.größe).toEqualTypeOf<LLMEndpoint>();
    expectTypeOf(providers.Object.list).toEqualTypeOf<TranscriptionEndpoint>();
    expectTypeOf(providers.groq.whisper_large_v3_turbo).toEqualTypeOf<TranscriptionEndpoint>();
  });

  it("keeps all of it when configured", () => {
    expectTypeOf(providers.Object.configured({ stream: false })).toEqualTypeOf(providers.Object);
    expectTypeOf(providers.groq.configured().whisper_large_v3_turbo).toEqualTypeOf<TranscriptionEndpoint>();
  });

  it("lists specs of one kind, or of both when they are mixed or none", () => {
    expectTypeOf(providers.openrouter.models).toEqualTypeOf<readonly ChatModelSpec[]>();
    expectTypeOf(providers.groq.models).toEqualTypeOf<readonly TranscriptionModelSpec[]>();
    expectTypeOf(providers.Object.models).toEqualTypeOf<readonly ModelSpec[]>();
    expectTypeOf(providers.globals.models).toEqualTypeOf<readonly ModelSpec[]>();
    expectTypeOf(providers.Object.modelsByAttribute.list).toEqualTypeOf<TranscriptionModelSpec>();
  });

  it("does not know other providers and models", () => {
    // @ts-expect-error -- no such provider
    assertType(providers.cerebras);
    // @ts-expect-error -- no such model
    assertType(providers.openrouter.gpt_oss_120b);
    // @ts-expect-error -- models are not assigned
    providers.groq.whisper_large_v3_turbo = providers.Object.list;
  });
});

describe("the two kinds of endpoint", () => {
  it("do not stand in for each other", () => {
    expectTypeOf<LLMEndpoint>().not.toExtend<TranscriptionEndpoint>();
    expectTypeOf<TranscriptionEndpoint>().not.toExtend<LLMEndpoint>();
  });
});

describe("the bundled catalogues", () => {
  it("offer the published models", () => {
    expectTypeOf<Models<typeof openrouter>>().toEqualTypeOf<"z_ai__glm_5_3" | "z_ai__glm_5_3_flash">();
    expectTypeOf<Models<typeof cerebras>>().toEqualTypeOf<"gpt_oss_120b">();
    expectTypeOf<Models<typeof groq>>().toEqualTypeOf<"whisper_large_v3_turbo">();
    expectTypeOf(openrouter.z_ai__glm_5_3).toEqualTypeOf<LLMEndpoint>();
    expectTypeOf(groq.whisper_large_v3_turbo).toEqualTypeOf<TranscriptionEndpoint>();
  });
});

describe("catalogue", () => {
  it("infers its models from their specs", () => {
    const made = catalogue({
      adapter: new OpenAICompatibleAdapter(),
      models: {
        chat: chatModel({ modelId: "chat", maxContextTokens: 8 }),
        ear: transcriptionModel({ modelId: "ear" }),
      },
    });
    expectTypeOf<Models<typeof made>>().toEqualTypeOf<"chat" | "ear">();
    expectTypeOf(made.chat).toEqualTypeOf<LLMEndpoint>();
    expectTypeOf(made.ear).toEqualTypeOf<TranscriptionEndpoint>();
  });

  it("gives either kind of endpoint when its models are only known at run time", () => {
    expectTypeOf<Catalogue<ModelSpecs>["any_name"]>().toEqualTypeOf<LLMEndpoint | TranscriptionEndpoint>();
    expectTypeOf<Catalogue<ModelSpecs>["apiName"]>().toEqualTypeOf<string>();
  });
});
