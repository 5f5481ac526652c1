import { EventEmitter } from "node:events";
import { expect, it, vi } from "vitest";
import { SearchProcess } from "./search-process.ts";

// As Node gives it when there are no descriptors for its pipes: without streams, and the error comes later.
vi.mock("node:child_process", () => ({
  spawn: () => {
    const child = new EventEmitter();
    process.nextTick(() => {
      child.emit(
        "error",
        Object.assign(new Error("spawn grep EMFILE"), { code: "EMFILE", syscall: "spawn" }),
      );
    });
    return child;
  },
}));

it("ends, and says why, where there are no descriptors left for a process", async () => {
  const input = (async function* () {
    await Promise.resolve();
    yield Buffer.from("line\n");
  })();
  const process = new SearchProcess("/usr/bin/grep", ["line"], {
    descriptors: [],
    input,
    signal: new AbortController().signal,
  });
  const chunks: unknown[] = [];
  for await (const chunk of process.stdout) chunks.push(chunk);
  expect(chunks).toEqual([]);
  expect(await process.ended()).toEqual({ status: 126, stderr: "Cannot be run: Too many open files\n" });
});
