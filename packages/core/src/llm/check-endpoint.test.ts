import { describe, expect, it, vi } from "vitest";

import { ManualClock, settled } from "./__fixtures__/manual-clock.ts";
import { checkEndpoint, type CheckedEndpoint } from "./check-endpoint.ts";
import { clientHandle } from "./client-handle.ts";
import type { ClientCallOptions } from "./client.ts";
import { LLMEndpoint } from "./endpoint.ts";
import { TranscriptionEndpoint } from "./transcription-endpoint.ts";

type Listing = (options: ClientCallOptions) => unknown;

/** An endpoint whose service answers this when it is asked for its models. */
function endpoint(
  modelName: string,
  listModels: Listing,
  build: () => Promise<unknown> = () => Promise.resolve(),
) {
  const close = vi.fn();
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- services that keep no promise are what is tested
  const listed = listModels as Awaited<ReturnType<CheckedEndpoint["client"]["get"]>>["listModels"];
  const client = clientHandle(async () => {
    await build();
    return { listModels: listed, close };
  });
  return { apiName: "api", modelName, client };
}

const never = (): Promise<never> => new Promise(() => undefined);

describe("checkEndpoint", () => {
  it.each([
    { why: "its model", modelName: "m-1", models: ["m-0", "m-1"] },
    {
      why: "core 106: its model without the route",
      modelName: "provider/model:nitro",
      models: ["provider/model"],
    },
    { why: "its model with the route", modelName: "provider/model:free", models: ["provider/model:free"] },
    { why: "its model up to the first colon of two", modelName: "a:b:c", models: ["a"] },
  ])("finds an endpoint available when its service lists $why", async ({ modelName, models }) => {
    expect(await checkEndpoint(endpoint(modelName, () => Promise.resolve(models)))).toBeNull();
  });

  it.each([
    { why: "another model only", modelName: "m-1", models: ["m-10"] },
    { why: "no model", modelName: "m-1", models: [] },
    { why: "its model with a route only", modelName: "m", models: ["m:free"] },
    { why: "its model up to the second colon only", modelName: "a:b:c", models: ["a:b"] },
    { why: "a nameless model", modelName: ":free", models: [""] },
  ])("finds the model unavailable when its service lists $why", async ({ modelName, models }) => {
    const failure = await checkEndpoint(endpoint(modelName, () => Promise.resolve(models)));
    expect(failure).toMatchObject({ reasonCode: "model_unavailable" });
    expect(failure?.message).toContain(`\`${modelName}\``);
  });

  it.each([
    { why: "nothing", listed: undefined },
    { why: "an object", listed: { data: [] } },
    { why: "a text", listed: "m-1" },
    { why: "a list of objects", listed: [{ id: "m-1" }] },
  ])(
    "core 107: makes $why in place of a list a failure of the protocol, and throws nothing",
    async ({ listed }) => {
      expect(await checkEndpoint(endpoint("m-1", () => Promise.resolve(listed)))).toMatchObject({
        reasonCode: "protocol_error",
      });
    },
  );

  it.each([
    {
      why: "a refused key",
      error: Object.assign(new Error("no"), { status: 401 }),
      reasonCode: "authentication_failed",
    },
    {
      why: "a missing key",
      error: Object.assign(new Error("no"), { reasonCode: "missing_credentials" }),
      reasonCode: "missing_credentials",
    },
    {
      why: "a refused connection",
      error: new Error("no", { cause: Object.assign(new Error("x"), { code: "ECONNREFUSED" }) }),
      reasonCode: "connection_failed",
    },
    { why: "anything else", error: new Error("no"), reasonCode: "check_failed" },
  ])(
    "makes a failure of $why, in the build of the client and in the listing",
    async ({ error, reasonCode }) => {
      const listing = endpoint("m", () => Promise.reject(error));
      const building = endpoint("m", never, () => Promise.reject(error));
      expect(await checkEndpoint(listing)).toMatchObject({ reasonCode });
      expect(await checkEndpoint(building)).toMatchObject({ reasonCode });
    },
  );

  it("makes a failure of a closed client", async () => {
    const closed = endpoint("m", () => Promise.resolve(["m"]));
    await closed.client.close();
    expect(await checkEndpoint(closed)).toMatchObject({ reasonCode: "check_failed" });
  });

  it.each([
    { why: "the listing", listModels: never, build: undefined },
    { why: "the build of the client", listModels: never, build: never },
  ])("gives $why 10 seconds, and ends it then", async ({ listModels, build }) => {
    const clock = new ManualClock();
    const signals: AbortSignal[] = [];
    const slow = endpoint(
      "m",
      ({ signal }) => {
        signals.push(signal);
        return listModels();
      },
      build,
    );
    const checking = checkEndpoint(slow, { clock });
    await settled();
    expect(clock.pending).toEqual([10_000]);
    await clock.advance(10_000);
    expect(await checking).toMatchObject({ reasonCode: "timeout" });
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
    expect(clock.pending).toEqual([]);
  });

  it("rejects with the signal's reason when that fires during the listing, and ends the request", async () => {
    const [controller, clock, reason] = [new AbortController(), new ManualClock(), new Error("enough")];
    const signals: AbortSignal[] = [];
    const slow = endpoint("m", ({ signal }) => {
      signals.push(signal);
      return never();
    });
    const checking = checkEndpoint(slow, { signal: controller.signal, clock });
    await settled();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    controller.abort(reason);
    await expect(checking).rejects.toBe(reason);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(clock.pending).toEqual([]);
  });

  it("asks for no list when the signal fired while the client was built", async () => {
    const [controller, reason] = [new AbortController(), new Error("enough")];
    const listModels = vi.fn(() => Promise.resolve(["m"]));
    let finish = (): void => undefined;
    const build = (): Promise<void> =>
      new Promise((resolve) => {
        finish = resolve;
      });
    const checking = checkEndpoint(endpoint("m", listModels, build), { signal: controller.signal });
    await settled();
    controller.abort(reason);
    await expect(checking).rejects.toBe(reason);
    finish();
    await settled();
    expect(listModels).not.toHaveBeenCalled();
  });

  it("builds nothing when the signal has fired before", async () => {
    const build = vi.fn(() => Promise.resolve());
    const reason = new Error("enough");
    await expect(
      checkEndpoint(endpoint("m", never, build), { signal: AbortSignal.abort(reason) }),
    ).rejects.toBe(reason);
    expect(build).not.toHaveBeenCalled();
  });

  it("leaves no timer when it is done", async () => {
    const clock = new ManualClock();
    await checkEndpoint(
      endpoint("m", () => Promise.resolve(["m"])),
      { clock },
    );
    expect(clock.pending).toEqual([]);
  });
});

describe("an endpoint's check", () => {
  const listModels = (): Promise<readonly string[]> => Promise.resolve(["heard", "said"]);
  const rest = { close: () => undefined };

  it("is that of its model", async () => {
    const complete = vi.fn();
    const chat = (modelName: string) =>
      new LLMEndpoint({
        client: { listModels, complete, stream: complete, ...rest },
        apiName: "a",
        modelName,
      });
    expect(await chat("said").check()).toBeNull();
    expect(await chat("sung").check()).toMatchObject({ reasonCode: "model_unavailable" });
    const transcribe = vi.fn();
    const ear = (modelName: string) =>
      new TranscriptionEndpoint({ client: { listModels, transcribe, ...rest }, apiName: "a", modelName });
    expect(await ear("heard").check()).toBeNull();
    expect(await ear("sung").check()).toMatchObject({ reasonCode: "model_unavailable" });
    expect(complete).not.toHaveBeenCalled();
    expect(transcribe).not.toHaveBeenCalled();
  });
});
