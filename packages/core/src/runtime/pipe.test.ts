import { setImmediate as settled } from "node:timers/promises";

import { describe, expect, it, vi } from "vitest";

import { parseMessage, userMessage } from "../values/message.ts";
import type { EventSink, RunEvent } from "./events.ts";
import { EventPipe, type PipeSettings } from "./pipe.ts";

const facts = { agentDescription: "", parentAgentName: null };

/** A pipe with a sink that keeps what it hears. */
function heard(settings: Partial<PipeSettings> = {}) {
  const events: RunEvent[] = [];
  const { sinks = [] } = settings;
  const keep: EventSink = (event) => events.push(event);
  const pipe = new EventPipe({ runId: "r", agentName: "a", ...settings, sinks: [...sinks, keep] });
  return { pipe, events };
}

function kinds(events: readonly RunEvent[]): readonly string[] {
  return events.map((event) => ("kind" in event ? `${event.type} ${event.kind}` : event.type));
}

describe("a pipe", () => {
  it("core 100: gives the deltas and the message they make one id, and each event the next number", () => {
    const { pipe, events } = heard();
    pipe.delta("hel");
    pipe.delta("");
    pipe.delta("lo");
    pipe.message(parseMessage({ role: "assistant", content: "hello" }));
    pipe.message(userMessage("next"));
    const [first, second, whole, next] = events;
    expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
    expect(first).toMatchObject({ type: "message-delta", delta: "hel", chunkIndex: 1, role: "assistant" });
    expect(second).toMatchObject({ type: "message-delta", delta: "lo", chunkIndex: 2 });
    if (first?.type !== "message-delta") throw new Error("no delta");
    expect(second).toMatchObject({ messageId: first.messageId });
    expect(whole).toMatchObject({ type: "message", messageId: first.messageId });
    expect(next).not.toHaveProperty("messageId");
  });

  it("goes on numbering where a run before it stopped", () => {
    const { pipe, events } = heard({ sequence: 7 });
    pipe.scriptOutput("a");
    expect(events).toMatchObject([{ sequence: 8, runId: "r", agentName: "a" }]);
  });

  it("makes no event when nobody listens", () => {
    const pipe = new EventPipe({ runId: "r", agentName: "a" });
    pipe.lifecycle("started", facts);
    pipe.delta("a");
    pipe.message(userMessage("a"));
    pipe.scriptOutput("a");
    pipe.runtime("tool", "started", "debug", "a");
    const events: RunEvent[] = [];
    pipe.addSink((event) => events.push(event));
    pipe.scriptOutput("b");
    expect(events).toMatchObject([{ sequence: 1, content: "b" }]);
  });

  it("delivers an event to all sinks before one that a sink causes", () => {
    const order: string[] = [];
    const note = (name: string) => (event: RunEvent) => {
      order.push(`${name} ${event.sequence}`);
    };
    const pipe = new EventPipe({
      runId: "r",
      agentName: "a",
      sinks: [
        (event) => {
          note("first")(event);
          if (event.sequence === 1) pipe.scriptOutput("caused");
        },
        note("second"),
      ],
    });
    pipe.scriptOutput("a");
    expect(order).toEqual(["first 1", "second 1", "first 2", "second 2"]);
  });

  it("lets a sink go, once or twice, and takes none after its end", () => {
    const { pipe, events } = heard();
    const other = vi.fn<EventSink>();
    const detach = pipe.addSink(other);
    const detachAgain = pipe.addSink(other);
    detach();
    detach();
    pipe.scriptOutput("a");
    expect(other).toHaveBeenCalledOnce();
    detachAgain();
    pipe.close();
    pipe.addSink(other);
    pipe.scriptOutput("b");
    expect(other).toHaveBeenCalledOnce();
    expect(events).toHaveLength(1);
  });

  it("gives a signal that has fired already to whoever asks late", () => {
    const { pipe } = heard();
    pipe.cancel("enough");
    pipe.cancel("again");
    pipe.interrupt();
    expect(pipe.cancelSignal).toMatchObject({ aborted: true, reason: "enough" });
    expect(pipe.interruptSignal.aborted).toBe(true);
    pipe.clearInterrupt();
    pipe.clearInterrupt();
    expect(pipe).toMatchObject({ isInterrupted: false, isCancelled: true, cancelReason: "enough" });
    expect(pipe.interruptSignal.aborted).toBe(false);
  });
});

describe("a sink that fails", () => {
  const broken = new TypeError("no disk");
  const failsLater: (event: RunEvent) => unknown = () => Promise.reject(broken);
  const failures: readonly { readonly why: string; readonly sink: EventSink; readonly errorType: string }[] =
    [
      {
        why: "with an error",
        sink: () => {
          throw broken;
        },
        errorType: "TypeError",
      },
      {
        why: "with something else",
        sink: () => {
          // eslint-disable-next-line @typescript-eslint/only-throw-error -- what untyped code may do
          throw "no disk";
        },
        errorType: "string",
      },
      { why: "later", sink: failsLater, errorType: "TypeError" },
    ];

  it.each(failures)(
    "instead of core 97, design row 9: $why is reported once and detached, and the run goes on",
    async ({ sink, errorType }) => {
      const calls = vi.fn(sink);
      const { pipe, events } = heard({ sinks: [calls] });
      pipe.message(userMessage("a"));
      await settled();
      pipe.message(userMessage("b"));
      await settled();
      expect(calls).toHaveBeenCalledOnce();
      expect(kinds(events).filter((kind) => kind !== "message")).toEqual(["runtime failed"]);
      expect(events).toContainEqual(
        expect.objectContaining({ category: "run", level: "error", data: { errorType } }),
      );
      expect(events.filter(({ type }) => type === "message")).toHaveLength(2);
    },
  );

  it("core 97: fails what it heard of when sinks are strict", () => {
    const { pipe, events } = heard({ sinks: [() => { throw broken; }], strictSinks: true }); // prettier-ignore
    expect(() => {
      pipe.message(userMessage("a"));
    }).toThrow(broken);
    expect(events).toEqual([]);
  });

  it("core 97: later, fails the next event when sinks are strict", async () => {
    const late = vi.fn(failsLater);
    const pipe = new EventPipe({ runId: "r", agentName: "a", sinks: [late], strictSinks: true });
    pipe.message(userMessage("a"));
    await settled();
    expect(pipe.isListening).toBe(true);
    expect(() => {
      pipe.message(userMessage("b"));
    }).toThrow(broken);
  });

  it("is not reported when it was taken off meanwhile", async () => {
    const { pipe, events } = heard();
    const detach = pipe.addSink(failsLater);
    pipe.scriptOutput("a");
    detach();
    await settled();
    expect(kinds(events)).toEqual(["script-output"]);
  });
});
