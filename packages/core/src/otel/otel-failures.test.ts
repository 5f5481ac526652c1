import { SpanStatusCode } from "@opentelemetry/api";
import { describe, expect, it } from "vitest";

import { MockProviderError } from "../llm/mock.ts";
import { tool } from "../tools/tool.ts";
import { Empty, Str } from "../values/builtin.ts";
import { askBob, callBob, finishTool, stopNow, traced } from "./__fixtures__/lunch.ts";

const unset = { code: SpanStatusCode.UNSET };

describe("otelSink, of what fails", () => {
  const secret = "hunter2-is-secret";
  const failing = askBob(() => {
    throw new RangeError(`no ${secret}`);
  });

  it("marks a tool by the class of its error, and the run that goes on not", async () => {
    const { agent, named, tree } = traced([callBob, stopNow], [failing, finishTool]);
    await agent.complete();
    expect(tree()).toEqual([
      "invoke_agent lunch",
      "  chat gpt-5",
      "  execute_tool ask_bob",
      "  chat gpt-5",
      "  execute_tool finish",
    ]);
    const span = named("execute_tool ask_bob");
    expect(span.status).toEqual({ code: SpanStatusCode.ERROR, message: "Tool `ask_bob` failed" });
    expect(span.attributes["error.type"]).toBe("RangeError");
    expect(named("invoke_agent lunch").status).toEqual(unset);
  });

  it("marks the run that an error ends", async () => {
    const { agent, named, ended } = traced([callBob], [failing], { toolErrors: "throw" });
    await expect(agent.complete()).rejects.toThrow(RangeError);
    const span = named("invoke_agent lunch");
    expect(span.status).toEqual({ code: SpanStatusCode.ERROR, message: "The run failed" });
    expect(span.attributes).toMatchObject({ "error.type": "RangeError", "roboz.run.status": "failed" });
    expect(
      JSON.stringify(ended().map(({ attributes, status, events }) => [attributes, status, events])),
    ).not.toContain(secret);
  });

  it("marks a model call by the class of its error and the status of its answer", async () => {
    const refusal = new MockProviderError(`no ${secret}`, { statusCode: 401 });
    const { agent, named } = traced([refusal], [finishTool]);
    await expect(agent.complete()).rejects.toThrow();
    expect(named("chat gpt-5").status.code).toBe(SpanStatusCode.ERROR);
    expect(named("chat gpt-5").status.message).not.toContain(secret);
    expect(named("chat gpt-5").attributes).toMatchObject({
      "error.type": "LLMAuthError",
      "http.response.status_code": 401,
    });
    expect(named("invoke_agent lunch").attributes["error.type"]).toBe("LLMAuthError");
  });

  it("ends what a cancelled run waited for, as no error", async () => {
    const controller = new AbortController();
    const waiting = askBob(() => {
      controller.abort();
      return new Promise<Str>(() => undefined);
    });
    const { agent, tree, named } = traced([callBob], [waiting]);
    const result = await agent.invoke(undefined, { signal: controller.signal });
    expect(result.status).toBe("cancelled");
    expect(tree()).toEqual(["invoke_agent lunch", "  chat gpt-5", "  execute_tool ask_bob"]);
    expect(named("execute_tool ask_bob")).toMatchObject({
      status: unset,
      attributes: { "roboz.outcome": "cancelled" },
    });
    expect(named("invoke_agent lunch")).toMatchObject({
      status: unset,
      attributes: { "roboz.run.status": "cancelled" },
    });
  });

  it("tells of a tool's retries as events of its span", async () => {
    let calls = 0;
    const flaky = tool({
      name: "ask_bob",
      description: "",
      input: Empty,
      output: Str,
      retries: 2,
      run: () => {
        calls += 1;
        if (calls < 3) throw new TypeError(secret);
        return Str({ value: "yes" });
      },
    });
    const { agent, named } = traced([callBob, stopNow], [flaky, finishTool]);
    await agent.complete();
    expect(named("execute_tool ask_bob").events.map(({ name, attributes }) => [name, attributes])).toEqual([
      ["retry", { "roboz.retry.attempt": 2, "error.type": "TypeError" }],
      ["retry", { "roboz.retry.attempt": 3, "error.type": "TypeError" }],
    ]);
  });
});
