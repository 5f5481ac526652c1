import { describe, expect, it } from "vitest";

import { systemMessage, userMessage } from "../values/message.ts";
import { EventPipe } from "../runtime/pipe.ts";
import type { RunEvent } from "../runtime/events.ts";
import { callMock } from "./call.ts";
import { LLMAuthError, LLMRateLimitExceededError } from "./errors.ts";
import { MockLLMEndpoint, MockProviderError, MockReply } from "./mock.ts";
import type { ModelRequest } from "./endpoint.ts";

const shown = [systemMessage("Be brief."), userMessage("Hello")];
const request: ModelRequest = { messages: shown, recall: () => shown };
const nothing = { pipe: undefined };
const asList = (answer: unknown): unknown => answer;

async function ask(endpoint: MockLLMEndpoint, settings: Parameters<typeof callMock>[3] = nothing) {
  return await callMock(endpoint, request, undefined, settings);
}

describe("a scripted endpoint", () => {
  it("gives its answers in order: text as it stands, objects as JSON", async () => {
    const endpoint = new MockLLMEndpoint(["  ```as it stands``` ", { a: ["ü"] }, () => "made"]);
    expect((await ask(endpoint)).text).toBe("  ```as it stands``` ");
    expect((await ask(endpoint)).text).toBe('{"a":["ü"]}');
    expect((await ask(endpoint)).text).toBe("made");
    endpoint.assertUsedUp();
  });

  it("core 60: fails as an unknown provider error when the script is used up", async () => {
    const endpoint = new MockLLMEndpoint(["only"]);
    await ask(endpoint);
    await expect(ask(endpoint)).rejects.toMatchObject({
      code: "core/llm-unknown-provider",
      message: "The script has 1 answer, and this was call 2",
    });
  });

  it("says which answers were not asked for", async () => {
    const endpoint = new MockLLMEndpoint(["a", "b"]);
    expect(() => {
      endpoint.assertUsedUp();
    }).toThrow("The script has 2 answers, of which 0 were asked for");
    await ask(endpoint);
    await ask(endpoint);
    endpoint.assertUsedUp();
  });

  it("answers every request by one function, which sees what was asked", async () => {
    const endpoint = new MockLLMEndpoint(({ messages }) => `${messages.length} messages`);
    expect((await ask(endpoint)).text).toBe("2 messages");
    expect((await ask(endpoint)).text).toBe("2 messages");
    endpoint.assertUsedUp();
  });

  it("refuses a script that is neither a list nor a function", () => {
    // @ts-expect-error -- untyped callers may give anything
    expect(() => new MockLLMEndpoint("text")).toThrow(expect.objectContaining({ code: "core/mock-script" }));
  });

  it("keeps its own copy of the script", async () => {
    const script = ["a"];
    const endpoint = new MockLLMEndpoint(script);
    script.push("b");
    await ask(endpoint);
    endpoint.assertUsedUp();
  });

  it("records what it was asked without copying it", async () => {
    let recalls = 0;
    const endpoint = new MockLLMEndpoint(["a"]);
    const counted = { messages: shown, recall: () => ((recalls += 1), shown) };
    await callMock(endpoint, counted, { names: ["stop"], nativeTools: [] }, nothing);
    expect(recalls).toBe(0);
    expect(endpoint.requests).toHaveLength(1);
    expect(endpoint.requests[0]?.messages).toBe(shown);
    expect(recalls).toBe(1);
    expect(endpoint.requests[0]).toMatchObject({
      toolNames: ["stop"],
      outputFormat: "text",
      protocol: "json",
    });
  });

  it("gives its function the messages of the call, and later those that were sent", async () => {
    const live = [systemMessage("Be brief.")];
    const sent = [...live];
    const endpoint = new MockLLMEndpoint(({ messages }) => `${messages === live}`);
    const growing = { messages: live, recall: () => sent };
    expect((await callMock(endpoint, growing, undefined, nothing)).text).toBe("true");
    live.push(userMessage("later"));
    expect(endpoint.requests[0]?.messages).toEqual(sent);
  });

  it("gives an endpoint shared by two callers one script, in the order of the calls", async () => {
    let release: (text: string) => void = () => undefined;
    const first = new Promise<string>((resolve) => {
      release = resolve;
    });
    const endpoint = new MockLLMEndpoint([() => first, "second"]);
    const slow = ask(endpoint);
    expect((await ask(endpoint)).text).toBe("second");
    release("first");
    expect((await slow).text).toBe("first");
  });

  it("reports scripted token usage, and nothing else", async () => {
    const endpoint = new MockLLMEndpoint([new MockReply({ a: 1 }, { tokenInput: 7, tokenOutput: 3 }), "x"]);
    expect(await ask(endpoint)).toMatchObject({
      text: '{"a":1}',
      telemetry: { tokenInput: 7, tokenOutput: 3 },
    });
    expect((await ask(endpoint)).telemetry).toEqual({ tokenInput: undefined, tokenOutput: undefined });
  });

  it("delivers text in pieces of 24 characters, never half of one", async () => {
    const text = "x".repeat(23) + "🟡" + "y".repeat(30);
    const pieces: string[] = [];
    await ask(new MockLLMEndpoint([text]), { onDelta: (piece) => pieces.push(piece) });
    expect(pieces).toEqual(["x".repeat(23) + "🟡", "y".repeat(24), "y".repeat(6)]);
  });

  it.each([
    {
      why: "like a provider's",
      failure: new MockProviderError("no", { statusCode: 401 }),
      type: LLMAuthError,
    },
    { why: "by its text", failure: new MockProviderError("rate limit"), type: LLMRateLimitExceededError },
    { why: "kept when it is one of ours", failure: new LLMAuthError({ message: "no" }), type: LLMAuthError },
  ])("classifies a scripted failure $why, and asks once", async ({ failure, type }) => {
    const endpoint = new MockLLMEndpoint([failure, "never asked for"]);
    await expect(ask(endpoint)).rejects.toBeInstanceOf(type);
    expect(endpoint.requests).toHaveLength(1);
  });

  it("passes on what a script's function throws", async () => {
    const mine = new Error("a broken assertion");
    const endpoint = new MockLLMEndpoint(() => {
      throw mine;
    });
    await expect(ask(endpoint)).rejects.toBe(mine);
  });
});

describe("giving up on a scripted endpoint", () => {
  const pipe = (): EventPipe => new EventPipe({ runId: "r", agentName: "a" });

  it("takes no answer when the run was cancelled before, and looks at cancel before interrupt", async () => {
    const given = pipe();
    given.cancel();
    given.interrupt();
    const endpoint = new MockLLMEndpoint(["x"]);
    await expect(ask(endpoint, { pipe: given })).rejects.toMatchObject({ code: "core/llm-call-cancelled" });
    expect(endpoint.requests).toHaveLength(0);
  });

  it("drops the answer when the run was interrupted meanwhile", async () => {
    const given = pipe();
    const endpoint = new MockLLMEndpoint(() => {
      given.interrupt();
      return "x";
    });
    await expect(ask(endpoint, { pipe: given })).rejects.toMatchObject({ code: "core/llm-call-interrupted" });
  });

  it.each([
    {
      why: "a cancel",
      fire: (given: EventPipe) => {
        given.cancel();
      },
      code: "core/llm-call-cancelled",
    },
    {
      why: "an interrupt",
      fire: (given: EventPipe) => {
        given.interrupt();
      },
      code: "core/llm-call-interrupted",
    },
  ])("stops waiting at once for $why, also when the flag is cleared right after", async ({ fire, code }) => {
    const given = pipe();
    const waiting = ask(new MockLLMEndpoint([() => new Promise<string>(() => undefined)]), { pipe: given });
    fire(given);
    given.clearInterrupt();
    await expect(waiting).rejects.toMatchObject({ code });
  });

  it("rejects with the signal's own reason", async () => {
    const controller = new AbortController();
    const waiting = ask(new MockLLMEndpoint([() => new Promise<string>(() => undefined)]), {
      signal: controller.signal,
    });
    controller.abort("enough");
    await expect(waiting).rejects.toBe("enough");
    await expect(ask(new MockLLMEndpoint(["x"]), { signal: controller.signal })).rejects.toBe("enough");
  });

  it("ends at its deadline, measured by the clock given", async () => {
    let fire: () => void = () => undefined;
    const clock = {
      now: () => 0,
      after: (_ms: number, then: () => void) => {
        fire = then;
        return () => undefined;
      },
    };
    const waiting = ask(new MockLLMEndpoint([() => new Promise<string>(() => undefined)]), {
      timeoutMs: 30,
      clock,
    });
    fire();
    await expect(waiting).rejects.toMatchObject({ code: "core/llm-call-timeout", timeoutMs: 30 });
  });
});

describe("what a call tells its run", () => {
  it("reports identifiers and numbers, no text", async () => {
    const events: RunEvent[] = [];
    const pipe = new EventPipe({ runId: "r", agentName: "a", sinks: [(event) => events.push(event)] });
    const clock = { now: () => 5, after: () => () => undefined };
    await ask(new MockLLMEndpoint(["the reply"]), { pipe, clock });
    await expect(
      ask(new MockLLMEndpoint([new MockProviderError("a secret", { statusCode: 500 })]), { pipe, clock }),
    ).rejects.toThrow();
    await expect(
      ask(new MockLLMEndpoint([new MockProviderError("a secret", { statusCode: 402 })]), { pipe, clock }),
    ).rejects.toThrow();
    expect(events.map((event) => asList(event))).toMatchObject([
      {
        category: "llm",
        kind: "started",
        level: "debug",
        data: {
          endpoint: "mock",
          model: "mock",
          message_count: 2,
          message_chars: 14,
          output_format: "mock",
          stream: false,
        },
      },
      { kind: "succeeded", data: { duration_ms: 0, response_chars: 9 } },
      { kind: "started" },
      {
        kind: "failed",
        level: "error",
        data: { error_kind: "provider_unavailable", error_type: "LLMProviderUnavailableError" },
      },
      { kind: "started" },
      { kind: "failed", level: "warning", data: { error_kind: "insufficient_funds" } },
    ]);
    expect(JSON.stringify(events)).not.toMatch(/the reply|a secret|Be brief|Hello/);
  });
});
