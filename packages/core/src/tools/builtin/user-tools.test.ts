import { describe, expect, it } from "vitest";

import { Agent } from "../../agent/agent.ts";
import { call, callers, failureOf, throughJson } from "../../agent/__fixtures__/runs.ts";
import { MockLLMEndpoint } from "../../llm/mock.ts";
import { apiUserIo, noUserIo, type UserIo } from "../../runtime/user-io.ts";
import { Str, StrImage } from "../../values/builtin.ts";
import { messageUser } from "./message-user.ts";
import { promptUser } from "./prompt-user.ts";
import { promptUserAtStart } from "./prompt-user-at-start.ts";
import { stop } from "./stop.ts";

/** A channel that answers with what it is given, and keeps what it was asked and told. */
function channel(
  ...replies: readonly (Str | StrImage | null)[]
): UserIo & { readonly heard: readonly unknown[] } {
  const heard: unknown[] = [];
  const left = [...replies];
  const io = apiUserIo({
    requestInput: (question, { timeoutMs }) => {
      heard.push(timeoutMs === undefined ? question : [question, timeoutMs]);
      return Promise.resolve(left.shift() ?? null);
    },
    notify: (text) => {
      heard.push(`! ${text}`);
    },
  });
  return Object.assign(io, { heard });
}

const picture = StrImage({ value: "like this", images: [{ url: "https://example.org/cat.png" }] });

describe("prompt_user", () => {
  it("returns the typed reply unchanged, images too", async () => {
    const io = channel(Str({ value: " yes\n" }), picture);
    const ask = promptUser("nothing");
    expect(await ask.invoke({ value: "Well?" }, { io })).toEqual({ value: " yes\n" });
    expect(await ask.invoke({ value: "How?" }, { io })).toBe(picture);
  });

  it("returns its fallback text when no reply came in time", async () => {
    const io = channel(null);
    expect(await promptUser("nothing").invoke({ value: "Well?", timeout_seconds: 0.5 }, { io })).toEqual({
      value: "nothing",
    });
    expect(io.heard).toEqual([["Well?", 500]]);
  });

  it("core 105: waits without limit when it is given no time", async () => {
    const io = channel(Str({ value: "yes" }));
    await promptUser("nothing").invoke({ value: "Well?" }, { io });
    expect(io.heard).toEqual(["Well?"]);
  });

  it.each([
    { why: "core 105: a time of 0", input: { value: "Well?", timeout_seconds: 0 } },
    { why: "a time below 0", input: { value: "Well?", timeout_seconds: -1 } },
    { why: "no question", input: {} },
  ])("refuses $why", async ({ input }) => {
    const invoke = promptUser("nothing").invoke;
    const error = await failureOf(Promise.resolve(Reflect.apply(invoke, undefined, [input])));
    expect(error).toMatchObject({ code: "core/tool-input", toolName: "prompt_user" });
  });

  it.each([
    { why: "core 105: a time of 0", extra: { timeout_seconds: 0 } },
    { why: "a field it does not know", extra: { urgency: "high" } },
  ])("lets a model repair $why", async ({ extra }) => {
    const endpoint = new MockLLMEndpoint([
      call("prompt_user", { value: "Well?", ...extra }),
      call("prompt_user", { value: "Well?" }),
      call("stop", { value: "done" }),
    ]);
    const agent = new Agent({ name: "asking", systemPrompt: "Ask.", endpoint, tools: [stop] });
    const io = channel(Str({ value: "yes" }));
    await agent.complete(undefined, { io });
    expect(io.heard).toEqual(["Well?"]);
    expect(endpoint.requests[1]?.messages.at(-1)?.content).toContain(Object.keys(extra)[0]);
  });

  const asking = (): { readonly agent: Agent; readonly endpoint: MockLLMEndpoint } => {
    const endpoint = new MockLLMEndpoint(({ messages }) =>
      messages.length < 3 ? call("prompt_user", { value: "How?" }) : call("stop", { value: "done" }),
    );
    return { endpoint, agent: new Agent({ name: "asking", systemPrompt: "Ask.", endpoint, tools: [stop] }) };
  };

  it.each([
    { why: "a live channel", reply: undefined },
    { why: "a value given to resume", reply: picture },
    { why: "plain fields given to resume", reply: throughJson(picture) },
  ])("shows the model the images of a reply by $why", async ({ reply }) => {
    const { agent, endpoint } = asking();
    if (reply === undefined) {
      await agent.complete(undefined, { io: channel(picture) });
    } else {
      const waiting = await agent.invoke(undefined, { io: noUserIo });
      if (waiting.status !== "suspended") throw new Error("did not wait");
      await agent.resume(throughJson(waiting.snapshot), reply, { io: noUserIo });
    }
    expect(endpoint.requests[1]?.messages.at(-1)).toMatchObject({
      content: '{"caller":"prompt_user","value":"like this"}',
      images: picture.images,
    });
  });

  it("refuses images that are none", async () => {
    const { agent } = asking();
    const waiting = await agent.invoke(undefined, { io: noUserIo });
    if (waiting.status !== "suspended") throw new Error("did not wait");
    const error = await failureOf(
      agent.resume(waiting.snapshot, { value: "x", images: [{ url: "file:///etc/passwd" }] }),
    );
    expect(error).toMatchObject({ code: "core/reply" });
  });
});

describe("message_user", () => {
  it("tells its text whatever it is given, and returns it", async () => {
    const io = channel();
    expect(await messageUser("Saved.").invoke({ value: "ignored" }, { io })).toEqual({ value: "Saved." });
    expect(io.heard).toEqual(["! Saved."]);
  });

  it("is dropped without a channel", async () => {
    expect(await messageUser("Saved.").invoke({ value: "" }, { io: noUserIo })).toEqual({ value: "Saved." });
  });
});

describe("prompt_user_at_start", () => {
  const make = (replies: number): { readonly agent: Agent; readonly endpoint: MockLLMEndpoint } => {
    const endpoint = new MockLLMEndpoint(({ messages }) =>
      messages.filter(({ role }) => role === "assistant").length < replies
        ? call("message_user", { value: "" })
        : call("stop", { value: "done" }),
    );
    return {
      endpoint,
      agent: new Agent({
        name: "asking",
        systemPrompt: "Ask.",
        endpoint,
        defaultTools: [promptUserAtStart("What shall I do?")],
        tools: [stop, messageUser("On it.")],
      }),
    };
  };

  it("asks before the model's first turn, and never again", async () => {
    const { agent, endpoint } = make(2);
    const io = channel(Str({ value: "Tidy up." }));
    const { messages } = await agent.complete(undefined, { io });
    expect(io.heard).toEqual(["What shall I do?", "! On it.", "! On it."]);
    expect(callers(messages).filter((name) => name === "prompt_user_at_start")).toHaveLength(3);
    // What it returns later is never shown to the model.
    const shown = endpoint.requests.at(-1)?.messages ?? [];
    expect(callers(shown).filter((name) => name === "prompt_user_at_start")).toHaveLength(1);
    expect(shown[1]?.content).toContain("Tidy up.");
  });

  it("takes whatever a run starts with", async () => {
    const io = channel(Str({ value: "Tidy up." }));
    await make(0).agent.complete(picture, { io });
    expect(io.heard).toEqual(["What shall I do?"]);
  });

  it("says that there is no reply when the user gives none", async () => {
    const { agent, endpoint } = make(0);
    await agent.complete(undefined, { io: channel(null) });
    expect(endpoint.requests[0]?.messages[1]?.content).toContain("did not respond");
  });

  it("waits for the reply without a channel", async () => {
    const waiting = await make(0).agent.invoke(undefined, { io: noUserIo });
    expect(waiting).toMatchObject({
      status: "suspended",
      toolName: "prompt_user_at_start",
      request: { type: "user-question", question: "What shall I do?" },
    });
    if (waiting.status !== "suspended") throw new Error("did not wait");
    const { agent, endpoint } = make(0);
    expect(await agent.resume(throughJson(waiting.snapshot), "Tidy up.")).toMatchObject({
      status: "completed",
    });
    expect(endpoint.requests[0]?.messages[1]?.content).toContain("Tidy up.");
  });
});
