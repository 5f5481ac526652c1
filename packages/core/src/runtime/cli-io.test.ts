import { PassThrough } from "node:stream";
import { setImmediate as settled } from "node:timers/promises";

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { cliUserIo } from "./cli-io.ts";

class Screen {
  text = "";

  write(text: string): void {
    this.text += text;
  }
}

const gone = { code: "core/user-input-unavailable" };

function terminal({ isTTY = false } = {}) {
  const input = Object.assign(new PassThrough(), { isTTY });
  const output = new Screen();
  return { input, output, io: cliUserIo({ input, output }) };
}

describe("cliUserIo", () => {
  it("asks for one line after another, whatever pieces they come in", async () => {
    const { input, output, io } = terminal();
    input.write("one\ntwo\r\n\nfo");
    expect(await io.ask("1?")).toEqual({ value: "one" });
    expect(await io.ask("2?")).toEqual({ value: "two" });
    expect(await io.ask("3?")).toEqual({ value: "" });
    const fourth = io.ask("4?");
    input.write("ur\n");
    expect(await fourth).toEqual({ value: "four" });
    expect(output.text).toBe("1?\n> one\n2?\n> two\n3?\n> \n4?\n> four\n");
  });

  it("asks nobody who does not see the question", async () => {
    const input = new PassThrough();
    const output = {
      write: () => {
        throw Object.assign(new Error("gone"), { code: "EPIPE" });
      },
    };
    const io = cliUserIo({ input, output });
    input.write("one\n");
    expect(io.isLive).toBe(true);
    await expect(io.ask("?")).rejects.toMatchObject(gone);
    expect(io.isLive).toBe(false);
  });

  it("leaves out the line break that a person at a terminal has typed", async () => {
    const { input, output, io } = terminal({ isTTY: true });
    input.write("one\ntwo\n");
    await io.ask("1?");
    await io.ask("2?");
    expect(output.text).toBe("1?\n> 2?\n> ");
  });

  it("does not echo what a terminal has shown already", async () => {
    const { input, output, io } = terminal({ isTTY: true });
    input.write("one\n");
    await io.ask("1?");
    expect(output.text).toBe("1?\n> ");
  });

  it("keeps a character whole that comes in two pieces", async () => {
    const { input, io } = terminal();
    const bytes = Buffer.from("🟡\n");
    const reply = io.ask("?");
    input.write(bytes.subarray(0, 2));
    await settled();
    input.write(bytes.subarray(2));
    expect(await reply).toEqual({ value: "🟡" });
  });

  it("reads text from a stream that decodes by itself", async () => {
    const { input, io } = terminal();
    input.setEncoding("utf8");
    input.write("ö\n");
    expect(await io.ask("?")).toEqual({ value: "ö" });
  });

  it("keeps lines that come together in separate pieces", async () => {
    const { input, io } = terminal();
    const reply = io.ask("?");
    input.write("one\n");
    input.write("two\n");
    expect(await reply).toEqual({ value: "one" });
    expect(await io.ask("?")).toEqual({ value: "two" });
  });

  it("takes a last line without a line break, then is not live and refuses", async () => {
    const { input, io } = terminal();
    input.end("last");
    expect(io.isLive).toBe(true);
    expect(await io.ask("?")).toEqual({ value: "last" });
    expect(io.isLive).toBe(false);
    await expect(io.ask("?")).rejects.toMatchObject(gone);
  });

  it.each([
    { why: "ends", stop: (input: PassThrough) => input.end() },
    { why: "breaks", stop: (input: PassThrough) => input.destroy(new Error("gone")) },
    { why: "is closed", stop: (input: PassThrough) => input.destroy() },
  ])("refuses a question during which the input $why", async ({ stop }) => {
    const { input, io } = terminal();
    const reply = io.ask("?");
    await settled();
    stop(input);
    await expect(reply).rejects.toMatchObject(gone);
    expect(io.isLive).toBe(false);
  });

  it("puts questions one after another, and shares lines between channels of one stream", async () => {
    const { input, output, io } = terminal();
    const other = cliUserIo({ input, output });
    const replies = Promise.all([io.ask("1?"), other.ask("2?"), io.ask("3?")]);
    input.write("one\ntwo\nthree\n");
    expect(await replies).toEqual([{ value: "one" }, { value: "two" }, { value: "three" }]);
    expect(output.text).toBe("1?\n> one\n2?\n> two\n3?\n> three\n");
  });

  it("rejects with the signal's reason while it waits, and leaves the line for the next question", async () => {
    const { input, output, io } = terminal();
    const controller = new AbortController();
    const reason = new Error("enough");
    const reply = io.ask("1?", { signal: controller.signal });
    await settled();
    controller.abort(reason);
    await expect(reply).rejects.toBe(reason);
    input.write("one\n");
    expect(await io.ask("2?")).toEqual({ value: "one" });
    expect(output.text).toBe("1?\n> \n2?\n> one\n");
  });

  it("rejects while others are asked first, and does not keep the next from being asked", async () => {
    const { input, output, io } = terminal();
    const controller = new AbortController();
    const first = io.ask("1?");
    const second = io.ask("2?", { signal: controller.signal });
    const third = io.ask("3?");
    await settled();
    controller.abort("enough");
    await expect(second).rejects.toBe("enough");
    input.write("one\nthree\n");
    expect(await first).toEqual({ value: "one" });
    expect(await third).toEqual({ value: "three" });
    expect(output.text).not.toContain("2?");
  });

  it("prints nothing for a signal that has fired already", async () => {
    const { output, io } = terminal();
    await expect(io.ask("?", { signal: AbortSignal.abort("no") })).rejects.toBe("no");
    expect(output.text).toBe("");
  });

  it("prints notices and questions without the effect of control characters", async () => {
    const { input, output, io } = terminal();
    await io.notify("a\u001b[2J");
    input.write("b\u0007\n");
    await io.ask("c\u001b?");
    expect(output.text).toBe("a␛[2J\nc␛?\n> b␇\n");
  });

  it("reads from the standard input and writes to the standard output by default", () => {
    expect(cliUserIo().isLive).toBeTypeOf("boolean");
  });
});

describe("the time to answer", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("gives null when it is over, and reads no further", async () => {
    const { input, output, io } = terminal();
    const reply = io.ask("?", { timeoutMs: 1_000 });
    await settled();
    expect(input.listenerCount("data")).toBe(1);
    vi.advanceTimersByTime(1_000);
    expect(await reply).toBeNull();
    await settled();
    expect(input.listenerCount("data")).toBe(0);
    expect(input.isPaused()).toBe(true);
    expect(output.text).toBe("?\n> \n");
  });

  it.each([
    { why: "a reply in time", timeoutMs: 1_000 },
    { why: "one that no timer can count", timeoutMs: 2 ** 40 },
  ])("leaves no timer behind: $why", async ({ timeoutMs }) => {
    const { input, io } = terminal();
    const reply = io.ask("?", { timeoutMs });
    await settled();
    input.write("one\n");
    expect(await reply).toEqual({ value: "one" });
    expect(vi.getTimerCount()).toBe(0);
  });
});
