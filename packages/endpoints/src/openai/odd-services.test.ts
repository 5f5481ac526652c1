import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { inspect } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";

import { ask, askInPieces, chatRequest, joined, noSignal, testKey } from "./__fixtures__/asking.ts";
import { openAiClient, type OpenAIClient, type OpenAIClientSettings } from "./client.ts";

type Answerer = (request: IncomingMessage, response: ServerResponse) => void;

/** A client of a service that need not keep to the protocol. */
async function clientOfOddService(
  answer: Answerer,
  settings: Partial<OpenAIClientSettings> = {},
): Promise<OpenAIClient> {
  const server = createServer((request, response) => {
    request.resume().once("end", () => {
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  return openAiClient({ baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: testKey, ...settings });
}

/** Writes a comment again and again until the other side goes away. */
function keepAlive(response: ServerResponse, text: string): void {
  const timer = setInterval(() => response.write(text), 20);
  response.once("close", () => {
    clearInterval(timer);
  });
}

function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

const reply = { id: "gen-1", choices: [{ message: { content: "Hi." }, finish_reason: "stop" }] };
const lastPiece = `data: ${JSON.stringify({ choices: [{ delta: { content: "Hi." }, finish_reason: "stop" }] })}\n\n`;

describe("a whole reply", () => {
  it.each([
    { why: "a text", type: "text/plain" },
    { why: "bytes", type: "application/octet-stream" },
    { why: "nothing", type: undefined },
    { why: "JSON in capitals", type: "Application/JSON" },
  ])("is read when the service calls it $why", async ({ type }) => {
    const client = await clientOfOddService((_request, response) => {
      response.writeHead(200, type === undefined ? {} : { "content-type": type });
      response.end(JSON.stringify(reply));
    });

    expect(await ask(client)).toMatchObject({ text: "Hi." });
  });

  it("is given up when it has no end", async () => {
    let sent = 0;
    let close = (): void => undefined;
    const closed = new Promise<void>((resolve) => (close = resolve));
    const client = await clientOfOddService((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write('{"choices":[');
      const part = " ".repeat(1 << 20);
      const more = (): void => {
        if (sent++ >= 64) return;
        if (response.write(part)) setImmediate(more);
        else response.once("drain", more);
      };
      response.once("close", close);
      more();
    });

    const failure = await failureOf(ask(client));
    expect(failure).toMatchObject({ code: "endpoints/provider-protocol" });
    expect(String(failure)).toContain("is not within 16 MiB a line");
    await closed;
    expect(sent).toBeLessThan(64);
  });

  it("is read in place of a stream, whatever case its media type is in", async () => {
    const client = await clientOfOddService((_request, response) => {
      response.writeHead(200, { "content-type": "Application/JSON" });
      response.end(JSON.stringify(reply));
    });

    expect(joined(await askInPieces(client))).toMatchObject({ text: "Hi." });
  });

  it("AL-02: is read with arguments that are nested too deeply to be written left out", async () => {
    const depth = 60_000;
    const call = `{"id":"a","function":{"name":"add","arguments":${"[".repeat(depth)}${"]".repeat(depth)}}}`;
    const client = await clientOfOddService((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(`{"choices":[{"message":{"content":"Hi.","tool_calls":[${call}]}}]}`);
    });

    expect(await ask(client)).toMatchObject({ toolCalls: [{ id: "a", name: "add", arguments: "" }] });
  });
});

describe("a stream", () => {
  it.each([
    { why: "after the end mark", first: `${lastPiece}data: [DONE]\n\n` },
    { why: "together with the end mark", first: `${lastPiece}data: [DONE]\n\n: alive\n\n` },
  ])("is complete although the service keeps it alive $why", async ({ first }) => {
    const client = await clientOfOddService((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(first);
      keepAlive(response, ": alive\n\n");
    });

    expect(joined(await askInPieces(client))).toMatchObject({ text: "Hi." });
  });

  it.each([
    { why: "no index", index: undefined },
    { why: "one index for all", index: 0 },
  ])("keeps the parts of calls together that come by turns with $why", async ({ index }) => {
    const parts = ["a", "b", "a", "b"].map((id, at) => ({
      choices: [
        {
          delta: {
            tool_calls: [
              {
                index,
                id,
                function: at < 2 ? { name: `tool_${id}`, arguments: `["${id}"` } : { arguments: "]" },
              },
            ],
          },
        },
      ],
    }));
    const client = await clientOfOddService((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(
        [...parts.map((part) => JSON.stringify(part)), "[DONE]"].map((data) => `data: ${data}\n\n`).join(""),
      );
    });

    expect(joined(await askInPieces(client))).toMatchObject({
      toolCalls: [
        { id: "a", name: "tool_a", arguments: '["a"]' },
        { id: "b", name: "tool_b", arguments: '["b"]' },
      ],
    });
  });

  it("is none without a body, which is no failure of the connection", async () => {
    const client = await clientOfOddService((_request, response) => {
      response.writeHead(204);
      response.end();
    });

    await expect(askInPieces(client)).rejects.toMatchObject({ code: "endpoints/provider-protocol" });
  });

  it("is no complete one for a text that holds the end mark", async () => {
    const piece = { choices: [{ delta: { content: "\ndata: [DONE]\n" } }] };
    const client = await clientOfOddService((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(`data: ${JSON.stringify(piece)}\n\n`);
    });

    await expect(askInPieces(client)).rejects.toMatchObject({ code: "endpoints/provider-call" });
  });
});

describe("a refusal", () => {
  it("keeps its status although its body trickles without an end", async () => {
    const client = await clientOfOddService(
      (_request, response) => {
        response.writeHead(429, { "content-type": "application/json", "retry-after": "7" });
        keepAlive(response, " ");
      },
      { timeoutMs: 200 },
    );

    await expect(ask(client)).rejects.toMatchObject({ status: 429 });
  });

  it("keeps its status although its body is nested too deeply to be written", async () => {
    const client = await clientOfOddService((_request, response) => {
      response.writeHead(401, { "content-type": "application/json" });
      response.end(`{"error":${"[".repeat(20_000)}${"]".repeat(20_000)}}`);
    });

    await expect(ask(client)).rejects.toMatchObject({ status: 401 });
  });

  it.each([
    { why: "in a header of a refusal", status: 401 },
    { why: "in the address of a redirect", status: 302 },
    { why: "in a header of an answer that is none", status: 200 },
  ])("never shows the key $why", async ({ status }) => {
    const client = await clientOfOddService((_request, response) => {
      response.writeHead(status, {
        "content-type": "application/json",
        "x-request-id": testKey,
        location: `http://127.0.0.1:1/?from=${testKey}`,
        "retry-after": "7",
      });
      response.end("{}");
    });

    const error = await failureOf(client.complete(chatRequest(), { signal: noSignal }));

    expect(error).toHaveProperty("headers");
    expect(inspect(error, { depth: 9 })).toContain("7");
    expect(inspect(error, { depth: 9 })).not.toContain(testKey);
  });

  it("never shows a key that is in a header of the caller's", async () => {
    const headers = { "api-key": "azure-5b1f", "X-Authorization": "Token tok-88d1" };
    const client = await clientOfOddService(
      (request, response) => {
        response.writeHead(401, { "content-type": "application/json" });
        response.end(
          JSON.stringify({
            error: { message: `Not ${String(request.headers["api-key"])}, nor the one called tok-88d1` },
          }),
        );
      },
      { headers },
    );

    const error = await failureOf(ask(client));

    expect(String(error)).toContain("Not [redacted], nor");
    expect(inspect(error, { depth: 9 })).not.toMatch(/azure-5b1f|tok-88d1/);
  });
});

it("never shows the key as the name of a request", async () => {
  const client = await clientOfOddService((_request, response) => {
    response.writeHead(200, { "content-type": "application/json", "x-request-id": testKey });
    response.end(JSON.stringify(reply));
  });

  expect(await ask(client)).toMatchObject({ requestId: "[redacted]" });
});
