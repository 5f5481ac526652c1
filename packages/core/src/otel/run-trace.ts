import {
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
  type SpanContext,
  type Tracer,
} from "@opentelemetry/api";

import type { MessageEvent, RunEvent, RunLifecycleEvent, RuntimeEvent } from "../runtime/events.ts";
import { contentObject } from "../values/message.ts";
import { Facts, names, runAttributes } from "./attributes.ts";
import { ContentCapture } from "./content-capture.ts";
import type { OtelSinkOptions } from "./otel-sink.ts";

/** A tool under way. */
interface OpenTool {
  readonly name: string;
  readonly span: Span;
  readonly context: Context;
  /** The link that led to it, if one did. */
  readonly link: Span | undefined;
}

/** A tool that has run. */
interface EndedTool {
  readonly name: string;
  readonly spanContext: SpanContext | undefined;
}

/** The default that asks the model; its model calls are shown instead. */
const prompter = "prompt_llm";

/** The spans of one run. */
export class RunTrace {
  readonly #tracer: Tracer;
  readonly #span: Span;
  readonly #context: Context;
  readonly #asksModel: boolean;
  readonly #content: ContentCapture | undefined;
  readonly #calls = new Map<string, Span>();
  readonly #usage = new Map<string, number>();
  /** Of the last model call. */
  #finishReason = "unknown";
  #tool: OpenTool | undefined;
  #last: EndedTool | undefined;
  /** A span that is over but for the message that follows. */
  #awaiting: { readonly attribute: string; readonly end: () => void; readonly span: Span } | undefined;
  /** The tool whose output the last message is, while no tool has run yet. */
  #caller: string | undefined;
  readonly #conversation: string;
  #sequence: number;

  constructor(tracer: Tracer, event: RunLifecycleEvent, parent: Context, options: OtelSinkOptions) {
    this.#tracer = tracer;
    this.#sequence = event.sequence;
    this.#conversation = event.runId;
    this.#asksModel = event.modelName !== undefined;
    this.#content = options.captureContent === true ? new ContentCapture(options) : undefined;
    this.#span = tracer.startSpan(
      `invoke_agent ${event.agentName}`,
      { kind: SpanKind.INTERNAL, attributes: runAttributes(event) },
      parent,
    );
    this.#context = trace.setSpan(parent, this.#span);
  }

  /** The number of the last event that was heard. */
  get sequence(): number {
    return this.#sequence;
  }

  /** Where the spans of what runs now belong. */
  get innermost(): Context {
    return this.#tool?.context ?? this.#context;
  }

  hear(event: RunEvent): void {
    this.#sequence = event.sequence;
    switch (event.type) {
      case "runtime":
        if (event.category === "llm") this.#hearCall(event);
        else if (event.category === "tool") this.#hearTool(event);
        return;
      case "message":
        this.#hearMessage(event);
        return;
      case "run-lifecycle":
        this.#stop(event);
        return;
      case "message-delta":
      case "script-output":
    }
  }

  #hearCall({ kind, message, data }: RuntimeEvent): void {
    const facts = new Facts(data);
    const callId = facts.text("call_id") ?? "";
    if (kind === "started") {
      this.#settle();
      this.#calls.set(callId, this.#startCall(facts));
      return;
    }
    const span = this.#calls.get(callId);
    if (span === undefined) return;
    if (kind === "retrying") {
      span.addEvent(
        "retry",
        facts.attributes({
          [names.attempt]: "attempt",
          [names.delayMs]: "delay_ms",
          [names.errorType]: "error_type",
        }),
      );
      return;
    }
    // Without a duration it is a remark on the call, not its end.
    if (facts.number("duration_ms") === undefined) return;
    this.#calls.delete(callId);
    span.setAttributes(
      facts.attributes({
        [names.inputTokens]: "token_input",
        [names.outputTokens]: "token_output",
        [names.cachedTokens]: "token_cached",
        [names.responseId]: "provider_generation_id",
        [names.httpStatus]: "status",
      }),
    );
    for (const [attribute, fact] of [
      [names.inputTokens, "token_input"],
      [names.outputTokens, "token_output"],
    ] as const) {
      const tokens = facts.number(fact);
      if (tokens !== undefined) this.#usage.set(attribute, (this.#usage.get(attribute) ?? 0) + tokens);
    }
    const finishReason = facts.text("finish_reason");
    if (finishReason !== undefined) span.setAttribute(names.finishReasons, [finishReason]);
    this.#finishReason = finishReason ?? "unknown";
    finish(span, kind, facts, message);
    this.#endWith(span, kind === "succeeded" ? names.outputMessages : undefined, () => {
      span.end();
    });
  }

  #startCall(facts: Facts): Span {
    const model = facts.text("model") ?? "";
    const format = facts.text("output_format");
    return this.#tracer.startSpan(
      `chat ${model}`,
      {
        kind: SpanKind.CLIENT,
        attributes: {
          [names.operation]: "chat",
          [names.requestModel]: model,
          [names.conversation]: this.#conversation,
          ...facts.attributes({ [names.provider]: "endpoint" }),
          ...(format === "json" || format === "text" ? { [names.outputType]: format } : {}),
          ...(this.#content === undefined ? {} : { [names.inputMessages]: this.#content.conversation() }),
        },
      },
      this.innermost,
    );
  }

  #hearTool({ kind, message, data }: RuntimeEvent): void {
    const facts = new Facts(data);
    const toolName = facts.text("tool");
    if (toolName === undefined) return;
    const chosenBy = facts.text("chosen_by");
    // Without it, it is an event of the tool's own.
    if (kind === "started" && chosenBy !== undefined) {
      this.#settle();
      if (toolName !== prompter || !this.#asksModel) this.#tool = this.#startTool(toolName, chosenBy);
      return;
    }
    const tool = this.#tool;
    if (tool?.name !== toolName) return;
    if (kind === "retrying") {
      tool.span.addEvent(
        "retry",
        facts.attributes({ [names.attempt]: "attempt", [names.errorType]: "error_type" }),
      );
      return;
    }
    if (facts.number("duration_ms") === undefined) return;
    this.#tool = undefined;
    if (kind === "succeeded") this.#last = { name: toolName, spanContext: tool.span.spanContext() };
    finish(tool.span, kind, facts, message);
    this.#endWith(tool.span, kind === "succeeded" ? names.toolResult : undefined, () => {
      tool.span.end();
      tool.link?.end();
    });
  }

  #startTool(toolName: string, chosenBy: string): OpenTool {
    const link = chosenBy === "chain" ? this.#startLink(toolName) : undefined;
    const parent = link === undefined ? this.#context : trace.setSpan(this.#context, link);
    const given = chosenBy === "model" ? this.#content?.lastCall() : undefined;
    const span = this.#tracer.startSpan(
      `execute_tool ${toolName}`,
      {
        kind: SpanKind.INTERNAL,
        attributes: {
          [names.operation]: "execute_tool",
          [names.toolName]: toolName,
          [names.toolType]: "function",
          [names.conversation]: this.#conversation,
          [names.chosenBy]: chosenBy,
          ...(given === undefined ? {} : { [names.toolArguments]: given }),
        },
      },
      parent,
    );
    return { name: toolName, span, context: trace.setSpan(parent, span), link };
  }

  /** The link from the tool that ran last; points at that tool's span, where it is in this trace. */
  #startLink(child: string): Span {
    const parent = this.#last?.name ?? this.#caller ?? "";
    const from = this.#last?.spanContext;
    return this.#tracer.startSpan(
      `link ${parent} -> ${child}`,
      {
        kind: SpanKind.INTERNAL,
        attributes: {
          [names.linkParent]: parent,
          [names.linkChild]: child,
          [names.conversation]: this.#conversation,
        },
        ...(from === undefined ? {} : { links: [{ context: from }] }),
      },
      this.#context,
    );
  }

  #hearMessage({ message }: MessageEvent): void {
    // A run that goes on with a reply follows a link from a tool that ran before.
    if (this.#last === undefined) this.#caller = callerOf(message.content);
    const content = this.#content;
    if (content === undefined) return;
    const text = content.add(message);
    if (this.#awaiting?.attribute === names.toolResult)
      this.#awaiting.span.setAttribute(names.toolResult, text);
    else if (message.role === "assistant")
      this.#awaiting?.span.setAttribute(names.outputMessages, content.reply(this.#finishReason));
    this.#settle();
  }

  /** Ends a span, now or with the message that is its content. */
  #endWith(span: Span, attribute: string | undefined, end: () => void): void {
    if (this.#content === undefined || attribute === undefined) end();
    else this.#awaiting = { attribute, end, span };
  }

  #settle(): void {
    this.#awaiting?.end();
    this.#awaiting = undefined;
  }

  #stop({ status, errorType }: RunLifecycleEvent): void {
    this.#settle();
    // What a cancelled run waited for is abandoned, and says no more.
    for (const span of [...this.#calls.values(), this.#tool?.span, this.#tool?.link]) {
      span?.setAttribute(names.outcome, "abandoned");
      span?.end();
    }
    this.#calls.clear();
    this.#tool = undefined;
    // Those of its own model calls; runs of agents that were its tools have spans with their own.
    this.#span.setAttributes(Object.fromEntries(this.#usage));
    if (status !== undefined) this.#span.setAttribute(names.runStatus, status);
    if (status === "failed") {
      this.#span.setAttribute(names.errorType, errorType ?? "_OTHER");
      this.#span.setStatus({ code: SpanStatusCode.ERROR, message: "The run failed" });
    }
    this.#span.end();
  }
}

/** Records how a call or a tool ended; a cancelled one is no error. */
function finish(span: Span, kind: RuntimeEvent["kind"], facts: Facts, message: string): void {
  if (kind === "failed" || kind === "timed_out") {
    span.setAttribute(names.errorType, facts.text("error_type") ?? "_OTHER");
    span.setStatus({ code: SpanStatusCode.ERROR, message });
  } else if (kind !== "succeeded") span.setAttribute(names.outcome, kind);
}

/** The tool that a message is the output of. */
function callerOf(content: string): string | undefined {
  const caller = contentObject(content)?.["caller"];
  return typeof caller === "string" ? caller : undefined;
}
