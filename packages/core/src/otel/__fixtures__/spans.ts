import type { Tracer } from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from "@opentelemetry/sdk-trace-base";

/** A tracer whose ended spans can be looked at. */
export interface TracedSpans {
  readonly tracer: Tracer;
  readonly ended: () => readonly ReadableSpan[];
  /** The one span of this name. */
  readonly named: (name: string) => ReadableSpan;
  /** The names of the spans as a tree, in the order in which they began, a line each. */
  readonly tree: () => readonly string[];
}

export function tracedSpans(): TracedSpans {
  const exporter = new InMemorySpanExporter();
  /** Spans by when they began: times are too coarse to tell. */
  const begun: string[] = [];
  const provider = new BasicTracerProvider({
    spanProcessors: [
      new SimpleSpanProcessor(exporter),
      {
        onStart: (span) => void begun.push(span.spanContext().spanId),
        onEnd: () => undefined,
        forceFlush: () => Promise.resolve(),
        shutdown: () => Promise.resolve(),
      },
    ],
  });
  const ended = (): readonly ReadableSpan[] => exporter.getFinishedSpans();
  const linesBelow = (parentId: string | undefined, depth: number): readonly string[] =>
    ended()
      .filter((span) => span.parentSpanContext?.spanId === parentId)
      .toSorted((one, other) => begun.indexOf(idOf(one)) - begun.indexOf(idOf(other)))
      .flatMap((span) => [`${"  ".repeat(depth)}${span.name}`, ...linesBelow(idOf(span), depth + 1)]);
  return {
    tracer: provider.getTracer("test"),
    ended,
    named: (name) => {
      const [span, ...others] = ended().filter((one) => one.name === name);
      if (span === undefined || others.length > 0)
        throw new Error(`${others.length + Number(span !== undefined)} spans are \`${name}\``);
      return span;
    },
    tree: () => {
      if (begun.length !== ended().length)
        throw new Error(`${begun.length} spans began, ${ended().length} ended`);
      return linesBelow(undefined, 0);
    },
  };
}

function idOf(span: ReadableSpan): string {
  return span.spanContext().spanId;
}
