import { inspect } from "node:util";
import { withOpenrouterPolicy } from "@roboz/core";
import { afterEach, describe, expect, it, vi } from "vitest";

import { scriptedProvider } from "../testing/index.ts";
import { chatEndpoint, OpenAICompatibleAdapter, transcriptionEndpoint } from "./adapter.ts";
import { openAiClient } from "./client.ts";

const model = "model-1";
const chat = { model, maxContextTokens: 8 };

afterEach(() => {
  vi.unstubAllEnvs();
});

/** Makes clients that need no key, and counts them. */
function countedClients() {
  const close = vi.fn();
  const createClient = vi.fn((settings: Parameters<typeof openAiClient>[0]) =>
    Promise.resolve({ ...openAiClient(settings), close }),
  );
  return { createClient, close };
}

describe("OpenAICompatibleAdapter", () => {
  it("describes endpoints on OpenAI's own service unless told otherwise", () => {
    const adapter = new OpenAICompatibleAdapter();
    expect(adapter).toMatchObject({
      apiName: "openai",
      baseUrl: "https://api.openai.com/v1",
      apiKeyEnv: "OPENAI_API_KEY",
      timeoutMs: 60_000,
    });
    expect(adapter.chatEndpoint(chat)).toMatchObject({
      type: "llm",
      dependencyId: "model:openai:model-1",
      maxContextTokens: 8,
      stream: true,
      acceptsImages: false,
      extraBody: undefined,
    });
    expect(adapter.transcriptionEndpoint({ model })).toMatchObject({
      type: "transcription",
      dependencyId: "model:openai:model-1",
      temperature: 0,
    });
  });

  it("hands every setting on to the endpoint", () => {
    const adapter = new OpenAICompatibleAdapter({ apiName: "own" });
    const settings = { ...chat, stream: false, acceptsImages: true, extraBody: { seed: 1 } };
    expect(adapter.chatEndpoint(settings)).toMatchObject({
      apiName: "own",
      stream: false,
      acceptsImages: true,
      extraBody: { seed: 1 },
    });
  });

  it("endpoints 10: takes a timeout of 0, and refuses it when an endpoint is described", () => {
    const adapter = new OpenAICompatibleAdapter({ timeoutMs: 0 });
    const expected: unknown = expect.objectContaining({
      code: "endpoints/endpoint-settings",
      settings: ["timeoutMs"],
    });
    expect(() => adapter.chatEndpoint(chat)).toThrow(expected);
    expect(() => adapter.transcriptionEndpoint({ model })).toThrow(expected);
  });

  it.each([
    { why: "endpoints 11: a timeout of NaN", service: { timeoutMs: NaN }, settings: ["timeoutMs"] },
    { why: "endpoints 11: a file URL", service: { baseUrl: "file:///models/x" }, settings: ["baseUrl"] },
    {
      why: "endpoints 11: a user and a password",
      service: { baseUrl: "https://u:p@host" },
      settings: ["baseUrl"],
    },
    { why: "endpoints 11: an empty model", endpoint: { model: "" }, settings: ["model"] },
    {
      why: "endpoints 11: a context limit of 0",
      endpoint: { maxContextTokens: 0 },
      settings: ["maxContextTokens"],
    },
    {
      why: "endpoints 12: a context limit of 1.5",
      endpoint: { maxContextTokens: 1.5 },
      settings: ["maxContextTokens"],
    },
    { why: "an infinite timeout", service: { timeoutMs: Infinity }, settings: ["timeoutMs"] },
    {
      why: "blank service settings, before others",
      service: { apiName: " ", apiKeyEnv: "", timeoutMs: 0 },
      settings: ["apiName", "apiKeyEnv"],
    },
    {
      why: "a blank model before blank service settings",
      service: { apiName: " " },
      endpoint: { model: " " },
      settings: ["model"],
    },
    {
      why: "the context limit first of all",
      service: { apiName: " " },
      endpoint: { model: " ", maxContextTokens: -1 },
      settings: ["maxContextTokens"],
    },
    {
      why: "the timeout before the base URL",
      service: { timeoutMs: -1, baseUrl: "x" },
      settings: ["timeoutMs"],
    },
  ])("refuses $why, and makes no client", ({ service, endpoint, settings }) => {
    const { createClient } = countedClients();
    const adapter = new OpenAICompatibleAdapter({ ...service, createClient });
    expect(() => adapter.chatEndpoint({ ...chat, ...endpoint })).toThrow(
      expect.objectContaining({ code: "endpoints/endpoint-settings", settings }),
    );
    expect(createClient).not.toHaveBeenCalled();
  });

  it("endpoints 11: refuses request options that the framework owns, and makes no client", () => {
    const { createClient } = countedClients();
    const adapter = new OpenAICompatibleAdapter({ createClient });
    expect(() => adapter.chatEndpoint({ ...chat, extraBody: { model: "x" } })).toThrow("model");
    expect(createClient).not.toHaveBeenCalled();
  });

  it("endpoints 13: shows the key nowhere", () => {
    const adapter = new OpenAICompatibleAdapter({ apiKey: "sk-secret" });
    const endpoint = adapter.chatEndpoint(chat);
    const ear = adapter.configured({ apiKey: "sk-secret", timeoutMs: 1 }).transcriptionEndpoint({ model });
    for (const shown of [adapter, endpoint, ear, endpoint.redactedMetadata(), ear.redactedMetadata()]) {
      expect(inspect(shown, { depth: null, showHidden: true })).not.toContain("sk-secret");
      expect(JSON.stringify(shown)).not.toContain("sk-secret");
    }
  });

  it("endpoints 14: names the variable that is missing, and finds it once it is set", async () => {
    vi.stubEnv("OPENAI_API_KEY", "");
    const endpoint = new OpenAICompatibleAdapter().chatEndpoint(chat);
    const expected = { code: "endpoints/missing-credential", envName: "OPENAI_API_KEY" };
    await expect(endpoint.materialize()).rejects.toMatchObject(expected);
    vi.stubEnv("OPENAI_API_KEY", "sk-test");
    await expect(endpoint.materialize()).resolves.toBe(endpoint);
  });

  it("endpoints 15: refuses a key that is ciphertext", async () => {
    const adapter = new OpenAICompatibleAdapter({ apiKey: "roboz:v1:opaque" });
    await expect(adapter.chatEndpoint(chat).materialize()).rejects.toThrow(
      "pass a usable `apiKey` explicitly",
    );
  });

  it("endpoints 17: uses an explicit key, whatever the environment has", async () => {
    vi.stubEnv("OPENAI_API_KEY", "sk-environment");
    const provider = await scriptedProvider([], { models: [model] });
    const adapter = new OpenAICompatibleAdapter({ apiKey: "sk-explicit", baseUrl: provider.baseUrl });
    const client = await adapter.chatEndpoint(chat).client.get();
    await client.listModels({ signal: AbortSignal.timeout(10_000) });
    await client.close();
    await provider.close();
    expect(provider.requests.map(({ headers }) => headers["authorization"])).toEqual(["Bearer sk-explicit"]);
  });

  it("does not look further when an explicit key is empty", async () => {
    vi.stubEnv("OPENAI_API_KEY", "sk-environment");
    const endpoint = new OpenAICompatibleAdapter({ apiKey: "" }).chatEndpoint(chat);
    await expect(endpoint.materialize()).rejects.toMatchObject({ fault: "empty", envName: undefined });
  });

  it("endpoints 18: makes one client for an endpoint and its policy copy", async () => {
    const { createClient } = countedClients();
    const endpoint = new OpenAICompatibleAdapter({ createClient }).chatEndpoint(chat);
    const copy = await withOpenrouterPolicy(endpoint).materialize();
    expect(await copy.client.get()).toBe(await endpoint.client.get());
    expect(createClient).toHaveBeenCalledTimes(1);
  });

  it("endpoints 19: closes the shared client once, and refuses it then", async () => {
    const { createClient, close } = countedClients();
    const endpoint = await new OpenAICompatibleAdapter({ createClient }).chatEndpoint(chat).materialize();
    await withOpenrouterPolicy(endpoint).close();
    await endpoint.close();
    expect(close).toHaveBeenCalledTimes(1);
    await expect(endpoint.materialize()).rejects.toThrow("closed");
  });

  it("gives each described endpoint its own client", async () => {
    const { createClient } = countedClients();
    const adapter = new OpenAICompatibleAdapter({ createClient });
    const [one, other] = [adapter.chatEndpoint(chat), adapter.chatEndpoint(chat)];
    expect(await one.client.get()).not.toBe(await other.client.get());
  });

  it("hands the settings of the service to its clients", async () => {
    const { createClient } = countedClients();
    const baseUrl = "http://localhost:1/v1";
    const adapter = new OpenAICompatibleAdapter({ baseUrl, apiKey: "sk-one", timeoutMs: 5, createClient });
    await adapter.chatEndpoint(chat).materialize();
    await adapter.configured({ apiKey: "sk-two", timeoutMs: 6 }).chatEndpoint(chat).materialize();
    expect(createClient.mock.calls).toEqual([
      [{ baseUrl, apiKey: "sk-one", timeoutMs: 5 }],
      [{ baseUrl, apiKey: "sk-two", timeoutMs: 6 }],
    ]);
  });
});

describe("chatEndpoint and transcriptionEndpoint", () => {
  it("describe an endpoint in one call", () => {
    const service = { apiName: "own", baseUrl: "http://localhost:1/v1", apiKey: "sk-secret" };
    expect(chatEndpoint({ ...service, ...chat, acceptsImages: true })).toMatchObject({
      dependencyId: "model:own:model-1",
      acceptsImages: true,
    });
    expect(transcriptionEndpoint({ ...service, model })).toMatchObject({
      dependencyId: "model:own:model-1",
      type: "transcription",
    });
  });
});
