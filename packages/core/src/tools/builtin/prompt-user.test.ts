import { setImmediate as settled } from "node:timers/promises";

import { describe, expect, it, vi } from "vitest";

import { Agent } from "../../agent/agent.ts";
import { call, callers, failureOf } from "../../agent/__fixtures__/runs.ts";
import { MockLLMEndpoint } from "../../llm/mock.ts";
import { apiUserIo, type UserIoAdapter } from "../../runtime/user-io.ts";
import { UserInputUnavailableError } from "../../errors.ts";
import { Str, Suspend } from "../../values/builtin.ts";
import { promptUser } from "./prompt-user.ts";
import { noReply } from "./user-question.ts";
import { stop } from "./stop.ts";

/** A channel whose person answers with this; undefined stands for never. */
function channel(reply: string | null | undefined) {
  const requestInput = vi.fn<UserIoAdapter["requestInput"]>(() => {
    if (reply === undefined) return new Promise(() => undefined);
    return Promise.resolve(reply === null ? null : Str({ value: reply }));
  });
  return { requestInput, io: apiUserIo({ requestInput, notify: () => undefined }) };
}

const ask = promptUser(noReply);

describe("prompt_user", () => {
  it.each([0, -1, "soon", null])("core 105: takes no time of %j", async (seconds) => {
    const { io, requestInput } = channel("yes");
    const given: unknown = { value: "Bob?", timeout_seconds: seconds };
    const asked: unknown = Reflect.apply(ask.invoke, undefined, [given, { io }]);
    expect(await failureOf(Promise.resolve(asked))).toMatchObject({ code: "core/tool-input" });
    expect(requestInput).not.toHaveBeenCalled();
  });

  it("core 105: waits as long as it takes without a time", async () => {
    const { io, requestInput } = channel(undefined);
    let isDone = false;
    void ask.invoke({ value: "Bob?" }, { io }).then(() => (isDone = true));
    await settled();
    expect(requestInput).toHaveBeenCalledWith("Bob?", expect.objectContaining({ timeoutMs: undefined }));
    expect(isDone).toBe(false);
  });

  it.each([
    { why: "the time is over", reply: undefined },
    { why: "the channel has none", reply: null },
  ])("gives the text it is bound to when $why", async ({ reply }) => {
    const { io, requestInput } = channel(reply);
    const output = await ask.invoke({ value: "Bob?", timeout_seconds: 0.001 }, { io });
    expect(output).toEqual({ value: noReply });
    expect(requestInput).toHaveBeenCalledWith("Bob?", expect.objectContaining({ timeoutMs: 1 }));
  });

  it("asks from outside, with the time, when nobody is there", async () => {
    expect(await ask.invoke({ value: "Bob?", timeout_seconds: 2 })).toEqual({
      request: { type: "user-question", question: "Bob?", timeoutSeconds: 2 },
    });
    expect(await ask.invoke({ value: "Bob?" })).toEqual({
      request: { type: "user-question", question: "Bob?" },
    });
  });

  it("asks from outside when the channel finds its end only with the question", async () => {
    let isLive = true;
    const requestInput = (): Promise<never> => {
      isLive = false;
      return Promise.reject(new UserInputUnavailableError("The input has ended"));
    };
    const adapter = { requestInput, notify: () => undefined };
    const io = apiUserIo(Object.defineProperty(adapter, "isLive", { get: () => isLive }));
    expect(await ask.invoke({ value: "Bob?" }, { io })).toEqual(
      Suspend({ request: { type: "user-question", question: "Bob?" } }),
    );
  });

  it("fails when a channel that is live cannot ask", async () => {
    const requestInput = () => Promise.reject(new UserInputUnavailableError("Busy"));
    const io = apiUserIo({ requestInput, notify: () => undefined });
    const asked = ask.invoke({ value: "Bob?" }, { io });
    expect(await failureOf(asked)).toMatchObject({ code: "core/user-input-unavailable" });
  });

  it("core 105: has the model's call repaired whose time is 0", async () => {
    const { io } = channel("yes");
    const endpoint = new MockLLMEndpoint([
      call("prompt_user", { value: "Bob?", timeout_seconds: 0 }),
      call("prompt_user", { value: "Bob?", timeout_seconds: 9 }),
      call("stop", { value: "done" }),
    ]);
    const agent = new Agent({ name: "a", systemPrompt: "Go.", endpoint, tools: [stop] });
    const { messages, report } = await agent.complete(undefined, { io });
    expect(callers(messages)).toEqual(["prompt_user", "stop"]);
    expect(report.llmCalls).toBe(3);
    expect(endpoint.requests[1]?.messages.at(-1)?.content).toContain("timeout_seconds");
  });
});
