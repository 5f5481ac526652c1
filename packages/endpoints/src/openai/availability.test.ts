import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { DependencyFailure, type ExternalDependency, withOpenrouterPolicy } from "@roboz/core";
import { afterEach, describe, expect, it, vi } from "vitest";

import { scriptedProvider, type ScriptedProvider, type ScriptedProviderOptions } from "../testing/index.ts";
import { OpenAICompatibleAdapter } from "./adapter.ts";

const apiKey = "sk-test+key/1";

/** An endpoint whose check is looked at. */
type Checked = ExternalDependency & { readonly close: () => Promise<void> };

const providers: ScriptedProvider[] = [];
const endpoints: Checked[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(endpoints.splice(0).map((endpoint) => endpoint.close()));
  await Promise.all(providers.splice(0).map((provider) => provider.close()));
});

async function provider(options: ScriptedProviderOptions): Promise<ScriptedProvider> {
  const started = await scriptedProvider([], options);
  providers.push(started);
  return started;
}

/** The endpoints of a model at an address, which the test closes. */
function endpointsAt(baseUrl: string, model: string, key: string | undefined = apiKey) {
  const adapter = new OpenAICompatibleAdapter({
    apiName: "own",
    baseUrl,
    apiKey: key,
    apiKeyEnv: "ROBOZ_TEST_KEY",
  });
  const chat = adapter.chatEndpoint({ model, maxContextTokens: 8 });
  const ear = adapter.transcriptionEndpoint({ model });
  endpoints.push(chat, ear);
  return { chat, ear };
}

/** The address of a service on the loopback interface that is not there any more. */
async function deadAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- a server that listens on a port has an address with one
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}/v1`;
}

describe("an endpoint's check", () => {
  it.each([
    { why: "its model", model: "model-1", models: ["model-0", "model-1"] },
    {
      why: "core 106: its model without the route",
      model: "provider/model:nitro",
      models: ["provider/model"],
    },
    { why: "its model in a list that stands alone", model: "m", models: { body: [{ id: "m" }] } },
  ])(
    "finds it available when the service lists $why, and asks for nothing else",
    async ({ model, models }) => {
      const { baseUrl, requests } = await provider({ models });
      const { chat, ear } = endpointsAt(baseUrl, model);
      expect(await chat.check()).toBeNull();
      expect(await ear.check()).toBeNull();
      expect(await chat.check()).toBeNull();
      expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual(Array(3).fill("GET /models"));
    },
  );

  it("finds the model unavailable when the service does not list it", async () => {
    const { baseUrl } = await provider({ models: ["model-10", "model"] });
    const failure = await endpointsAt(baseUrl, "model-1").chat.check();
    expect(failure).toMatchObject({ reasonCode: "model_unavailable" });
    expect(failure?.message).toContain("`model-1`");
  });

  it.each([
    { why: "no list of data", answer: { body: { object: "list" } } },
    { why: "data that is no list", answer: { body: { data: {} } } },
    { why: "entries without an id", answer: { body: { data: [{ name: "model-1" }] } } },
    { why: "a web page", answer: { body: "<h1>model-1</h1>" } },
    { why: "nothing", answer: { body: "" } },
  ])("core 107: makes $why a failure of the protocol, and throws nothing", async ({ answer }) => {
    const { baseUrl } = await provider({ models: answer });
    expect(await endpointsAt(baseUrl, "model-1").chat.check()).toMatchObject({
      reasonCode: "protocol_error",
    });
  });

  it.each([
    { why: "401", status: 401, reasonCode: "authentication_failed" },
    { why: "403", status: 403, reasonCode: "authentication_failed" },
    { why: "500", status: 500, reasonCode: "check_failed" },
    { why: "404", status: 404, reasonCode: "check_failed" },
  ])(
    "makes a status of $why the reason $reasonCode, with the service's words",
    async ({ status, reasonCode }) => {
      const { baseUrl } = await provider({ models: { status, error: { message: "Not for you" } } });
      const failure = await endpointsAt(baseUrl, "model-1").chat.check();
      expect(failure).toMatchObject({ reasonCode });
      expect(failure?.message).toContain("Not for you");
      expect(failure?.message).toContain(String(status));
    },
  );

  it("is refused by a service that does not know the key", async () => {
    const { baseUrl } = await provider({ apiKey: "sk-other" });
    expect(await endpointsAt(baseUrl, "model-1").chat.check()).toMatchObject({
      reasonCode: "authentication_failed",
    });
  });

  it.each([
    { why: "as it is", shown: apiKey },
    { why: "URL-encoded", shown: encodeURIComponent(apiKey) },
    { why: "in base64", shown: Buffer.from(apiKey).toString("base64") },
  ])("RD-01, RD-02: does not repeat the key that the service shows $why", async ({ shown }) => {
    const { baseUrl } = await provider({ models: { status: 401, error: { message: `Bad key ${shown}` } } });
    const failure = await endpointsAt(baseUrl, "model-1").chat.check();
    expect(failure?.message).toContain("Bad key [redacted]");
    expect(String(failure)).not.toContain(shown);
  });

  it("says which variable has no key, and finds the key once it is set", async () => {
    vi.stubEnv("ROBOZ_TEST_KEY", "");
    const { baseUrl } = await provider({ models: ["model-1"] });
    const adapter = new OpenAICompatibleAdapter({ baseUrl, apiKeyEnv: "ROBOZ_TEST_KEY" });
    const chat = adapter.chatEndpoint({ model: "model-1", maxContextTokens: 8 });
    endpoints.push(chat);
    const failure = await chat.check();
    expect(failure).toMatchObject({ reasonCode: "missing_credentials" });
    expect(failure?.message).toContain("`ROBOZ_TEST_KEY`");
    vi.stubEnv("ROBOZ_TEST_KEY", "sk-1");
    expect(await chat.check()).toBeNull();
  });

  it("core 108: tells that nothing answers at the address, with both texts", async () => {
    const failure = await endpointsAt(await deadAddress(), "model-1").chat.check();
    expect(failure).toMatchObject({ reasonCode: "connection_failed" });
    expect(failure?.message).toMatch(/The connection to the service failed\n[^]*Caused by: .*ECONNREFUSED/);
  });

  it("tells that a service breaks off", async () => {
    const server = createServer((request) => {
      request.socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- a server that listens on a port has an address with one
    const { port } = server.address() as AddressInfo;
    const failure = await endpointsAt(`http://127.0.0.1:${port}/v1`, "model-1").chat.check();
    await new Promise((resolve) => server.close(resolve));
    expect(failure).toMatchObject({ reasonCode: "connection_failed" });
  });

  it("tells that a service without TLS is asked for it", async () => {
    const { baseUrl } = await provider({});
    const failure = await endpointsAt(baseUrl.replace("http:", "https:"), "model-1").chat.check();
    expect(failure).toMatchObject({ reasonCode: "tls_failed" });
  });

  it("endpoints 19: fails as closed once a copy was closed", async () => {
    const { baseUrl } = await provider({ models: ["model-1"] });
    const { chat } = endpointsAt(baseUrl, "model-1");
    expect(await chat.check()).toBeNull();
    await withOpenrouterPolicy(chat).close();
    const failure = await chat.check();
    expect(DependencyFailure.is(failure)).toBe(true);
    expect(failure).toMatchObject({ reasonCode: "check_failed" });
    expect(failure?.message).toContain("closed");
  });

  it("is given up when its signal fires, and ends the request", async () => {
    const silent = await provider({ models: { body: { data: [] }, delayMs: 600_000 } });
    const reason = new Error("enough");
    const controller = new AbortController();
    const checking = endpointsAt(silent.baseUrl, "model-1").chat.check({ signal: controller.signal });
    const request = await silent.received(1);
    controller.abort(reason);
    await expect(checking).rejects.toBe(reason);
    expect(await request.ended).toBe("abandoned");
  });
});
