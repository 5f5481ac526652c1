import { context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Context } from "@opentelemetry/api";
import { afterEach, describe, expect, it } from "vitest";

import { Agent } from "../agent/agent.ts";
import { asTool } from "../agent/as-tool.ts";
import { ScriptedClient } from "../llm/__fixtures__/scripted-client.ts";
import { LLMEndpoint } from "../llm/endpoint.ts";
import { MockLLMEndpoint, MockReply } from "../llm/mock.ts";
import { EventPipe } from "../runtime/pipe.ts";
import { tool } from "../tools/tool.ts";
import { Empty, Int, Stop, Str, Suspend } from "../values/builtin.ts";
import { askBob, callBob, finishTool, lunchTools, rationale, stopNow, traced } from "./__fixtures__/lunch.ts";
import { tracedSpans } from "./__fixtures__/spans.ts";
import { otelSink } from "./index.ts";

const unset = { code: SpanStatusCode.UNSET };

describe("otelSink", () => {
  it("gives a run, its model call, its tools and its links spans below one another", async () => {
    const { agent, tree, named } = traced([callBob], lunchTools());
    await agent.complete();
    expect(tree()).toEqual([
      "invoke_agent lunch",
      "  chat gpt-5",
      "  execute_tool ask_bob",
      "  link ask_bob -> book_table",
      "    execute_tool book_table",
    ]);
    expect(named("link ask_bob -> book_table").links.map(({ context: { spanId } }) => spanId)).toEqual([
      named("execute_tool ask_bob").spanContext().spanId,
    ]);
  });

  it("names them by the conventions for generative AI", async () => {
    const reply = new MockReply(callBob, { tokenInput: 12, tokenOutput: 3 });
    const { agent, named } = traced([reply], lunchTools(), { description: "Arranges lunch." });
    const { report } = await agent.complete();
    const conversation = { "gen_ai.conversation.id": report.runId };
    expect(named("invoke_agent lunch")).toMatchObject({ kind: SpanKind.INTERNAL, status: unset });
    expect(named("invoke_agent lunch").attributes).toEqual({
      ...conversation,
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "lunch",
      "gen_ai.agent.description": "Arranges lunch.",
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "gpt-5",
      "gen_ai.usage.input_tokens": 12,
      "gen_ai.usage.output_tokens": 3,
      "roboz.run.status": "completed",
    });
    expect(named("chat gpt-5")).toMatchObject({ kind: SpanKind.CLIENT, status: unset });
    expect(named("chat gpt-5").attributes).toEqual({
      ...conversation,
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "gpt-5",
      "gen_ai.usage.input_tokens": 12,
      "gen_ai.usage.output_tokens": 3,
    });
    expect(named("execute_tool book_table")).toMatchObject({ kind: SpanKind.INTERNAL, status: unset });
    expect(named("execute_tool book_table").attributes).toEqual({
      ...conversation,
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "book_table",
      "gen_ai.tool.type": "function",
      "roboz.tool.chosen_by": "chain",
    });
    expect(named("link ask_bob -> book_table").attributes).toEqual({
      ...conversation,
      "roboz.link.parent": "ask_bob",
      "roboz.link.child": "book_table",
    });
  });

  it("says what a service's endpoint asked for, and what the service said of its reply", async () => {
    const limit = Object.assign(new Error("slow down"), { status: 429, headers: { "retry-after-ms": "0" } });
    const client = new ScriptedClient([
      limit,
      {
        text: JSON.stringify(stopNow),
        finishReason: "stop",
        generationId: "gen-1",
        usage: { tokenInput: 5, tokenOutput: 2, tokenCached: 4 },
      },
    ]);
    const { agent, named } = traced([], [finishTool]);
    const endpoint = new LLMEndpoint({
      client,
      apiName: "groq",
      modelName: "llama",
      outputFormat: "json",
      stream: false,
      temperature: 0,
    });
    await agent.copy({ endpoint }).complete();
    expect(named("invoke_agent lunch").attributes).toMatchObject({
      "gen_ai.request.temperature": 0,
      "gen_ai.output.type": "json",
    });
    const { attributes, events, status } = named("chat llama");
    expect(attributes).toMatchObject({
      "gen_ai.provider.name": "groq",
      "gen_ai.output.type": "json",
      "gen_ai.response.finish_reasons": ["stop"],
      "gen_ai.response.id": "gen-1",
      "gen_ai.usage.input_tokens": 5,
      "gen_ai.usage.output_tokens": 2,
      "gen_ai.usage.cache_read.input_tokens": 4,
    });
    expect(status).toEqual(unset);
    expect(events).toMatchObject([
      { name: "retry", attributes: { "roboz.retry.attempt": 2, "error.type": "LLMRateLimitExceededError" } },
    ]);
  });

  it("puts the run of an agent that is a tool below that tool", async () => {
    const spans = tracedSpans();
    const sink = otelSink(spans.tracer);
    const inner = traced([callBob], lunchTools()).agent.copy({ name: "inner", sinks: [sink] });
    const agent = new Agent({
      name: "outer",
      mode: "autonomous",
      systemPrompt: "x",
      endpoint: new MockLLMEndpoint([{ action: "inner", rationale, value: "go" }, stopNow], {
        modelName: "gpt-6",
      }),
      tools: [asTool(inner), finishTool],
      sinks: [sink],
    });
    await agent.complete();
    expect(spans.tree()).toEqual([
      "invoke_agent outer",
      "  chat gpt-6",
      "  execute_tool inner",
      "    invoke_agent inner",
      "      chat gpt-5",
      "      execute_tool ask_bob",
      "      link ask_bob -> book_table",
      "        execute_tool book_table",
      "  chat gpt-6",
      "  execute_tool finish",
    ]);
    const traces = new Set(spans.ended().map((span) => span.spanContext().traceId));
    expect(traces.size).toBe(1);
  });

  it("keeps the spans of runs at once apart, those of their agents as tools too", async () => {
    const spans = tracedSpans();
    const gates: (() => void)[] = [];
    const bob = askBob(
      () =>
        new Promise((resolve) => {
          gates.push(() => {
            resolve(Str({ value: "yes" }));
          });
        }),
    );
    const inner = new Agent({
      name: "inner",
      mode: "autonomous",
      systemPrompt: "x",
      endpoint: new MockLLMEndpoint(({ messages }) => (messages.length > 3 ? stopNow : callBob)),
      tools: [bob, finishTool],
    });
    const agent = new Agent({
      name: "outer",
      mode: "deterministic",
      defaultTools: [asTool(inner).copy({ name: "ask_inner" }), finishTool],
      sinks: [otelSink(spans.tracer)],
    });
    const runs = Promise.all([agent.complete("a"), agent.complete("b")]);
    while (gates.length < 2) await new Promise((resolve) => setImmediate(resolve));
    for (const open of gates.toReversed()) open();
    await runs;
    const outerRun = [
      "invoke_agent outer",
      "  execute_tool ask_inner",
      "    invoke_agent inner",
      "      chat mock",
      "      execute_tool ask_bob",
      "      chat mock",
      "      execute_tool finish",
      "  execute_tool finish",
    ];
    expect(spans.tree()).toEqual([...outerRun, ...outerRun]);
  });

  it("puts a run below the span that is active when it starts", async () => {
    const { agent, tracer, ended, named } = traced([callBob], lunchTools());
    const request = tracer.startSpan("GET /lunch");
    let active: Context = ROOT_CONTEXT;
    context.setGlobalContextManager({
      active: () => active,
      with: (inner, body, self, ...given) => {
        const outer = active;
        active = inner;
        try {
          return body.call(self, ...given);
        } finally {
          active = outer;
        }
      },
      bind: (_context, target) => target,
      enable() {
        return this;
      },
      disable() {
        return this;
      },
    });
    active = trace.setSpan(ROOT_CONTEXT, request);
    await agent.complete();
    request.end();
    expect(named("invoke_agent lunch").parentSpanContext?.spanId).toBe(request.spanContext().spanId);
    expect(ended()).toHaveLength(6);
  });
  afterEach(() => {
    context.disable();
  });

  it("ends the spans of a run that waits, and follows the link from its reply when it goes on", async () => {
    const ask = tool({
      name: "ask_user",
      description: "",
      input: Empty,
      output: [Int, Suspend],
      suspends: { request: Str.schema, reply: Int },
      run: () => Suspend({ request: { value: "How many?" } }),
    });
    const praise = tool({
      name: "praise",
      description: "",
      input: Int,
      output: Stop,
      chainedTo: ask,
      run: () => Stop(),
    });
    const spans = tracedSpans();
    const agent = new Agent({
      name: "asker",
      mode: "deterministic",
      defaultTools: [ask],
      tools: [praise],
      sinks: [otelSink(spans.tracer)],
    });
    const waiting = await agent.invoke();
    if (waiting.status !== "suspended") throw new Error("did not wait");
    expect(spans.tree()).toEqual(["invoke_agent asker", "  execute_tool ask_user"]);
    expect(spans.named("invoke_agent asker").attributes["roboz.run.status"]).toBe("suspended");
    await agent.resume(waiting.snapshot, { value: 3 });
    expect(spans.tree()).toEqual([
      "invoke_agent asker",
      "  execute_tool ask_user",
      "invoke_agent asker",
      "  link ask_user -> praise",
      "    execute_tool praise",
    ]);
  });

  it("takes no event of a tool's own for its end", async () => {
    const chatty = tool({
      name: "ask_bob",
      description: "",
      input: Empty,
      output: Str,
      run: (_input, { emit }) => {
        for (const kind of ["started", "failed", "succeeded"] as const)
          emit({ type: "runtime", kind, level: "info", message: "x", data: { tool: "ask_bob" } });
        return Str({ value: "yes" });
      },
    });
    const { agent, tree, named } = traced([callBob, stopNow], [chatty, finishTool]);
    await agent.complete();
    expect(tree()).toHaveLength(5);
    expect(named("execute_tool ask_bob").status).toEqual(unset);
  });

  it("ignores a run that it was attached to too late", () => {
    const spans = tracedSpans();
    const pipe = new EventPipe({ runId: "r", agentName: "a", sinks: [otelSink(spans.tracer)] });
    pipe.runtime("tool", "started", "debug", "x", { tool: "t", chosen_by: "model" });
    pipe.lifecycle("stopped", {
      agentDescription: "",
      parentAgentName: null,
      status: "completed",
    });
    expect(spans.tree()).toEqual([]);
  });
});
