import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answer, raw, refuse, stream, withServer, type Step } from "../__fixtures__/scripted-server.ts";
import { all, delta, deltaData, message, say, threadRecord, use } from "../__fixtures__/thread-data.ts";
import { parseJson, stringifyJson } from "../wire/json.ts";
import { threadDeltaSchema, threadRecordSchema } from "../wire/thread.ts";
import { AgentThread } from "./agent-thread.ts";
import { EventFeed } from "./event-feed.ts";
import { HeldThread } from "./held-thread.ts";
import { ThreadsClient } from "./http/threads-client.ts";
import { eventsOf } from "./http/event-stream.ts";
import { clientTool } from "./tools/client-tool.ts";

const token = "tok-3f9a77c1e5d2";

describe("secrets of the client", () => {
  it("are in nothing that is printed of it, and in no error about a token that no header can hold", async () => {
    const client = new ThreadsClient({
      baseUrl: "http://127.0.0.1:1",
      token: `${token}\n`,
      secrets: ["other-secret"],
    });
    const thread = new AgentThread(threadRecord(), { client });
    const failure: unknown = await thread.refresh().catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "threads/invalid-request" });
    const printed = [client, thread, failure]
      .map((value) => inspect(value, { depth: 9, showHidden: true }))
      .join();
    expect(printed).not.toContain(token);
    expect(printed).not.toContain("other-secret");
  });

  it("are masked when a single text is given in place of a list", () => {
    const client = new ThreadsClient({ baseUrl: "http://127.0.0.1:1", secrets: "other-secret" });
    expect(client.masked("got other-secret")).toBe("got [redacted]");
  });

  it("are masked where a tool's failure repeats the token", async () => {
    const fails = clientTool({
      name: "t",
      description: "T.",
      execute: () => {
        throw new Error(`got ${token}`);
      },
    });
    const asks = delta({ 1: message("assistant", [use("t", "1")]) }, "client_tool_turn");
    const accepted = answer({ status: "roboto_turn", remaining: [] });
    await withServer(
      [asks, accepted, delta({}, "user_turn")],
      async ({ client, server }) => {
        await new AgentThread(threadRecord(), { client, clientTools: [fails] }).run();
        expect(JSON.stringify(server.requests.map(({ body }) => body))).not.toContain(token);
      },
      { token },
    );
  });

  it("stay with whoever gives the token when that fails", async () => {
    const give = (): string => {
      throw new RangeError("the vault is locked");
    };
    const client = new ThreadsClient({ baseUrl: "http://127.0.0.1:1", token: give });
    await expect(new AgentThread(threadRecord(), { client }).refresh()).rejects.toThrow(RangeError);
  });
});

describe("odd requests", () => {
  it.each(["", "a b", "ü", "a\r\nX-Evil: 1", "k".repeat(201)])(
    "refuses the idempotency key %j",
    async (idempotencyKey) => {
      await withServer([], async ({ client }) => {
        const thread = new AgentThread(threadRecord({ status: "user_turn" }), { client });
        await expect(thread.sendText("a", { idempotencyKey })).rejects.toMatchObject({
          code: "threads/invalid-request",
          status: undefined,
        });
      });
    },
  );

  it("keeps to its own path whatever an id holds", async () => {
    await withServer([refuse(404, "RobotoNotFoundException")], async ({ client, server }) => {
      const threadId = "../../v1/admin?x=1#y";
      await expect(AgentThread.fromId(threadId, { client })).rejects.toMatchObject({
        code: "threads/not-found",
      });
      expect(server.requests[0]?.path).toBe(`/v1/ai/threads/${encodeURIComponent(threadId)}`);
    });
  });
});

describe("odd servers", () => {
  it("that name a message far beyond all others cost nothing", async () => {
    const far = { 999_999_999: message("assistant", [say("far")]) };
    await withServer(
      [delta(far, "user_turn"), answer(null), delta({ 5: message("user", [say("a")]) }, "user_turn")],
      async ({ client }) => {
        const thread = new AgentThread(threadRecord({ goals: [] }), { client });
        await thread.refresh();
        expect(thread.transcript).toBe("=== ath_1 ===\n== ASSISTANT ==\nfar");
        await thread.sendText("a");
        await thread.refresh();
        expect(Object.keys(thread.messages)).toEqual(["5", "999999999"]);
      },
    );
  });

  it("that ask for one call twice get one result", async () => {
    const twice = delta(
      { 1: message("assistant", [use("t", "1"), use("t", "2"), use("t", "1")]) },
      "client_tool_turn",
    );
    await withServer(
      [twice, answer({ status: "roboto_turn" }), delta({}, "user_turn")],
      async ({ client, server }) => {
        const tool = clientTool({ name: "t", description: "T.", execute: () => undefined });
        await new AgentThread(threadRecord(), { client, clientTools: [tool] }).run();
        expect(server.requests[1]?.body).toMatchObject({
          tool_results: [{ tool_use_id: "1" }, { tool_use_id: "2" }],
        });
      },
    );
  });

  it("that leave a stream open after the pause are left", async () => {
    const last = `event: delta\ndata: ${JSON.stringify(deltaData({}, "user_turn"))}\n\n`;
    await withServer(
      [delta({}, "roboto_turn"), stream([last], "stay"), delta({}, "user_turn")],
      async ({ client }) => {
        await all(new AgentThread(threadRecord(), { client }).events({ transport: "sse" }));
      },
    );
  });

  it("that send a prototype in arguments change none", async () => {
    const input = '{"__proto__":{"polluted":1},"a":1}';
    const asks: Step = raw(
      200,
      `{"data":{"continuation_token":"p","status":"client_tool_turn","messages_by_idx":{"0":{"role":"assistant","content":[{"tool_name":"t","tool_use_id":"1","input":${input}}]}}}}`,
    );
    await withServer([asks, answer(null), delta({}, "user_turn")], async ({ client }) => {
      const seen: unknown[] = [];
      const tool = clientTool({ name: "t", description: "T.", execute: (args) => void seen.push(args) });
      await new AgentThread(threadRecord(), { client, clientTools: [tool] }).run();
      expect(seen).toMatchObject([{ a: 1 }]);
      expect({}).not.toHaveProperty("polluted");
      expect(seen[0]).not.toHaveProperty("polluted");
    });
  });

  it("that nest without end fail one tool call and nothing else", async () => {
    const nested = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const asks: Step = raw(
      200,
      `{"data":{"continuation_token":"n","status":"client_tool_turn","messages_by_idx":{"0":{"role":"assistant","content":[{"tool_name":"t","tool_use_id":"1","input":{"a":${nested}}}]}}}}`,
    );
    await withServer([asks, answer(null), delta({}, "user_turn")], async ({ client, server }) => {
      const tool = clientTool({ name: "t", description: "T.", execute: () => undefined });
      await new AgentThread(threadRecord(), { client, clientTools: [tool] }).run();
      expect(server.requests[1]?.body).toHaveProperty("tool_results");
    });
  });
});

describe("what holds for any server", () => {
  it("JSON with integers of any size comes back as it was", () => {
    const values = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        fc.string(),
        fc.string({ unit: fc.constantFrom('"', "\\", "1", "9", "-", "#", ":", "🌍") }),
        fc.bigInt({ min: 2n ** 53n, max: 2n ** 200n }),
        fc.bigInt({ max: -(2n ** 53n), min: -(2n ** 200n) }),
        fc.maxSafeInteger(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(
          fc.string().filter((key) => key !== "__proto__"),
          tie("value"),
          { maxKeys: 4 },
        ),
      ),
    })).value;
    fc.assert(
      fc.property(values, (value) => {
        const text = stringifyJson(value);
        expect(text).toBe(stringifyJson(parseJson(text)));
        expect(parseJson(text)).toEqual(value);
      }),
      { numRuns: 300 },
    );
  });

  it("a text cut into pieces anywhere is the same text, in the thread and in its events", () => {
    const pieces = fc.array(fc.string({ unit: "grapheme", minLength: 1 }), { minLength: 1, maxLength: 12 });
    const cuts = fc.array(fc.boolean(), { minLength: 12, maxLength: 12 });
    fc.assert(
      fc.property(pieces, cuts, (texts, isCut) => {
        const held = new HeldThread(threadRecord());
        const feed = new EventFeed();
        const events = deltasOf(texts, isCut).flatMap((given) =>
          feed.of(held.apply(threadDeltaSchema.parse(given), 0)),
        );
        const whole = texts.join("");
        expect(held.record.messages[0]?.content).toEqual([say(whole)]);
        expect(events.map((event) => (event.type === "text_delta" ? event.text : "")).join("")).toBe(whole);
        expect(events.filter(({ type }) => type === "text_start")).toHaveLength(1);
        expect(events.at(-1)?.type).toBe("text_end");
      }),
      { numRuns: 200 },
    );
  });

  it("a stream cut into pieces anywhere is the same stream", async () => {
    const texts = fc.array(fc.string({ unit: "grapheme" }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(
        texts,
        fc.constantFrom("\n", "\r", "\r\n"),
        fc.integer({ min: 1, max: 7 }),
        async (data, end, size) => {
          const lines = data.map((text) => `event: delta${end}data: ${JSON.stringify(text)}${end}${end}`);
          const bytes = Buffer.from(lines.join(""));
          async function* body(): AsyncGenerator<Uint8Array> {
            for (let at = 0; at < bytes.length; at += size)
              yield await Promise.resolve(bytes.subarray(at, at + size));
          }
          const read = await all(eventsOf(body()));
          expect(read.map((event): unknown => JSON.parse(event.data))).toEqual(data);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("anything that is no record or delta is refused, never thrown over", () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        for (const schema of [threadRecordSchema, threadDeltaSchema])
          expect(() => schema.safeParse(value)).not.toThrow();
      }),
      { numRuns: 300 },
    );
  });
});

/** The deltas that bring texts one after the other into one message, several blocks in one where nothing is cut. */
function deltasOf(texts: readonly string[], isCut: readonly boolean[]): object[] {
  const groups: string[][] = [[]];
  for (const [index, text] of texts.entries()) {
    if (isCut[index] === true) groups.push([]);
    groups.at(-1)?.push(text);
  }
  return groups.map((group, index) => {
    const isLast = index === groups.length - 1;
    const content = group.map(say);
    const status = isLast ? "completed" : "generating";
    return deltaData({ 0: message("assistant", content, status) }, isLast ? "user_turn" : "roboto_turn");
  });
}
