export { otelSink } from "./otel-sink.ts";
export type { OtelSinkOptions } from "./otel-sink.ts";
