import { describe, expect, it } from "vitest";

import { failure } from "./__fixtures__/scripted-client.ts";
import { ManualClock, settled } from "./__fixtures__/manual-clock.ts";
import type { TranscriptionRequest } from "./client.ts";
import { MockLLMEndpoint } from "./mock.ts";
import { callTranscriptionApi } from "./transcription-call.ts";
import {
  MockTranscriptionEndpoint,
  TranscriptionEndpoint,
  type TranscriptionEndpointSettings,
} from "./transcription-endpoint.ts";

const audio = Uint8Array.of(1, 2, 3);
const speech = { audio, filename: "a.ogg", contentType: "audio/ogg" };

function service(
  answers: readonly (string | Error)[],
  settings: Partial<TranscriptionEndpointSettings> = {},
) {
  const script = [...answers];
  const requests: TranscriptionRequest[] = [];
  const endpoint = new TranscriptionEndpoint({
    apiName: "groq",
    modelName: "whisper",
    ...settings,
    client: {
      transcribe: (request) => {
        requests.push(request);
        const answer = script.shift();
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve({ text: answer ?? "" });
      },
      listModels: () => Promise.resolve([]),
      close: () => undefined,
    },
  });
  return { endpoint, requests };
}

describe("a transcription", () => {
  it("is the service's text without blanks around it", async () => {
    const { endpoint, requests } = service(["  Hello there \n"]);
    expect(await callTranscriptionApi({ endpoint, ...speech })).toBe("Hello there");
    expect(requests).toEqual([{ model: "whisper", ...speech, temperature: 0 }]);
  });

  it("takes the endpoint's settings, and the call's before them", async () => {
    const { endpoint, requests } = service(["a", "b"], { language: "en", prompt: "names", temperature: 0.2 });
    await callTranscriptionApi({ endpoint, ...speech });
    await callTranscriptionApi({ endpoint, ...speech, language: "de", prompt: "Namen", temperature: 0 });
    expect(requests).toMatchObject([
      { language: "en", prompt: "names", temperature: 0.2 },
      { language: "de", prompt: "Namen", temperature: 0 },
    ]);
  });

  it("is asked for again when the service is busy", async () => {
    const clock = new ManualClock();
    const { endpoint, requests } = service([failure("x", { status: 429 }), "up"]);
    const reply = callTranscriptionApi({ endpoint, ...speech, clock });
    await settled();
    await clock.advance(500);
    expect(await reply).toBe("up");
    expect(requests).toHaveLength(2);
  });

  it("fails with a typed error, and at its deadline without another attempt", async () => {
    const clock = new ManualClock();
    const refusing = service([failure("x", { status: 401 })]);
    await expect(callTranscriptionApi({ endpoint: refusing.endpoint, ...speech })).rejects.toMatchObject({
      code: "core/llm-auth",
    });
    const endpoint = new TranscriptionEndpoint({
      apiName: "a",
      modelName: "m",
      client: {
        transcribe: () => new Promise(() => undefined),
        listModels: () => Promise.resolve([]),
        close: () => undefined,
      },
    });
    const reply = callTranscriptionApi({ endpoint, ...speech, clock, timeoutMs: 50 });
    reply.catch(() => undefined);
    await settled();
    await clock.advance(50);
    await expect(reply).rejects.toMatchObject({ code: "core/llm-call-timeout", timeoutMs: 50 });
  });

  it("is given up with the signal's own reason", async () => {
    const { endpoint, requests } = service(["a"]);
    const signal = AbortSignal.abort("enough");
    await expect(callTranscriptionApi({ endpoint, ...speech, signal })).rejects.toBe("enough");
    expect(requests).toHaveLength(0);
  });

  it("lets an error of the client's build through as it is", async () => {
    const missing = new Error("no key");
    const endpoint = new TranscriptionEndpoint({
      apiName: "a",
      modelName: "m",
      client: () => {
        throw missing;
      },
    });
    await expect(callTranscriptionApi({ endpoint, ...speech })).rejects.toBe(missing);
  });

  it.each([
    { why: "an endpoint of another kind", given: { ...speech, endpoint: new MockLLMEndpoint([]) } },
    { why: "no endpoint", given: speech },
    {
      why: "no sound",
      given: { ...speech, audio: new Uint8Array(), endpoint: new MockTranscriptionEndpoint([]) },
    },
    {
      why: "sound that is no bytes",
      given: { ...speech, audio: "abc", endpoint: new MockTranscriptionEndpoint([]) },
    },
    {
      why: "a temperature out of range",
      given: { ...speech, temperature: 3, endpoint: new MockTranscriptionEndpoint([]) },
    },
  ])("is refused with $why", async ({ given }) => {
    const asked: unknown = Reflect.apply(callTranscriptionApi, undefined, [given]);
    await expect(asked).rejects.toMatchObject({ code: "core/llm-client" });
  });
});

describe("a scripted transcription endpoint", () => {
  it("gives its texts in order, without blanks, and keeps what it was asked", async () => {
    const endpoint = new MockTranscriptionEndpoint([" one ", failure("x", { status: 402 })]);
    expect(() => {
      endpoint.assertUsedUp();
    }).toThrow(expect.objectContaining({ code: "core/mock-script" }));
    expect(await callTranscriptionApi({ endpoint, ...speech, language: "de" })).toBe("one");
    await expect(callTranscriptionApi({ endpoint, ...speech })).rejects.toMatchObject({
      code: "core/llm-insufficient-funds",
    });
    endpoint.assertUsedUp();
    expect(endpoint.requests).toMatchObject([{ filename: "a.ogg", language: "de" }, { temperature: 0 }]);
    await expect(callTranscriptionApi({ endpoint, ...speech })).rejects.toMatchObject({
      code: "core/llm-unknown-provider",
    });
  });

  it("takes no text when the call was given up before", async () => {
    const endpoint = new MockTranscriptionEndpoint(["one"]);
    await expect(
      callTranscriptionApi({ endpoint, ...speech, signal: AbortSignal.abort("enough") }),
    ).rejects.toBe("enough");
    expect(endpoint.requests).toHaveLength(0);
  });
});

describe("a transcription endpoint", () => {
  it("has an identity, a client made at first use, and says nothing secret", async () => {
    const { endpoint } = service([]);
    expect(endpoint.dependencyId).toBe("model:groq:whisper");
    expect(endpoint.redactedMetadata()).toEqual({
      apiName: "groq",
      modelName: "whisper",
      endpointType: "transcription",
    });
    expect(await endpoint.materialize()).toBe(endpoint);
    await endpoint.close();
    await expect(endpoint.materialize()).rejects.toMatchObject({ code: "core/llm-client" });
    expect(JSON.stringify(endpoint)).not.toContain("client");
  });
});
