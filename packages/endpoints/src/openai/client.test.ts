import { inspect } from "node:util";
import { beforeEach, describe, expect, it, vi } from "vitest";

import { ask, askInPieces, chatRequest, clientOf, noSignal, testKey } from "./__fixtures__/asking.ts";
import { openAiClient, type OpenAIClient } from "./client.ts";

const sdk = vi.hoisted(() => ({ loads: 0 }));
vi.mock("openai", async (importOriginal) => {
  sdk.loads += 1;
  return importOriginal();
});

describe("the SDK", () => {
  beforeEach(() => {
    vi.resetModules();
    sdk.loads = 0;
  });

  it("is loaded by a client's first use, not by importing the package or describing a client", async () => {
    const { openAiClient: describeClient } = await import("../index.ts");
    const client = describeClient({ apiKey: testKey });
    expect(sdk.loads).toBe(0);

    await client.prepare();
    expect(sdk.loads).toBe(1);
  });
});

describe("a client's settings", () => {
  it.each([
    { why: "a base URL that is no web address", settings: { baseUrl: "file:///models" }, setting: "baseUrl" },
    {
      why: "a base URL with a password",
      settings: { baseUrl: "https://u:secret@host/v1" },
      setting: "baseUrl",
    },
    {
      why: "a header that no request can hold",
      settings: { headers: { "x-secret": "a\nb" } },
      setting: "headers",
    },
    { why: "no time", settings: { timeoutMs: 0 }, setting: "timeoutMs" },
    { why: "a time that is no number", settings: { timeoutMs: Number.NaN }, setting: "timeoutMs" },
  ])("are refused at once for $why", ({ settings, setting }) => {
    const describeClient = () => openAiClient({ apiKey: testKey, ...settings });

    expect(describeClient).toThrow(expect.objectContaining({ code: "endpoints/client-settings", setting }));
    expect(describeClient).not.toThrow(/secret@|a\nb/);
  });

  it("may be as long a time as a number can be", async () => {
    const { client } = await clientOf(["Hi."], { timeoutMs: Number.MAX_VALUE });

    expect(await ask(client)).toMatchObject({ text: "Hi." });
  });

  it("are not shown when the client is printed", () => {
    const client = openAiClient({ apiKey: testKey, headers: { "x-secret": "hidden" } });

    expect(inspect(client, { depth: 9, showHidden: true })).not.toMatch(/sk-test|hidden/);
    expect(JSON.stringify(client)).not.toMatch(/sk-test|hidden/);
  });
});

describe("a client's key", () => {
  it.each([
    { why: "is empty", apiKey: "  ", fault: "empty" },
    { why: "is ciphertext (endpoints 15)", apiKey: "roboz:v1:opaque", fault: "encrypted" },
    { why: "does not fit into a header", apiKey: `${testKey}\nX: y`, fault: "malformed" },
    { why: "comes empty from a function", apiKey: () => "", fault: "empty" },
  ])("is not sent when it $why", async ({ apiKey, fault }) => {
    const { client, provider } = await clientOf([], { apiKey });

    const asked = ask(client);

    await expect(asked).rejects.toMatchObject({ code: "endpoints/missing-credential", fault });
    await expect(asked).rejects.toThrow(/explicitly/);
    await expect(asked).rejects.not.toThrow(/sk-test|opaque/);
    expect(provider.requests).toEqual([]);
  });

  it("is found by a function once, also for uses at the same time", async () => {
    const findKey = vi.fn(() => Promise.resolve(` ${testKey}\n`));
    const { client, provider } = await clientOf(["One.", "Two.", "Three."], { apiKey: findKey });
    expect(findKey).not.toHaveBeenCalled();

    await Promise.all([ask(client), ask(client)]);
    await ask(client);

    expect(findKey).toHaveBeenCalledTimes(1);
    expect(new Set(provider.requests.map(({ headers }) => headers["authorization"]))).toEqual(
      new Set([`Bearer ${testKey}`]),
    );
  });

  it("is looked for again after a failure, which is passed on as it is", async () => {
    const failure = new Error("the vault is locked");
    const findKey = vi.fn<() => string>().mockImplementationOnce(() => {
      throw failure;
    });
    findKey.mockImplementation(() => testKey);
    const { client } = await clientOf(["Hi."], { apiKey: findKey });

    await expect(ask(client)).rejects.toBe(failure);
    expect(await ask(client)).toMatchObject({ text: "Hi." });
  });
});

describe("a closed client", () => {
  it.each([
    { use: "a request", work: (client: OpenAIClient) => ask(client) },
    { use: "a stream", work: (client: OpenAIClient) => askInPieces(client) },
    {
      use: "a list of models",
      work: (client: OpenAIClient) => client.listModels({ signal: noSignal }),
    },
    { use: "getting ready", work: (client: OpenAIClient) => client.prepare() },
  ])("refuses $use, builds nothing, and may be closed again", async ({ work }) => {
    const findKey = vi.fn(() => testKey);
    const { client, provider } = await clientOf([], { apiKey: findKey });

    await client.close();
    await client.close();

    await expect(work(client)).rejects.toMatchObject({ code: "endpoints/client-closed" });
    expect(findKey).not.toHaveBeenCalled();
    expect(provider.requests).toEqual([]);
  });

  it("ends the requests that are under way", async () => {
    const { client, provider } = await clientOf([{ delayMs: 30_000 }, { delayMs: 30_000 }]);

    const asked = [ask(client), askInPieces(client, chatRequest())].map((work) =>
      expect(work).rejects.toMatchObject({ code: "endpoints/client-closed" }),
    );
    const requests = await Promise.all([provider.received(1), provider.received(2)]);
    await client.close();

    await Promise.all(asked);
    expect(await Promise.all(requests.map(({ ended }) => ended))).toEqual(["abandoned", "abandoned"]);
  });
});
