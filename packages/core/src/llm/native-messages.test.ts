import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { MappedMessage } from "./endpoint.ts";
import { nativeMessages } from "./native-messages.ts";

const image = { url: "https://example.org/a.png" };
const say = (
  role: MappedMessage["role"],
  content: string | object,
  images: MappedMessage["images"] = [],
) => ({
  role,
  content: typeof content === "string" ? content : JSON.stringify(content),
  images,
});
const call = (action: string, given: object = {}) => say("assistant", { action, rationale: "r", ...given });
const result = (caller: string, given: object = {}) => say("user", { caller, ...given });
const native = (id: string, name: string, given: object = {}) => ({
  role: "assistant",
  content: "",
  toolCalls: [{ id, name, arguments: JSON.stringify({ rationale: "r", ...given }) }],
});
const outcome = (toolCallId: string, content: string) => ({ role: "tool", content, toolCallId });

describe("a conversation in the shape of native calls", () => {
  it("has a result right after each call, and everything else as it was", () => {
    const system = say("system", "Be brief.");
    const start = say("user", "Hello");
    const notice = say("user", "You were interrupted.");
    expect(
      nativeMessages([
        system,
        start,
        call("find", { q: "x" }),
        result("find", { value: "found" }),
        result("rank", { value: "chained" }),
        notice,
        call("stop"),
        result("stop", { value: null }),
      ]),
    ).toEqual([
      system,
      start,
      native("call00001", "find", { q: "x" }),
      outcome("call00001", '{"caller":"find","value":"found"}'),
      result("rank", { value: "chained" }),
      notice,
      native("call00002", "stop"),
      outcome("call00002", '{"caller":"stop","value":null}'),
    ]);
  });

  it("has several calls of one reply one after the other, each with its own result", () => {
    expect(nativeMessages([call("a"), result("a"), result("child"), call("b"), result("b")])).toEqual([
      native("call00001", "a"),
      outcome("call00001", '{"caller":"a"}'),
      result("child"),
      native("call00002", "b"),
      outcome("call00002", '{"caller":"b"}'),
    ]);
  });

  it.each([
    { why: "nothing follows", rest: [] },
    { why: "the next message is another tool's", rest: [result("child")] },
    { why: "the next message is a notice", rest: [say("user", "Interrupted.")] },
    { why: "the next message is a call", rest: [call("b"), result("b")] },
    { why: "the next message is the system's", rest: [say("system", { caller: "a" })] },
    { why: "the result comes later", rest: [say("user", "hm"), result("a")] },
  ])("gives a call a result that says nothing when $why", ({ rest }) => {
    const [first, second] = nativeMessages([call("a"), ...rest]);
    expect(first).toEqual(native("call00001", "a"));
    expect(second).toEqual(outcome("call00001", "(not shown)"));
  });

  it("takes a failure for a result", () => {
    expect(nativeMessages([call("a"), say("user", { caller: "a", error: "Error: no" })]).at(-1)).toEqual(
      outcome("call00001", '{"caller":"a","error":"Error: no"}'),
    );
  });

  it("takes the stub of a call for a call, and the stub of a result for a result", () => {
    const marker = "<message truncated>";
    expect(
      nativeMessages([
        say("assistant", { truncated: marker, action: "a" }),
        say("user", { truncated: marker, caller: "a" }),
      ]),
    ).toEqual([
      {
        role: "assistant",
        content: "",
        toolCalls: [{ id: "call00001", name: "a", arguments: `{"truncated":"${marker}"}` }],
      },
      outcome("call00001", `{"truncated":"${marker}","caller":"a"}`),
    ]);
  });

  it("leaves a result alone whose call is gone", () => {
    expect(nativeMessages([result("a"), call("b"), result("b")])[0]).toEqual(result("a"));
  });

  it.each([
    { why: "text", content: "I think so." },
    { why: "JSON without an action", content: '{"value":1}' },
    { why: "an action that is no text", content: '{"action":1}' },
    { why: "an action without a name", content: '{"action":""}' },
    { why: "a list", content: '[{"action":"a"}]' },
    { why: "broken JSON", content: '{"action":"a"' },
  ])("leaves the assistant's words alone that are no call: $why", ({ content }) => {
    const words = say("assistant", content);
    expect(nativeMessages([words, result("a")])).toEqual([words, result("a")]);
  });

  it("leaves what the user says alone, though it looks like a call", () => {
    const words = say("user", { action: "a" });
    expect(nativeMessages([words])).toEqual([words]);
  });

  it("sends the images of a result beside it", () => {
    expect(nativeMessages([call("see"), { ...result("see"), images: [image] }, say("user", "ok")])).toEqual([
      native("call00001", "see"),
      outcome("call00001", '{"caller":"see"}'),
      { role: "user", content: "Images of the result of `see`", images: [image] },
      say("user", "ok"),
    ]);
  });

  it("does not take the beginning of a name for the name", () => {
    expect(nativeMessages([call("a"), result("ab")])[1]).toEqual(outcome("call00001", "(not shown)"));
  });

  it("is refused by no provider, whatever truncation leaves: one result for each call, right after it", () => {
    const name = fc.constantFrom("a", "b", "ab");
    const message = fc.oneof(
      name.map((action) => call(action)),
      name.map((caller) => result(caller)),
      fc.string().map((text) => say("user", text)),
      fc.string().map((text) => say("assistant", text)),
    );
    fc.assert(
      fc.property(fc.array(message), (messages) => {
        const sent = nativeMessages(messages);
        const ids = new Set<string>();
        for (const [position, { role, toolCalls = [], toolCallId }] of sent.entries()) {
          if (role === "tool") expect(sent[position - 1]?.toolCalls?.[0]?.id).toBe(toolCallId);
          if (toolCalls.length > 0) expect(sent[position + 1]?.role).toBe("tool");
          for (const { id } of toolCalls) {
            expect(ids.has(id)).toBe(false);
            expect(id).toMatch(/^[a-z0-9]{9}$/);
            ids.add(id);
          }
        }
        const words = sent.filter(({ role, toolCalls = [] }) => role !== "tool" && toolCalls.length === 0);
        const results = sent.filter(({ role, content }) => role === "tool" && content !== "(not shown)");
        expect(words.length + results.length + ids.size).toBe(messages.length);
      }),
    );
  });

  it("begins as it began when the conversation goes on", () => {
    const messages = [say("user", "x"), call("a"), result("a"), call("b"), result("b"), result("c")];
    const whole = nativeMessages(messages);
    for (const length of [1, 3, 5]) {
      const part = nativeMessages(messages.slice(0, length));
      expect(whole.slice(0, part.length)).toEqual(part);
    }
  });
});
