import { describe, expect, it } from "vitest";

import { chatModel, transcriptionModel } from "./model-spec.ts";

describe("chatModel", () => {
  it("describes a model that takes no images unless told so", () => {
    const spec = chatModel({ modelId: " z-ai/glm ", maxContextTokens: 8 });
    expect(spec).toEqual({
      endpointType: "llm",
      modelId: " z-ai/glm ",
      maxContextTokens: 8,
      acceptsImages: false,
    });
    expect(chatModel({ modelId: "a", maxContextTokens: 1, acceptsImages: true }).acceptsImages).toBe(true);
  });

  it("gives equal specs for equal settings", () => {
    const settings = { modelId: "a", maxContextTokens: 1 };
    expect(chatModel(settings)).toEqual(chatModel({ ...settings, acceptsImages: false }));
  });

  it("gives frozen data", () => {
    expect(Object.isFrozen(chatModel({ modelId: "a", maxContextTokens: 1 }))).toBe(true);
    expect(Object.isFrozen(transcriptionModel({ modelId: "a" }))).toBe(true);
  });

  it.each([
    {
      why: "endpoints 7: an id of one space",
      settings: { modelId: " ", maxContextTokens: 1 },
      field: "modelId",
    },
    {
      why: "endpoints 7: a context limit of 0",
      settings: { modelId: "a", maxContextTokens: 0 },
      field: "maxContextTokens",
    },
    {
      why: "a context limit of 1.5",
      settings: { modelId: "a", maxContextTokens: 1.5 },
      field: "maxContextTokens",
    },
    {
      why: "a context limit that is no number",
      settings: { modelId: "a", maxContextTokens: NaN },
      field: "maxContextTokens",
    },
    {
      why: "a context limit no number holds exactly",
      settings: { modelId: "a", maxContextTokens: 2 ** 53 },
      field: "maxContextTokens",
    },
  ])("refuses $why", ({ settings, field }) => {
    expect(() => chatModel(settings)).toThrow(
      expect.objectContaining({ code: "endpoints/model-spec", field }),
    );
  });
});

it("refuses a transcription model with a blank id", () => {
  expect(() => transcriptionModel({ modelId: "\n" })).toThrow(
    expect.objectContaining({ code: "endpoints/model-spec", field: "modelId" }),
  );
});
