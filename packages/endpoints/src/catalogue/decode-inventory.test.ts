import { describe, expect, it } from "vitest";

import { decodeInventory } from "./decode-inventory.ts";
import { encodeInventory } from "./inventory.ts";

const chat = '{"endpoint_type": "llm", "model_id": "m", "max_context_tokens": 8}';
const transcription = '{"endpoint_type": "transcription", "model_id": "m"}';
const provider = (fields: string) => `{"base_url": "https://host/v1", "api_key_env": "KEY", ${fields}}`;
const envelope = (providers: string) => `{"schema_version": 1, "providers": ${providers}}`;
const groq = (fields: string) => envelope(`{"groq": ${provider(fields)}}`);
const models = (text: string) => groq(`"models": ${text}`);

const value = "endpoints/catalogue-value";
const missing = "endpoints/catalogue-missing-field";
const unknown = "endpoints/catalogue-unknown-field";
const wrongName = "endpoints/catalogue-name";
const duplicate = "endpoints/catalogue-duplicate-key";
const syntax = "endpoints/catalogue-syntax";

describe("decodeInventory", () => {
  it.each([
    {
      why: "a missing field before an unknown one",
      json: envelope('{"a": {"base_url": 1, "key": 2}}'),
      code: missing,
      fields: ["api_key_env", "models"],
    },
    {
      why: "an unknown field before a wrong value",
      json: envelope('{"a": {"base_url": 1, "api_key_env": 1, "models": {}, "z": 1, "key": 1}}'),
      code: unknown,
      fields: ["key", "z"],
    },
    { why: "a name before its value", json: envelope('{"a": {"base_url": 1}, "b-c": 2}'), code: missing },
    {
      why: "the URL's type before a timeout",
      json: envelope('{"a": {"timeout_s": 0, "api_key_env": " ", "base_url": 1, "models": {}}}'),
      path: "providers.a.base_url",
    },
    {
      why: "the credential variable before a timeout",
      json: envelope('{"a": {"timeout_s": 0, "api_key_env": " ", "base_url": "file:x", "models": {}}}'),
      path: "providers.a.api_key_env",
    },
    {
      why: "a timeout before stream",
      json: envelope(
        '{"a": {"stream": 0, "timeout_s": 0, "api_key_env": "K", "base_url": "file:x", "models": {}}}',
      ),
      path: "providers.a.timeout_s",
    },
    {
      why: "stream before models",
      json: envelope('{"a": {"models": [], "stream": 0, "api_key_env": "K", "base_url": "file:x"}}'),
      path: "providers.a.stream",
    },
    {
      why: "a model's name before its value",
      json: envelope('{"a": {"api_key_env": "K", "base_url": "file:x", "models": {"b-c": 1}}}'),
      code: wrongName,
      path: "providers.a.models",
    },
    {
      why: "a model's fields before the URL's rules",
      json: envelope(
        '{"a": {"api_key_env": "K", "base_url": "file:x", "models": {"then": {"endpoint_type": "llm"}}}}',
      ),
      code: missing,
      path: "providers.a.models.then",
    },
    {
      why: "the URL's rules before a reserved model name",
      json: envelope(`{"a": {"api_key_env": "K", "base_url": "file:x", "models": {"then": ${chat}}}}`),
      code: value,
      path: "providers.a.base_url",
    },
    {
      why: "a name that stands twice before any rule",
      json: '{"schema_version": 2, "colour": {"a": 1, "a": 1}}',
      code: duplicate,
      path: "colour.a",
    },
  ])("reports $why", ({ json, why: _why, ...expected }) => {
    expect(refusalOf(() => decodeInventory(json))).toMatchObject(expected);
  });

  it("says where the value stands, to the column", () => {
    const json =
      '{\n  "schema_version": 1,\r\n  "providers": {\r    "größe": { "base_url": "https://h", "api_key_env":\n7, "models": {} } } }';
    expect(refusalOf(() => decodeInventory(json))).toMatchObject({
      path: "providers.größe.api_key_env",
      line: 5,
      column: 1,
      message: "5:1: `providers.größe.api_key_env` must be text that is not blank",
    });
  });

  it("points at the refused name", () => {
    expect(refusalOf(() => decodeInventory(models(`{"ok": ${chat},\n "then": ${chat}}`)))).toMatchObject({
      code: wrongName,
      attribute: "then",
      fault: "reserved",
      line: 2,
      column: 2,
    });
  });

  it("endpoints 35: takes a provider with only the required fields, and writes its defaults", () => {
    const inventory = decodeInventory(models(`{"chat": ${chat}, "ear": ${transcription}}`));
    expect(inventory).toEqual({
      providers: {
        groq: {
          baseUrl: "https://host/v1",
          apiKeyEnv: "KEY",
          timeoutSeconds: 60,
          stream: true,
          models: {
            chat: { endpointType: "llm", modelId: "m", maxContextTokens: 8, acceptsImages: false },
            ear: { endpointType: "transcription", modelId: "m" },
          },
        },
      },
    });
    const json = encodeInventory(inventory);
    expect(json).toContain('"timeout_s": 60.0');
    expect(json).toContain('"stream": true');
    expect(json).toContain('"accepts_images": false');
    expect(decodeInventory(json)).toEqual(inventory);
  });

  it("endpoints 56: takes a model that accepts images, and reads an absent field as false", () => {
    const images = (field: string) =>
      decodeInventory(
        models(`{"m": {"endpoint_type": "llm", "model_id": "m", "max_context_tokens": 8${field}}}`),
      ).providers["groq"]?.models["m"];
    expect(images(', "accepts_images": true')).toMatchObject({ acceptsImages: true });
    expect(images("")).toMatchObject({ acceptsImages: false });
  });

  it.each([
    { spelling: "60", seconds: 60 },
    { spelling: "0.25", seconds: 0.25 },
    { spelling: "6e1", seconds: 60 },
  ])("takes a timeout spelled $spelling", ({ spelling, seconds }) => {
    const inventory = decodeInventory(groq(`"models": {}, "timeout_s": ${spelling}`));
    expect(inventory.providers["groq"]?.timeoutSeconds).toBe(seconds);
  });

  it("takes an inventory without providers, and a provider without models", () => {
    expect(decodeInventory(envelope("{}"))).toEqual({ providers: {} });
    expect(decodeInventory(models("{}")).providers["groq"]?.models).toEqual({});
  });

  it("keeps the order of the file and gives frozen data", () => {
    const inventory = decodeInventory(models(`{"z": ${chat}, "a": ${chat}, "größe": ${chat}}`));
    expect(Object.keys(inventory.providers["groq"]?.models ?? {})).toEqual(["z", "a", "größe"]);
    expect(Object.isFrozen(inventory.providers["groq"]?.models)).toBe(true);
  });

  it("reads bytes", () => {
    const json = envelope(`{"größe": ${provider('"models": {}')}}`);
    expect(decodeInventory(new TextEncoder().encode(json))).toEqual(decodeInventory(json));
  });

  it.each([
    { why: "a byte-order mark", bytes: [0xef, 0xbb, 0xbf, 0x7b, 0x7d], line: 1, column: 1 },
    { why: "a byte that is no UTF-8", bytes: [0x7b, 0x0a, 0xc3, 0xa9, 0xff, 0x7d], line: 2, column: 2 },
    { why: "a character that is cut off", bytes: [0x7b, 0x0a, 0xe2, 0x82], line: 2, column: 1 },
    { why: "an encoded surrogate", bytes: [0xed, 0xa0, 0x80], line: 1, column: 1 },
    { why: "UTF-16", bytes: [0xff, 0xfe, 0x7b, 0x00], line: 1, column: 1 },
  ])("refuses $why", ({ bytes, line, column }) => {
    expect(refusalOf(() => decodeInventory(Uint8Array.from(bytes)))).toMatchObject({
      code: syntax,
      line,
      column,
    });
  });
});

function refusalOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was refused");
}
