import { inspect } from "node:util";
import { describe, expect, it } from "vitest";

import { ScriptedClient } from "./__fixtures__/scripted-client.ts";
import { endpointFacts, isEndpointLike, LLMEndpoint, LLMEndpointRoute, selectEndpoint } from "./endpoint.ts";
import { withOpenrouterPolicy, withRequestOptions } from "./endpoint-copies.ts";
import { MockLLMEndpoint } from "./mock.ts";
import { ModelSelector } from "./model-selector.ts";
import { TranscriptionEndpoint } from "./transcription-endpoint.ts";

const client = new ScriptedClient([]);
const described = { client, apiName: "groq", modelName: "m" };
const refused: unknown = expect.objectContaining({ code: "core/llm-client" });
/** What is printed of an endpoint. */
const shownOf = (endpoint: object): object => Object.fromEntries(Object.entries(endpoint));

describe("an endpoint", () => {
  it("has the defaults of its kind", () => {
    const { messageMapper } = new LLMEndpoint(described);
    expect(shownOf(new LLMEndpoint(described))).toEqual({
      type: "llm",
      kind: "model_endpoint",
      apiName: "groq",
      modelName: "m",
      temperature: 0.7,
      maxContextTokens: 128_000,
      outputFormat: "text",
      protocol: "json",
      stream: true,
      acceptsImages: false,
      language: null,
      prices: undefined,
      messageMapper,
      rateLimitError: undefined,
      contextLengthError: undefined,
    });
    const parts = { content: "c", images: [] };
    expect(messageMapper({ role: "error", ...parts })).toEqual({ role: "user", ...parts });
    expect(messageMapper({ role: "system", model: "m", ...parts })).toEqual({ role: "system", ...parts });
  });

  it.each([
    { why: "a blank service", change: { apiName: " " } },
    { why: "a blank model", change: { modelName: "" } },
    { why: "a temperature above 2", change: { temperature: 2.1 } },
    { why: "a temperature below 0", change: { temperature: -0.1 } },
    { why: "a temperature that is no number", change: { temperature: Number.NaN } },
    { why: "a context of 0", change: { maxContextTokens: 0 } },
    { why: "half a token", change: { maxContextTokens: 1.5 } },
    { why: "a negative price", change: { prices: { inputPerMillion: -1 } } },
    { why: "a price that is not finite", change: { prices: { transcriptionPerHour: Infinity } } },
    { why: "core 89: a temperature in the options", change: { extraBody: { temperature: 1 } } },
    { why: "core 89: NaN in the options", change: { extraBody: { provider: [{ a: Number.NaN }] } } },
  ])("is refused with $why", ({ change }) => {
    expect(() => new LLMEndpoint({ ...described, ...change })).toThrow(refused);
  });

  it("is refused with a protocol or format that nobody knows", () => {
    // @ts-expect-error -- untyped callers may give anything
    expect(() => new LLMEndpoint({ ...described, protocol: "xml" })).toThrow(refused);
    // @ts-expect-error -- untyped callers may give anything
    expect(() => new LLMEndpoint({ ...described, outputFormat: "yaml" })).toThrow(refused);
  });

  it("takes the ends of its ranges", () => {
    expect(new LLMEndpoint({ ...described, temperature: 2, maxContextTokens: 1 })).toMatchObject({
      temperature: 2,
      maxContextTokens: 1,
    });
    expect(new LLMEndpoint({ ...described, temperature: 0 }).temperature).toBe(0);
  });

  it("cannot be changed", () => {
    const endpoint = new LLMEndpoint(described);
    expect(() => Object.assign(endpoint, { modelName: "other" })).toThrow(TypeError);
  });

  it("shows neither its client nor its options when it is printed or turned to JSON", () => {
    const secretive = Object.assign(new ScriptedClient([]), { apiKey: "sk-secret" });
    const endpoint = new LLMEndpoint({ ...described, client: secretive, extraBody: { user: "sk-secret" } });
    expect(endpoint.extraBody).toEqual({ user: "sk-secret" });
    const shown = [inspect(endpoint, { depth: 9 }), JSON.stringify(endpoint), endpoint.redactedMetadata()];
    expect(JSON.stringify(shown)).not.toContain("secret");
    expect(endpoint.redactedMetadata()).toEqual({ apiName: "groq", modelName: "m", endpointType: "llm" });
    expect(endpoint.dependencyId).toBe("model:groq:m");
  });

  it("is copied with other settings and the same client", () => {
    const endpoint = new LLMEndpoint({ ...described, extraBody: { a: 1 }, temperature: 1 });
    const copy = endpoint.copy({ protocol: "tools" });
    expect(shownOf(copy)).toEqual({ ...shownOf(endpoint), protocol: "tools" });
    expect(copy.client).toBe(endpoint.client);
    expect(copy.extraBody).toEqual({ a: 1 });
  });
});

describe("a client that is made when it is first used", () => {
  it("is made once, also when several ask at the same time", async () => {
    let made = 0;
    const endpoint = new LLMEndpoint({
      ...described,
      client: async () => ((made += 1), Promise.resolve(client)),
    });
    expect(made).toBe(0);
    const copy = withRequestOptions(endpoint, { a: 1 });
    const [first] = await Promise.all([endpoint.materialize(), copy.materialize(), endpoint.client.get()]);
    expect(first).toBe(endpoint);
    expect(made).toBe(1);
    expect(await copy.client.get()).toBe(client);
  });

  it("is tried again after a build that failed", async () => {
    let isReady = false;
    const missing = new Error("no key");
    const build = (): ScriptedClient => {
      if (isReady) return client;
      throw missing;
    };
    const endpoint = new LLMEndpoint({ ...described, client: build });
    await expect(endpoint.materialize()).rejects.toBe(missing);
    isReady = true;
    expect(await endpoint.materialize()).toBe(endpoint);
  });

  it("is closed once, and then refuses every use of the endpoint and its copies", async () => {
    const own = new ScriptedClient([]);
    const endpoint = new LLMEndpoint({ ...described, client: () => own });
    await endpoint.materialize();
    const copy = endpoint.copy({});
    await copy.close();
    await endpoint.close();
    expect(own.closed).toBe(1);
    await expect(endpoint.materialize()).rejects.toMatchObject({ code: "core/llm-client" });
  });

  it("is not made just to be closed", async () => {
    let made = 0;
    const endpoint = new LLMEndpoint({ ...described, client: () => ((made += 1), client) });
    await endpoint.close();
    expect(made).toBe(0);
    await expect(endpoint.materialize()).rejects.toMatchObject({ code: "core/llm-client" });
  });

  it("is closed when it is made after all", async () => {
    const own = new ScriptedClient([]);
    let finish: (made: ScriptedClient) => void = () => undefined;
    const building = new Promise<ScriptedClient>((resolve) => {
      finish = resolve;
    });
    const endpoint = new LLMEndpoint({ ...described, client: () => building });
    const using = endpoint.materialize();
    const closing = endpoint.close();
    finish(own);
    await expect(using).rejects.toMatchObject({ code: "core/llm-client" });
    await closing;
    expect(own.closed).toBe(1);
  });
});

describe("a route", () => {
  it("is asked again for each selection", () => {
    const [one, other] = [new MockLLMEndpoint([]), new LLMEndpoint(described)];
    let chosen: MockLLMEndpoint | LLMEndpoint = one;
    const route = new LLMEndpointRoute(() => chosen);
    expect(selectEndpoint(route)).toBe(one);
    expect(endpointFacts(route)).toEqual({
      apiName: "mock",
      modelName: "mock",
      maxContextTokens: 128_000,
      outputFormat: "mock",
    });
    chosen = other;
    expect(selectEndpoint(route)).toBe(other);
    expect(endpointFacts(route)).toMatchObject({ apiName: "groq", outputFormat: "text", temperature: 0.7 });
  });

  it.each([
    { why: "nothing", chosen: undefined },
    { why: "another route", chosen: new LLMEndpointRoute(() => new MockLLMEndpoint([])) },
    {
      why: "an endpoint of another kind",
      chosen: new TranscriptionEndpoint({ ...described, client: speech() }),
    },
    { why: "a plain object", chosen: { apiName: "x" } },
  ])("cannot choose $why", ({ chosen }) => {
    // @ts-expect-error -- untyped callers may choose anything
    const route = new LLMEndpointRoute(() => chosen);
    expect(() => selectEndpoint(route)).toThrow(refused);
  });

  it("chooses what speaks `tools` alone when it promises that", () => {
    const native = new LLMEndpoint({ ...described, protocol: "tools" });
    let chosen = native;
    const route = new LLMEndpointRoute(() => chosen, { protocol: "tools" });
    expect(route.select()).toBe(native);
    expect(withRequestOptions(route, { seed: 1 }).protocol).toBe("tools");
    chosen = new LLMEndpoint(described);
    expect(() => route.select()).toThrow(refused);
    expect(new LLMEndpointRoute(() => native)).toMatchObject({ protocol: "json" });
  });

  it("is made of a function", () => {
    // @ts-expect-error -- untyped callers may give anything
    expect(() => new LLMEndpointRoute(new MockLLMEndpoint([]))).toThrow(refused);
  });

  it.each([
    { candidate: new LLMEndpoint(described), is: true },
    { candidate: new MockLLMEndpoint([]), is: true },
    { candidate: new LLMEndpointRoute(() => new MockLLMEndpoint([])), is: true },
    { candidate: new TranscriptionEndpoint({ ...described, client: speech() }), is: false },
    { candidate: "openai", is: false },
    { candidate: null, is: false },
  ])("tells whether something can be asked ($is)", ({ candidate, is }) => {
    expect(isEndpointLike(candidate)).toBe(is);
  });
});

function speech() {
  return {
    transcribe: () => Promise.resolve({ text: "" }),
    listModels: () => Promise.resolve([]),
    close: () => undefined,
  };
}

describe("a choice among models", () => {
  const one = new LLMEndpoint(described);
  const other = new LLMEndpoint({ ...described, modelName: "n" });

  it("has a route for `tools` when all its models speak it", () => {
    const native = new LLMEndpoint({ ...described, protocol: "tools" });
    const scripted = new MockLLMEndpoint([], { protocol: "tools" });
    expect(new ModelSelector([native, scripted], native).route.protocol).toBe("tools");
    expect(new ModelSelector([native, other], native).route.protocol).toBe("json");
  });

  it("starts with its default, and changes for whoever holds its route", () => {
    const selector = new ModelSelector([one, other], other);
    expect([...selector.models.keys()]).toEqual(["model:groq:m", "model:groq:n"]);
    expect(selectEndpoint(selector.route)).toBe(other);
    selector.select("model:groq:m");
    expect(selectEndpoint(selector.route)).toBe(one);
    expect(selector.selectedId()).toBe("model:groq:m");
  });

  it("keeps its choice when a model is unknown", () => {
    const selector = new ModelSelector([one, other], one);
    expect(() => {
      selector.select("model:groq:x");
    }).toThrow(refused);
    expect(selectEndpoint(selector.route)).toBe(one);
  });

  it("is refused with two models of one identity, or a default of its own", () => {
    expect(() => new ModelSelector([one, new LLMEndpoint(described)], one)).toThrow(refused);
    expect(() => new ModelSelector([one], other)).toThrow(refused);
    expect(() => new ModelSelector([], one)).toThrow(refused);
  });
});

describe("request options", () => {
  const endpoint = new LLMEndpoint({ ...described, extraBody: { old: true } });

  it("replace earlier ones in a copy with the same client and identity", () => {
    const copy = withRequestOptions(endpoint, { top_k: 3, provider: { order: ["a"] } });
    expect(copy.extraBody).toEqual({ top_k: 3, provider: { order: ["a"] } });
    expect(copy.client).toBe(endpoint.client);
    expect(copy.dependencyId).toBe(endpoint.dependencyId);
    expect(endpoint.extraBody).toEqual({ old: true });
  });

  it("endpoints 20: are a copy that later changes do not reach", () => {
    const options = { provider: { order: ["a"] } };
    const copy = withRequestOptions(endpoint, options);
    options.provider.order.push("b");
    expect(copy.extraBody).toEqual({ provider: { order: ["a"] } });
  });

  it.each(["messages", "model", "response_format", "stream", "stream_options", "temperature", "tools"])(
    "endpoints 21: may not set `%s`",
    (key) => {
      expect(() => withRequestOptions(endpoint, { [key]: 1 })).toThrow(refused);
      expect(withRequestOptions(endpoint, { nested: { [key]: 1 } }).extraBody).toEqual({
        nested: { [key]: 1 },
      });
    },
  );

  it("names all keys that it may not set, sorted", () => {
    expect(() => withRequestOptions(endpoint, { stream: 1, model: 2, a: 3 })).toThrow(/`model`, `stream`:/);
  });

  const ring: Record<string, unknown> = {};
  ring["self"] = ring;
  it.each([
    { why: "NaN", options: { a: Number.NaN } },
    { why: "an infinity", options: { a: [-Infinity] } },
    { why: "a set", options: { a: new Set() } },
    { why: "a function", options: { a: () => 1 } },
    { why: "a big integer", options: { a: 1n } },
    { why: "a ring", options: ring },
    { why: "a date", options: { a: new Date(0) } },
    { why: "a list", options: [] },
    { why: "a text", options: "x" },
  ])("may not hold $why", ({ options }) => {
    // @ts-expect-error -- untyped callers may give anything
    expect(() => withRequestOptions(endpoint, options)).toThrow(refused);
  });

  it("go with whatever a route chooses later", () => {
    let chosen = endpoint;
    const route = withRequestOptions(new LLMEndpointRoute(() => chosen), { a: 1 });
    chosen = new LLMEndpoint({ ...described, modelName: "later" });
    expect(selectEndpoint(route)).toMatchObject({ modelName: "later", extraBody: { a: 1 } });
  });

  it.each([
    new MockLLMEndpoint([]),
    new TranscriptionEndpoint({ ...described, client: speech() }),
    null,
    "x",
  ])("are refused for what sends no chat request", (given) => {
    // @ts-expect-error -- untyped callers may give anything
    expect(() => withRequestOptions(given, {})).toThrow(refused);
    // @ts-expect-error -- untyped callers may give anything
    expect(() => withOpenrouterPolicy(given)).toThrow(refused);
  });

  it("endpoints 22: ask OpenRouter for throughput and for providers that know every parameter", () => {
    expect(withOpenrouterPolicy(endpoint).extraBody).toEqual({
      provider: { sort: "throughput", require_parameters: true },
    });
    expect(endpoint.extraBody).toEqual({ old: true });
    expect(
      withOpenrouterPolicy(endpoint, { reasoningEffort: "max", ignoredProviders: ["slow"] }).extraBody,
    ).toEqual({
      provider: { sort: "throughput", require_parameters: true, ignore: ["slow"] },
      reasoning: { effort: "max" },
    });
    const route = withOpenrouterPolicy(new LLMEndpointRoute(() => endpoint), { reasoningEffort: "low" });
    expect(selectEndpoint(route)).toMatchObject({ extraBody: { reasoning: { effort: "low" } } });
    // @ts-expect-error -- an effort that nobody knows
    expect(() => withOpenrouterPolicy(endpoint, { reasoningEffort: "extreme" })).toThrow(refused);
  });
});
