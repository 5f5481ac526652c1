import { Empty, Str, tool, when, type LLMEndpoint } from "@roboz/core";
import { afterEach, describe, expect, it } from "vitest";

import { titleOfFirstMessage } from "../turns/worker.ts";
import type { AgentThreadDelta } from "../wire/thread.ts";
import { call, lines, say, scripted, ServerStage } from "./__fixtures__/server-stage.ts";
import { joinedText, streamingModel } from "./__fixtures__/streams.ts";

let stage: ServerStage;
afterEach(() => stage.close());

describe("a thread over HTTP", () => {
  it("threads 22, 37, 38: starts, is answered, and gives the same delta twice", async () => {
    stage = await ServerStage.open({ standard: scripted([say("Good day.")]) });
    const record = await stage.start("Hello.");
    expect(record).toMatchObject({
      status: "roboto_turn",
      visibility: "private",
      origin: "api",
      created_by: "us_1",
      created_by_principal: "user:us_1",
    });
    const thread = await stage.settled(record.thread_id);
    expect(lines(thread)).toEqual(["user: Hello.", "assistant: Good day."]);
    expect(thread.status).toBe("user_turn");
    const delta = await stage.delta(record.thread_id, record.continuation_token);
    expect(await stage.delta(record.thread_id, record.continuation_token)).toEqual(delta);
    expect(delta.messages_by_idx["1"]).toMatchObject({
      status: "completed",
      content: [{ text: "Good day." }],
    });
    const end = await stage.delta(record.thread_id, thread.continuation_token);
    expect(end).toMatchObject({ messages_by_idx: {}, status: "user_turn" });
  });

  it("threads 15: takes seeded history, and answers behind it", async () => {
    stage = await ServerStage.open({ standard: scripted([say("Two.")]) });
    const messages = [
      { role: "assistant", content: [{ text: "Ask me." }] },
      { role: "user", content: [{ text: "One?" }] },
    ];
    const thread = await stage.talked({ messages });
    expect(lines(thread)).toEqual(["assistant: Ask me.", "user: One?", "assistant: Two."]);
  });

  it("goes on after the first turn, and the model sees what was said", async () => {
    const seen: string[][] = [];
    const entry =
      (value: string) =>
      ({ messages }: { messages: readonly { role: string; content: string }[] }) => {
        seen.push(messages.filter(({ role }) => role === "user").map(({ content }) => content));
        return say(value);
      };
    stage = await ServerStage.open(
      { standard: scripted([entry("One."), entry("Two.")]) },
      { title: titleOfFirstMessage },
    );
    const { thread_id: id } = await stage.talked("First?");
    const sent = await stage.say(id, "Second?");
    expect(sent).toMatchObject({ status: 200, data: { message_sequence_num: 2, status: "roboto_turn" } });
    const thread = await stage.settled(id);
    expect(lines(thread).slice(2)).toEqual(["user: Second?", "assistant: Two."]);
    expect(seen[1]).toEqual(["First?", '{"caller":"stop","value":"One."}', "Second?"]);
    expect((await stage.until(id, ({ title }) => title !== null)).title).toBe("First?");
  });

  it("threads 157: shows a chained tool as a pair of its own, and nothing of a chain that breaks", async () => {
    const look = tool({
      name: "look",
      description: "Look.",
      input: Str,
      output: Str,
      run: ({ value }) => Str({ value: `${value}!` }),
    });
    const note = tool({
      name: "note",
      description: "Note.",
      input: Str,
      output: Empty,
      chainedTo: when(look, ({ value }) => value.startsWith("yes")),
      run: () => Empty(),
    });
    const script = [call("look", { value: "yes" }), call("look", { value: "no" }), say("Done.")];
    stage = await ServerStage.open({ standard: scripted(script, [look, note]) });
    const thread = await stage.talked();
    expect(lines(thread)).toEqual([
      "user: Hello.",
      "assistant: <look>",
      "roboto: [look success]",
      "roboto: <note> [note success]",
      "assistant: <look>",
      "roboto: [look success]",
      "assistant: Done.",
    ]);
    const [first] = thread.messages[1]?.content ?? [];
    const [chained] = thread.messages[3]?.content ?? [];
    expect(chained?.content_type === "tool_use" && chained.tool_use_id).toMatch(/^tu_chn_/);
    expect(chained).toMatchObject({
      raw_request: { chained_from: first?.content_type === "tool_use" ? first.tool_use_id : "none" },
      input: { value: "yes!" },
    });
    expect(thread.messages.every(({ status }) => status === "completed")).toBe(true);
  });

  it("shows a tool's failure as an error, and lets the model go on", async () => {
    const fall = tool({
      name: "fall",
      description: "Fall.",
      input: Empty,
      output: Empty,
      run: () => {
        throw new Error("ouch");
      },
    });
    stage = await ServerStage.open({ standard: scripted([call("fall"), say("Sorry.")], [fall]) });
    const thread = await stage.talked();
    expect(lines(thread)).toEqual([
      "user: Hello.",
      "assistant: <fall>",
      "roboto: [fall error]",
      "assistant: Sorry.",
    ]);
    expect(thread.messages[2]?.content[0]).toMatchObject({ raw_response: { error: "Error: ouch" } });
  });

  it("ends the turn with a question, and takes the next message for the reply", async () => {
    const script = [call("prompt_user", { value: "Which one?" }), say("The red one.")];
    stage = await ServerStage.open({ standard: scripted(script, [], { mode: "steerable" }) });
    const { thread_id: id } = await stage.talked("A bicycle.");
    await stage.say(id, "Red.");
    expect(lines(await stage.settled(id))).toEqual([
      "user: A bicycle.",
      "assistant: Which one?",
      "user: Red.",
      "assistant: The red one.",
    ]);
  });

  it("says why a turn failed, and goes on with the next message", async () => {
    stage = await ServerStage.open({
      standard: scripted([
        () => {
          throw new Error("a secret");
        },
        say("Here again."),
      ]),
    });
    const thread = await stage.talked();
    expect(thread.status).toBe("user_turn");
    expect(thread.messages[1]).toMatchObject({ status: "failed", content: [{ content_type: "error" }] });
    expect(JSON.stringify(thread)).not.toContain("secret");
    // Who runs the server learns it.
    expect(stage.errors.map(String)).toEqual([expect.stringContaining("a secret")]);
    await stage.say(thread.thread_id, "And now?");
    expect(lines(await stage.settled(thread.thread_id)).at(-1)).toBe("assistant: Here again.");
  });

  it("threads 44: gives a long answer page by page, and the status with the last one", async () => {
    const text = "So it goes on. ".repeat(20);
    stage = await ServerStage.open(
      { standard: scripted(streaming([JSON.stringify(say(text))], 9)) },
      { flush: { everyMs: 0, chars: 1 }, limits: { delta: { entries: 3, bytes: 512 * 1024 } } },
    );
    const { thread_id: id, continuation_token: token } = await stage.start();
    await stage.settled(id);
    const pages: AgentThreadDelta[] = [];
    for (let next = token, hasMore = true; hasMore;) {
      const page = await stage.delta(id, next);
      pages.push(page);
      ({ continuation_token: next, has_more: hasMore } = page);
    }
    expect(pages.length).toBeGreaterThan(2);
    expect(pages.map(({ status }) => status)).toEqual([
      ...Array<null>(pages.length - 1).fill(null),
      "user_turn",
    ]);
    expect(joinedText(pages)).toBe(text);
  });

  it(
    "threads 45: tells nobody of the pause before the text that comes before it, of 200 who ask",
    { timeout: 60_000 },
    async () => {
      const text = "So it goes on. ".repeat(20);
      stage = await ServerStage.open(
        { standard: scripted(streaming([JSON.stringify(say(text))], 9)) },
        { flush: { everyMs: 0, chars: 1 } },
      );
      const { thread_id: id, continuation_token: token } = await stage.start();
      const read = async (): Promise<void> => {
        for (let polls = 1, status: unknown; polls <= 20 || status !== "user_turn"; polls += 1) {
          const delta = await stage.delta(id, token);
          ({ status } = delta);
          if (status === "user_turn") expect(joinedText([delta])).toBe(text);
        }
      };
      await Promise.all(Array.from({ length: 10 }, read));
    },
  );

  it("threads 46: gives whole characters in many pieces", async () => {
    const text = "🚲 and ünï ".repeat(150);
    const endpoint = streaming([JSON.stringify(say(text))], 7);
    stage = await ServerStage.open({ standard: scripted(endpoint) });
    const { thread_id: id, continuation_token: token } = await stage.start();
    let joined = "";
    let pieces = 0;
    for (let next = token, isOver = false; !isOver;) {
      const delta = await stage.delta(id, next);
      for (const block of delta.messages_by_idx["1"]?.content ?? []) {
        if (block.content_type !== "text") continue;
        expect(block.text).not.toMatch(/\p{Surrogate}/u);
        joined += block.text;
        pieces += 1;
      }
      next = delta.continuation_token;
      isOver = delta.status === "user_turn";
      await new Promise(setImmediate);
    }
    expect(joined).toBe(text);
    expect(pieces).toBeGreaterThan(1);
  });
});

/** A model that streams its replies in pieces of so many characters. */
function streaming(replies: readonly string[], length: number): LLMEndpoint {
  let given = 0;
  return streamingModel(async function* () {
    const reply = replies[given] ?? "";
    given += 1;
    for (let at = 0; at < reply.length; at += length) {
      await new Promise(setImmediate);
      yield reply.slice(at, at + length);
    }
  });
}
