import { describe, expect, it } from "vitest";

import {
  answerFrame,
  encodeFrame,
  FrameError,
  FrameReader,
  greetingFrame,
  mostFrameBytes,
  outputPieces,
  requestFrame,
} from "./frames.ts";

function read(...chunks: readonly (string | Buffer)[]): readonly unknown[] {
  const reader = new FrameReader();
  const messages: unknown[] = [];
  for (const chunk of chunks) {
    reader.add(Buffer.from(chunk));
    for (let next = reader.next(); next !== undefined; next = reader.next()) messages.push(next.message);
  }
  return messages;
}

function parsed(line: string): unknown {
  return JSON.parse(line);
}

describe("frames", () => {
  it("are lines of JSON, however they are cut on their way", () => {
    const bytes = Buffer.concat([
      encodeFrame({ kind: "request", script: "é😀.sh" }),
      encodeFrame({ kind: "request", script: null }),
    ]);
    const messages = [
      { kind: "request", script: "é😀.sh" },
      { kind: "request", script: null },
    ];
    expect(read(bytes)).toEqual(messages);
    expect(read(...[...bytes].map((byte) => Buffer.from([byte])))).toEqual(messages);
    for (let cut = 1; cut < bytes.length; cut += 1)
      expect(read(bytes.subarray(0, cut), bytes.subarray(cut))).toEqual(messages);
  });

  it.each([
    { why: "no JSON", line: "hello\n" },
    { why: "empty", line: "\n" },
    { why: "no UTF-8", line: Buffer.from([0x22, 0xff, 0x22, 0x0a]) },
    { why: "too long", line: `"${"x".repeat(mostFrameBytes - 2)}"\n` },
    { why: "too long without an end", line: "x".repeat(mostFrameBytes) },
  ])("are refused when one is $why", ({ line }) => {
    expect(() => read(line)).toThrow(FrameError);
  });

  it("may have 524,288 bytes with the line end", () => {
    expect(read(`"${"x".repeat(mostFrameBytes - 3)}"\n`)).toHaveLength(1);
  });

  const greeting = { kind: "greeting", protocol: 2, roboz: "1.0.0", timeout_s: 0.5, max_output_bytes: 10 };
  const completion = { kind: "completion", status: "success", exit_code: 0, diagnostic: "" };

  it.each([
    { why: "a greeting", schema: greetingFrame, message: greeting },
    { why: "a request", schema: requestFrame, message: { kind: "request", script: "a.sh" } },
    { why: "a request for the list", schema: requestFrame, message: { kind: "request", script: null } },
    { why: "output", schema: answerFrame, message: { kind: "output", output: "" } },
    {
      why: "an entry",
      schema: answerFrame,
      message: { kind: "entry", script: "a.sh", description: "😀".repeat(512) },
    },
    { why: "success", schema: answerFrame, message: completion },
    { why: "a failure", schema: answerFrame, message: { ...completion, status: "failed", exit_code: 3 } },
    {
      why: "a failure without code",
      schema: answerFrame,
      message: { ...completion, status: "failed", exit_code: null },
    },
    { why: "a timeout", schema: answerFrame, message: { ...completion, status: "timeout", exit_code: null } },
    {
      why: "a long diagnostic",
      schema: answerFrame,
      message: { ...completion, diagnostic: "😀".repeat(4096) },
    },
  ])("may be $why", ({ schema, message }) => {
    expect(schema.safeParse(message).success).toBe(true);
  });

  it.each([
    { why: "a greeting of another version", schema: greetingFrame, message: { ...greeting, protocol: 1 } },
    { why: "a greeting with more in it", schema: greetingFrame, message: { ...greeting, pid: 1 } },
    {
      why: "a greeting with a text as number",
      schema: greetingFrame,
      message: { ...greeting, timeout_s: "1" },
    },
    {
      why: "a greeting with half a byte",
      schema: greetingFrame,
      message: { ...greeting, max_output_bytes: 0.5 },
    },
    { why: "a greeting without time", schema: greetingFrame, message: { ...greeting, timeout_s: 0 } },
    {
      why: "shed 134: a request with more in it",
      schema: requestFrame,
      message: { kind: "request", script: null, x: 1 },
    },
    {
      why: "shed 134: a request with a name that objects have",
      schema: requestFrame,
      message: parsed('{"kind":"request","script":null,"__proto__":1}'),
    },
    { why: "a request without its field", schema: requestFrame, message: { kind: "request" } },
    { why: "a request with a number", schema: requestFrame, message: { kind: "request", script: 1 } },
    { why: "no object", schema: requestFrame, message: [] },
    {
      why: "a long description",
      schema: answerFrame,
      message: { kind: "entry", script: "a", description: "x".repeat(513) },
    },
    { why: "success with code 1", schema: answerFrame, message: { ...completion, exit_code: 1 } },
    { why: "success without code", schema: answerFrame, message: { ...completion, exit_code: null } },
    { why: "a failure with code 0", schema: answerFrame, message: { ...completion, status: "failed" } },
    { why: "a timeout with code", schema: answerFrame, message: { ...completion, status: "timeout" } },
    { why: "an unknown status", schema: answerFrame, message: { ...completion, status: "done" } },
    {
      why: "a code that is true",
      schema: answerFrame,
      message: { ...completion, status: "failed", exit_code: true },
    },
    { why: "no diagnostic", schema: answerFrame, message: { ...completion, diagnostic: null } },
    {
      why: "a diagnostic that is too long",
      schema: answerFrame,
      message: { ...completion, diagnostic: "x".repeat(4097) },
    },
  ])("are never $why", ({ schema, message }) => {
    expect(schema.safeParse(message).success).toBe(false);
  });
});

describe("output in pieces", () => {
  it.each([
    { why: "plain text", text: "x".repeat(200_000) },
    { why: "control characters, which take six bytes each", text: "\u0001".repeat(200_000) },
    { why: "characters of two units", text: `x${"😀".repeat(100_000)}` },
    { why: "halves of such characters", text: "\ud83d".repeat(100_000) },
    { why: "nothing", text: "" },
  ])("fits the frames and is whole again when put together: $why", ({ text }) => {
    const pieces = outputPieces(text);
    expect(pieces.join("")).toBe(text);
    for (const output of pieces)
      expect(encodeFrame({ kind: "output", output }).length).toBeLessThanOrEqual(mostFrameBytes);
    if (text.includes("😀")) expect(pieces.filter((piece) => /\p{Surrogate}/u.test(piece))).toEqual([]);
  });
});
