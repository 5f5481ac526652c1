import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod";
import {
  clientTool,
  nanosecondsSchema,
  RobotoHttpException,
  RobotoLimitExceededException,
  ThreadsError,
  type AgentContent,
  type AgentEvent,
  type AgentGoalResult,
  type AgentThread,
  type ClientTool,
} from "./index.ts";

declare const thread: AgentThread;
declare const event: AgentEvent;
declare const block: AgentContent;
declare const result: AgentGoalResult;

describe("the types of a client tool", () => {
  it("give `execute` what the schema gives, not what it takes", () => {
    const tool = clientTool({
      name: "t",
      description: "T.",
      input: z.object({
        at: nanosecondsSchema,
        limit: z.int().default(3),
        words: z.string().transform((w) => w.length),
      }),
      execute: (args, { threadId, signal }) => {
        expectTypeOf(args).toEqualTypeOf<{ at: bigint; limit: number; words: number }>();
        expectTypeOf(threadId).toEqualTypeOf<string>();
        expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
      },
      approve: ({ limit }) => limit < 9,
    });
    expectTypeOf(tool).toEqualTypeOf<ClientTool>();
  });

  it("give arguments as they come where a JSON Schema describes them", () => {
    clientTool({
      name: "t",
      description: "T.",
      input: { type: "object" },
      execute: (args) => {
        expectTypeOf(args).toEqualTypeOf<Record<string, unknown>>();
      },
    });
  });

  it("ask for a function", () => {
    // @ts-expect-error -- nothing would answer
    clientTool({ name: "t", description: "T." });
  });
});

describe("the types of a thread", () => {
  it("keep the class of a chained call", () => {
    expectTypeOf(thread.sendText("a")).resolves.toEqualTypeOf<AgentThread>();
    expectTypeOf(thread.run()).resolves.toEqualTypeOf<AgentThread>();
    expectTypeOf(thread.unregisterClientTool("a")).toEqualTypeOf<boolean>();
  });

  it("name the states of today and admit those of tomorrow", () => {
    expectTypeOf<"user_turn">().toExtend<typeof thread.status>();
    expectTypeOf<string>().toExtend<typeof thread.status>();
  });

  it("tell events, blocks and results apart", () => {
    if (event.type === "tool_use") expectTypeOf(event.input).toEqualTypeOf<Record<string, unknown> | null>();
    if (event.type === "text_delta") expectTypeOf(event.text).toEqualTypeOf<string>();
    if (block.content_type === "tool_result") expectTypeOf(block.runtime_ms).toEqualTypeOf<number>();
    if (result.goal_type === "create_events")
      expectTypeOf(result.events[0]?.start_time).toEqualTypeOf<bigint | undefined>();
    if (result.goal_type === "dataset_triage")
      expectTypeOf(result.applied_labels).toEqualTypeOf<readonly string[]>();
  });

  it("refuse goals and options that are none", () => {
    // @ts-expect-error -- there is no such goal
    void thread.sendText("a", { goals: [{ goal_type: "novel" }] });
    // @ts-expect-error -- a message is sent beside skills, a text is not
    void thread.sendText("a", { invokeSkills: [{ skill_id: "sk_1" }] });
    // @ts-expect-error -- there is no such visibility
    void thread.setVisibility("public");
  });
});

describe("the types of errors", () => {
  it("have the facts of their class and a code", () => {
    const error: unknown = undefined;
    if (error instanceof RobotoLimitExceededException) {
      expectTypeOf<typeof error.code>().toEqualTypeOf<"threads/limit-exceeded">();
      expectTypeOf(error.limit_quantity).toEqualTypeOf<number | null>();
    } else if (error instanceof RobotoHttpException) {
      expectTypeOf(error.status).toEqualTypeOf<number | undefined>();
    }
    if (ThreadsError.is(error)) expectTypeOf(error.message).toEqualTypeOf<string>();
  });
});
