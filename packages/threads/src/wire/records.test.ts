import { describe, expect, it } from "vitest";
import { contentSchema, givenContentSchema } from "./blocks.ts";
import { AgentMessage, messageSchema } from "./message.ts";
import { nanosecondsSchema } from "./nanoseconds.ts";
import { analysisScopeSchema, mergedScope } from "./scope.ts";
import { threadDeltaSchema, threadRecordSchema } from "./thread.ts";

const record = {
  thread_id: "ath_1",
  org_id: "og_1",
  created: "2026-01-01T00:00:00Z",
  created_by: "u1",
  status: "user_turn",
  continuation_token: "s0",
};

it("threads 1: fields by their older names are read", () => {
  const { thread_id: chat_id, ...others } = record;
  const older = { ...others, chat_id, forked_from_session_id: "ags_0", forked_from_message_sequence_num: 2 };
  expect(threadRecordSchema.parse(older)).toMatchObject({
    thread_id: "ath_1",
    forked_from_thread_id: "ags_0",
  });
});

it("threads 3: blocks without a type are told by their shape", () => {
  const content = [
    { text: "a" },
    { tool_name: "t", tool_use_id: "1" },
    { tool_name: "t", tool_use_id: "1", runtime_ms: 3, status: "success" },
    { error_message: "no" },
  ];
  const message = messageSchema.parse({ role: "assistant", content });
  expect(message.content.map(({ content_type }) => content_type)).toEqual([
    "text",
    "tool_use",
    "tool_result",
    "error",
  ]);
});

it("reads a block of a kind it does not know as it is, and takes none", () => {
  const block = { content_type: "hologram", rays: [1] };
  expect(contentSchema.parse(block)).toEqual(block);
  expect(givenContentSchema.safeParse(block).success).toBe(false);
});

it.each([{ block: {} }, { block: { tool_name: "t" } }, { block: null }, { block: "text" }])(
  "refuses $block as a block, whoever reads it",
  ({ block }) => {
    expect(contentSchema.safeParse(block).success).toBe(false);
    expect(givenContentSchema.safeParse(block).success).toBe(false);
  },
);

it("threads 5: a status nobody knows is read as it is", () => {
  expect(threadRecordSchema.parse({ ...record, status: "asleep" }).status).toBe("asleep");
});

it("threads 6: a message without status and time is not started and was created now", () => {
  const message = messageSchema.parse({ role: "user", content: [] });
  expect(message.status).toBe("not_started");
  expect(Number.isNaN(Date.parse(message.created))).toBe(false);
});

it("threads 7: what a user wrote is never unsuccessful", () => {
  const failed = { content: [], status: "failed" };
  expect(AgentMessage.isUnsuccessful(messageSchema.parse({ ...failed, role: "user" }))).toBe(false);
  expect(AgentMessage.isUnsuccessful(messageSchema.parse({ ...failed, role: "assistant" }))).toBe(true);
});

it("threads 9: fields nobody knows are left out", () => {
  const extra = { novel: 1 };
  expect(threadRecordSchema.parse({ ...record, ...extra })).not.toHaveProperty("novel");
  expect(threadDeltaSchema.parse({ continuation_token: "s1", ...extra })).not.toHaveProperty("novel");
  expect(contentSchema.parse({ text: "a", ...extra })).toEqual({ content_type: "text", text: "a" });
});

describe("nanoseconds", () => {
  it.each([
    { given: 1733850000123456789n, value: 1733850000123456789n },
    { given: "1733850000123456789", value: 1733850000123456789n },
    { given: -5, value: -5n },
  ])("are read from $given", ({ given, value }) => {
    expect(nanosecondsSchema.parse(given)).toBe(value);
  });

  it.each([2 ** 53, 1.5, "", "1e3", " 1", true, null, "9".repeat(65)])("are not read from %s", (given) => {
    expect(nanosecondsSchema.safeParse(given).success).toBe(false);
  });
});

it("threads 133: a scope that ends before it starts is refused, and zero is a bound", () => {
  expect(analysisScopeSchema.safeParse({ start_time: 2, end_time: 1 }).success).toBe(false);
  const equal = analysisScopeSchema.parse({ start_time: 2, end_time: 2 });
  expect(mergedScope(equal, analysisScopeSchema.parse({ end_time: 0 }))).toEqual({
    start_time: 2n,
    end_time: 0n,
  });
});
