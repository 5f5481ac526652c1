import { inspect } from "node:util";
import { describe, expect, it } from "vitest";

import { catalogue } from "./catalogue.ts";
import { chatModel, transcriptionModel } from "./model-spec.ts";
import { recordingAdapter } from "./__fixtures__/recording-adapter.ts";

const chat = chatModel({ modelId: "chat-1", maxContextTokens: 8, acceptsImages: true });
const ear = transcriptionModel({ modelId: "ear-1" });

function exampleCatalogue() {
  const adapter = recordingAdapter();
  return { adapter, models: catalogue({ adapter, models: { chat, ear } }) };
}

describe("catalogue", () => {
  it("lists its models without selecting one", () => {
    const { adapter, models } = exampleCatalogue();
    expect(models.apiName).toBe("example");
    expect(models.models).toEqual([chat, ear]);
    expect(models.modelsByAttribute).toEqual({ chat, ear });
    expect(Object.keys(models)).toEqual(["chat", "ear"]);
    expect(inspect(models)).toContain("chat");
    expect(JSON.stringify(models)).toBe(JSON.stringify({ apiName: "example", models: { chat, ear } }));
    expect(adapter.described).toEqual([]);
  });

  it("endpoints 2: gives the same endpoint at each read", () => {
    const { adapter, models } = exampleCatalogue();
    expect(models.chat).toBe(models.chat);
    expect(models.ear).toBe(models.ear);
    expect(adapter.described).toEqual([
      { kind: "llm", model: "chat-1", maxContextTokens: 8, stream: true, acceptsImages: true },
      { kind: "transcription", model: "ear-1" },
    ]);
  });

  it("endpoints 3: gives one endpoint to eight concurrent first reads", async () => {
    const { adapter, models } = exampleCatalogue();
    const reads = Array.from({ length: 8 }, async () => {
      await Promise.resolve();
      return models.chat;
    });
    expect(new Set(await Promise.all(reads)).size).toBe(1);
    expect(adapter.described).toHaveLength(1);
  });

  it("endpoints 4: gives each configured catalogue its own endpoints and clients", () => {
    const { models } = exampleCatalogue();
    const [one, other] = [models.configured(), models.configured()];
    expect(one.chat).not.toBe(other.chat);
    expect(one.chat).not.toBe(models.chat);
    expect(one.chat.client).not.toBe(other.chat.client);
    expect(one.modelsByAttribute).toEqual(models.modelsByAttribute);
  });

  it("configures with fixed defaults, not with the settings of the original", () => {
    const adapter = recordingAdapter();
    const original = catalogue({ adapter, models: { chat }, stream: false });
    const quiet = original.configured({ apiKey: "sk-test", timeoutMs: 5, stream: false });
    const again = quiet.configured();
    expect([original.chat, quiet.chat, again.chat]).toHaveLength(3);
    expect(adapter.configurations).toEqual([
      { apiKey: "sk-test", timeoutMs: 5 },
      { apiKey: undefined, timeoutMs: 60_000 },
    ]);
    expect(adapter.described.map((described) => "stream" in described && described.stream)).toEqual([
      false,
      false,
      true,
    ]);
  });

  it("endpoints 5: keeps its models when the given mapping is emptied", () => {
    const given: Record<string, typeof chat> = { chat };
    const models = catalogue({ adapter: recordingAdapter(), models: given });
    delete given["chat"];
    expect(models.modelsByAttribute).toEqual({ chat });
    expect(models["chat"]).toBeDefined();
  });

  it("endpoints 6: refuses assignments", () => {
    const { models } = exampleCatalogue();
    expect(() => Object.assign(models.modelsByAttribute, { chat: ear })).toThrow(TypeError);
    expect(() => Object.assign(models.models, { 0: ear })).toThrow(TypeError);
    expect(() => Object.assign(models, { chat: undefined })).toThrow(TypeError);
    expect(() => Object.assign(models, { added: undefined })).toThrow(TypeError);
    expect(models.modelsByAttribute).toEqual({ chat, ear });
  });

  it("endpoints 7: refuses a spec with a blank id or without context", () => {
    const adapter = recordingAdapter();
    const refused = (spec: typeof chat) => () => catalogue({ adapter, models: { chat: spec } });
    expect(refused({ ...chat, modelId: " " })).toThrow(expect.objectContaining({ field: "modelId" }));
    expect(refused({ ...chat, maxContextTokens: 0 })).toThrow(
      expect.objectContaining({ field: "maxContextTokens" }),
    );
  });

  it.each([
    { why: "endpoints 8", attribute: "models", fault: "reserved" },
    { why: "endpoints 8", attribute: "configured", fault: "reserved" },
    { why: "endpoints 8", attribute: "api_name", fault: "reserved" },
    { why: "a member of this release", attribute: "apiName", fault: "reserved" },
    { why: "what makes a promise", attribute: "then", fault: "reserved" },
    { why: "what every object has", attribute: "toString", fault: "reserved" },
    { why: "endpoints 9", attribute: "bad-name", fault: "identifier" },
    { why: "endpoints 9", attribute: "_private", fault: "identifier" },
    { why: "endpoints 9", attribute: "class", fault: "identifier" },
  ])("refuses a model called $attribute ($why)", ({ attribute, fault }) => {
    const models: Record<string, typeof ear> = { ear, [attribute]: ear };
    const make = () => catalogue({ adapter: recordingAdapter(), models });
    expect(make).toThrow(expect.objectContaining({ code: "endpoints/model-name", attribute, fault }));
    expect(make).toThrow(`invalid model attribute "${attribute}"`);
  });

  it("fails a read as long as the settings are wrong, and not after", () => {
    const { adapter, models } = exampleCatalogue();
    adapter.refuseWith(new Error("timeout"));
    expect(() => models.chat).toThrow("timeout");
    expect(() => models.chat).toThrow("timeout");
    adapter.refuseWith(undefined);
    expect(models.chat).toBe(models.chat);
    expect(adapter.described).toHaveLength(1);
  });

  it("names an unknown model and those it has", () => {
    const { models } = exampleCatalogue();
    expect((): unknown => Reflect.get(models, "chta")).toThrow(
      expect.objectContaining({
        code: "endpoints/unknown-model",
        apiName: "example",
        attribute: "chta",
        message: 'The catalogue `example` has no model "chta"; it has `chat`, `ear`',
      }),
    );
  });

  it("can be awaited, printed and asked what it has, as any object", async () => {
    const { adapter, models } = exampleCatalogue();
    await expect(Promise.resolve(models)).resolves.toBe(models);
    expect(Object.prototype.toString.call(models)).toBe("[object Object]");
    expect("chta" in models).toBe(false);
    expect(Object.hasOwn(models, "chat")).toBe(true);
    expect(adapter.described).toEqual([]);
  });

  it("can be without models", () => {
    const models = catalogue({ adapter: recordingAdapter(), models: {} });
    expect(models.models).toEqual([]);
    expect((): unknown => Reflect.get(models, "chat")).toThrow("it has no models");
  });
});
