import { readFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { SearchProcess } from "./search-process.ts";

const { signal } = new AbortController();

async function* blocks(count: number): AsyncGenerator<Buffer, void> {
  for (let index = 0; index < count; index++) yield await Promise.resolve(Buffer.alloc(64 * 1024, "a\n"));
}

async function sizeOf(stream: AsyncIterable<unknown>): Promise<number> {
  let size = 0;
  for await (const chunk of stream) size += Buffer.isBuffer(chunk) ? chunk.length : 0;
  return size;
}

describe.runIf(process.platform !== "win32")("a program that a search runs", () => {
  it("may fill both of its outputs at once (SQ-14)", async () => {
    const script = "yes out | head -c 3000000 & yes err | head -c 3000000 >&2; wait";
    const program = new SearchProcess("/bin/sh", ["-c", script], { descriptors: [], input: null, signal });
    expect(await sizeOf(program.stdout)).toBe(3_000_000);
    const { status, stderr } = await program.ended();
    expect(status).toBe(0);
    expect(stderr.length).toBeLessThan(1_000_000);
  });

  it.each([
    { why: "at once", script: "exec <&-; echo done" },
    { why: "after some of it", script: "head -c 100000 >/dev/null; echo done" },
  ])("may close its input early: $why (SQ-14)", async ({ script }) => {
    const program = new SearchProcess("/bin/sh", ["-c", script], {
      descriptors: [],
      input: blocks(100),
      signal,
    });
    expect(await sizeOf(program.stdout)).toBe("done\n".length);
    expect(await program.ended()).toEqual({ status: 0, stderr: "" });
  });

  it("loses nothing of what it wrote when it ended before anybody listened", async () => {
    const program = new SearchProcess("/bin/sh", ["-c", "echo early"], {
      descriptors: [],
      input: null,
      signal,
    });
    await program.ended();
    expect(await sizeOf(program.stdout)).toBe("early\n".length);
  });

  it("tells when its input could not be read", async () => {
    async function* failing(): AsyncGenerator<Buffer, void> {
      yield await Promise.resolve(Buffer.from("a\n"));
      throw new Error("no more");
    }
    const program = new SearchProcess("/bin/cat", [], { descriptors: [], input: failing(), signal });
    await sizeOf(program.stdout);
    await expect(program.ended()).rejects.toThrow("no more");
  });

  it("is gone with its own children once the signal fires (SQ-11)", async () => {
    const abort = new AbortController();
    const program = new SearchProcess("/bin/sh", ["-c", "sleep 1000 & echo $!; wait"], {
      descriptors: [],
      input: null,
      signal: abort.signal,
    });
    let said = "";
    for await (const chunk of program.stdout.take(1)) said += String(chunk);
    const child = Number(said);
    abort.abort(new Error("enough"));
    await expect(program.ended()).rejects.toThrow("enough");
    // A killed process stays for a moment; should it stay longer, the test runs out of time.
    while (isRunning(child)) await setImmediate();
    expect(isRunning(child)).toBe(false);
  });
});

function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
