// The program of the process that reads. It is started by PdfProcess, takes requests over its channel, and ends with it.
import { MemoryWatch } from "./memory-watch.ts";
import type { ReadRequest, ReaderMessage } from "./protocol.ts";

// The parser needs none of these, and what it reads may be hostile.
for (const name of ["fetch", "WebSocket", "EventSource"]) Reflect.deleteProperty(globalThis, name);

const watch = new MemoryWatch();
const { readDocument } = await import("./read-document.ts");

// A parser may still fail at something after its answer was given, which then counts.
process.on("unhandledRejection", () => undefined);
process.on("disconnect", () => process.exit());
process.on("message", (message) => {
  if (isRequest(message)) void answer(message);
});
say({ kind: "ready" });

async function answer(request: ReadRequest): Promise<void> {
  watch.isWatching = true;
  // A copy that is no Buffer: the parser takes the memory over.
  const bytes = Uint8Array.from(request.bytes);
  const outcome = await readDocument({ ...request, bytes }, (page, last) => {
    say({ kind: "page", page, last });
  });
  watch.isWatching = false;
  say({ kind: "done", outcome, resident: process.memoryUsage.rss() });
}

function say(message: ReaderMessage): void {
  process.send?.(message);
}

function isRequest(message: unknown): message is ReadRequest {
  return (
    typeof message === "object" &&
    message !== null &&
    "bytes" in message &&
    message.bytes instanceof Uint8Array
  );
}
