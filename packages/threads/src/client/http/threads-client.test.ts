import { describe, expect, it } from "vitest";
import { z } from "zod";
import { answer, breakOff, raw, refuse, withServer, type Step } from "../../__fixtures__/scripted-server.ts";
import { RobotoHttpException } from "../../errors/http-exception.ts";
import { ThreadsError } from "../../errors/thread-error.ts";
import { statusOf } from "../../errors/by-code.ts";
import { ThreadsClient, type Call } from "./threads-client.ts";

const schema = z.unknown();
const post: Call<typeof schema> = { method: "POST", path: "/v1/x", body: { a: 1 }, schema };
const get: Call<typeof schema> = { method: "GET", path: "/v1/x", schema };

describe("what a refusal is", () => {
  const limit = { resource_name: "threads", current_quantity: 5, limit_quantity: 5 };
  it.each<{ number: number; why: string; step: Step; failure: object }>([
    {
      number: 154,
      why: "404 with a code nobody knows",
      step: refuse(404, "Novel"),
      failure: { code: "threads/not-found", status: 404, message: "No: Novel" },
    },
    {
      number: 154,
      why: "403 about a limit, with its quantities",
      step: refuse(403, "RobotoLimitExceededException", limit),
      failure: { code: "threads/limit-exceeded", status: 403, ...limit },
    },
    {
      number: 154,
      why: "422 in plain text",
      step: raw(422, "nope"),
      failure: { code: "threads/http", name: "RobotoHttpException", status: 422, body: "nope" },
    },
    {
      number: 154,
      why: "a limit without quantities",
      step: refuse(400, "RobotoLimitExceededException", { current_quantity: "many" }),
      failure: { code: "threads/limit-exceeded", current_quantity: null },
    },
    { number: 154, why: "400", step: raw(400, ""), failure: { code: "threads/invalid-request" } },
    {
      number: 154,
      why: "400 about an organisation that is missing",
      step: refuse(400, "Novel", { message: "No organization was provided" }),
      failure: { code: "threads/no-org-provided" },
    },
    { number: 154, why: "401", step: raw(401, ""), failure: { code: "threads/unauthorized" } },
    {
      number: 154,
      why: "403 that denies explicitly",
      step: refuse(403, "Novel", { message: "access is explicitly denied" }),
      failure: { code: "threads/authentication-failure" },
    },
    { number: 154, why: "409", step: raw(409, ""), failure: { code: "threads/conflict" } },
    {
      number: 154,
      why: "a missing dataset",
      step: refuse(404, "RobotoDatasetNotFoundException"),
      failure: { code: "threads/dataset-not-found", name: "RobotoDatasetNotFoundException" },
    },
    {
      number: 154,
      why: "a code that names no class of ours, but something every object has",
      step: refuse(410, "toString"),
      failure: { code: "threads/http", status: 410 },
    },
    {
      number: 154,
      why: "507, which is not asked again",
      step: refuse(507, "RobotoResponseTooLargeException"),
      failure: { code: "threads/response-too-large", status: 507 },
    },
  ])("threads $number: $why", async ({ step, failure }) => {
    await withServer([step], async ({ client }) => {
      const error: unknown = await client.call(post).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject(failure);
      expect(error).toBeInstanceOf(RobotoHttpException);
      expect(ThreadsError.is(error)).toBe(true);
    });
  });

  it("tells what stands beside it, and the headers", async () => {
    const body = JSON.stringify({ error: { error_code: "RobotoConflictException" }, details: { at: 1 } });
    await withServer([raw(409, body, { "x-one": "1" })], async ({ client }) => {
      const error: unknown = await client.call(post).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ details: { at: 1 }, headers: { "x-one": "1" } });
      expect(error instanceof RobotoHttpException ? statusOf(error) : 0).toBe(409);
    });
  });
});

describe("what is sent again", () => {
  const unavailable = refuse(503, "RobotoServiceUnavailableException");

  it("threads 155: a change that was not taken, with the same key", async () => {
    await withServer([unavailable, unavailable, answer("done")], async ({ client, server }) => {
      expect(await client.call(post)).toBe("done");
      const keys = server.requests.map(({ headers }) => headers["idempotency-key"]);
      expect(keys).toHaveLength(3);
      expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
      expect(new Set(keys).size).toBe(1);
    });
  });

  it("not the same key for another call", async () => {
    await withServer([answer(1), answer(2)], async ({ client, server }) => {
      await client.call(post);
      await client.call(post);
      const keys = server.requests.map(({ headers }) => headers["idempotency-key"]);
      expect(new Set(keys).size).toBe(2);
    });
  });

  it.each<{ why: string; first: Step; waits: number[] }>([
    { why: "a lost answer", first: breakOff, waits: [250] },
    { why: "an internal failure", first: refuse(500, "RobotoInternalException"), waits: [250] },
    {
      why: "the same request while the first is worked on",
      first: refuse(409, "RobotoConflictException", {}, { "retry-after": "2" }),
      waits: [2000],
    },
    {
      why: "too many, after the time asked for",
      first: refuse(429, "RobotoLimitExceededException", {}, { "retry-after": "3" }),
      waits: [3000],
    },
    {
      why: "too many, and a time nobody can read",
      first: refuse(429, "RobotoLimitExceededException", {}, { "retry-after": "soon" }),
      waits: [250],
    },
  ])("$why, with a key", async ({ first, waits }) => {
    await withServer([first, answer("done")], async ({ client, clock }) => {
      expect(await client.call(post)).toBe("done");
      expect(clock.waits).toEqual(waits);
    });
  });

  it.each<{ why: string; first: Step; code: string }>([
    { why: "a lost answer", first: breakOff, code: "threads/connection" },
    { why: "an internal failure", first: refuse(500, "RobotoInternalException"), code: "threads/internal" },
    {
      why: "a conflict",
      first: refuse(409, "RobotoConflictException", {}, { "retry-after": "2" }),
      code: "threads/conflict",
    },
  ])("without a key not $why", async ({ first, code }) => {
    await withServer(
      [first],
      async ({ client, server }) => {
        await expect(client.call(post)).rejects.toMatchObject({ code });
        expect(server.requests[0]?.headers).not.toHaveProperty("idempotency-key");
      },
      { sendsIdempotencyKeys: false },
    );
  });

  it("without a key what cannot have been taken, and what changes nothing", async () => {
    await withServer(
      [unavailable, answer(1), breakOff, answer(2)],
      async ({ client }) => {
        expect(await client.call(post)).toBe(1);
        expect(await client.call(get)).toBe(2);
      },
      { sendsIdempotencyKeys: false },
    );
  });

  it("by the caller, with the key that a failure names", async () => {
    const options = { retries: { attempts: 1 } };
    const silent: Step = () => undefined;
    for (const first of [breakOff, unavailable, silent]) {
      await withServer(
        [first, answer("done")],
        async ({ client, clock, server }) => {
          const giveUp = (): void => {
            clock.elapse(30_000);
          };
          if (first === silent) server.onRequest = () => setImmediate(giveUp);
          const failure: unknown = await client.call(post).catch((error: unknown) => error);
          server.onRequest = undefined;
          const idempotencyKey = keyOf(failure);
          expect(await client.call({ ...post, idempotencyKey })).toBe("done");
          const keys = server.requests.map(({ headers }) => headers["idempotency-key"]);
          expect(keys).toEqual([idempotencyKey, idempotencyKey]);
        },
        options,
      );
    }
  });

  it("as often as it is told, the last failure being the answer", async () => {
    await withServer(
      [unavailable, unavailable],
      async ({ client, clock }) => {
        await expect(client.call(get)).rejects.toMatchObject({ code: "threads/service-unavailable" });
        expect(clock.waits).toEqual([5]);
      },
      { retries: { attempts: 2, baseMs: 10 } },
    );
  });

  it("not after the time that is left", async () => {
    await withServer([unavailable], async ({ client, clock }) => {
      const late = { ...get, retryUntil: clock.now() + 100 };
      await expect(client.call(late)).rejects.toMatchObject({ status: 503 });
    });
  });

  it("not after giving up", async () => {
    const controller = new AbortController();
    const giveUp: Step = (response, request) => {
      response.on("finish", () => {
        controller.abort(new Error("enough"));
      });
      return unavailable(response, request);
    };
    const retries = { baseMs: 1_000_000, capMs: 1_000_000 };
    await withServer(
      [giveUp],
      async ({ client }) => {
        await expect(client.call({ ...get, signal: controller.signal })).rejects.toThrow("enough");
      },
      { retries },
    );
  });

  it("a server that nobody runs, and says what was the matter", async () => {
    const client = new ThreadsClient({ baseUrl: "http://127.0.0.1:1", retries: { attempts: 2, baseMs: 1 } });
    const error: unknown = await client.call(post).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "threads/connection", status: undefined });
    expect(error).toHaveProperty("cause");
  });
});

/** The key that a failure names. */
function keyOf(failure: unknown): string {
  if (typeof failure !== "object" || failure === null || !("idempotencyKey" in failure)) return "";
  return String(failure.idempotencyKey);
}

describe("who calls", () => {
  it("is said in headers, the token anew with each attempt", async () => {
    let time = 0;
    const options = {
      token: () => `t${(time += 1)}`,
      orgId: "og_1",
      userId: "u2",
      headers: { "X-Mine": "1" },
    };
    await withServer(
      [breakOff, answer(1), answer(2)],
      async ({ client, server }) => {
        await client.call(get);
        await client.call({ ...get, orgId: "og_2" });
        expect(server.requests.map(({ headers }) => headers["authorization"])).toEqual([
          "Bearer t1",
          "Bearer t2",
          "Bearer t3",
        ]);
        expect(server.requests.at(-1)?.headers).toMatchObject({
          "x-roboto-org-id": "og_2",
          "x-roboto-user-id": "u2",
          "x-mine": "1",
        });
      },
      options,
    );
  });

  it("keeps the path of the server's address", async () => {
    await withServer([answer(1)], async ({ server }) => {
      const base = `http://127.0.0.1:${server.port}/below/`;
      await new ThreadsClient({ baseUrl: base, token: "t" }).call({ ...get, query: { a: null, b: "ü/" } });
      expect(server.requests[0]).toMatchObject({ path: "/below/v1/x", query: { b: "ü/" } });
      expect(server.requests[0]?.headers["authorization"]).toBe("Bearer t");
    });
  });
});
