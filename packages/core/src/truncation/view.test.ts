import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  errorMessage,
  parseMessage,
  systemMessage,
  userMessage,
  type Message,
  type Role,
} from "../values/message.ts";
import { ERROR_RETRY, NO_MESSAGE, showOnce, type Severity, type TruncationRule } from "./policy.ts";
import { selectTruncation } from "./select.ts";
import { maxTextLength } from "./shorten.ts";
import { ConversationView, estimateConversationTokens, projectConversation } from "./view.ts";

const once: TruncationRule = { threshold: 1, severity: "remove" };

function viewOf(...messages: readonly Message[]): ConversationView {
  const view = new ConversationView();
  for (const message of messages) view.append(message);
  return view;
}

function texts(messages: readonly Message[]): readonly string[] {
  return messages.map(({ content }) => content);
}

describe("what the model sees", () => {
  it("core 91: a message that counts by messages is gone once another follows before the call", () => {
    const view = viewOf(userMessage("seen by nobody", { truncation: once }), userMessage("a default's"));
    expect(texts(view.current())).toEqual(["a default's"]);
  });

  it('departure from core 91: "a rule may say countBy: showings: how often the model has been shown it" (design 4, row 11)', () => {
    const view = viewOf(userMessage("shown once", { truncation: showOnce() }), userMessage("a default's"));
    expect(texts(view.current())).toEqual(["shown once", "a default's"]);
    view.shown();
    expect(texts(view.current())).toEqual(["a default's"]);
  });

  it("core 92: a hidden message adds one to the distance of older ones", () => {
    const view = viewOf(userMessage("older", { truncation: once }));
    expect(texts(view.current())).toEqual(["older"]);
    view.append(userMessage("hidden", { truncation: NO_MESSAGE }));
    expect(texts(view.current())).toEqual([]);
  });

  it("core 94: a fresh result of two million characters is capped", () => {
    const view = viewOf(userMessage("y".repeat(2_000_000)));
    expect(view.current()[0]?.content).toHaveLength(maxTextLength + 3);
    expect(view.tokenEstimate).toBe(Math.ceil((maxTextLength + 3) / 4));
  });

  it("core 95: a system message is sent whatever its policy says", () => {
    const system = systemMessage("rules", { truncation: NO_MESSAGE });
    expect(viewOf(system).current()).toEqual([system]);
    expect(projectConversation([system], { select: () => "remove" })).toEqual([system]);
  });

  it("core 96: repair messages put older ones farther away, for that call only", () => {
    const view = viewOf(userMessage("older", { truncation: { threshold: 2, severity: "remove" } }));
    const repairs = [errorMessage("no JSON", { truncation: ERROR_RETRY }), errorMessage("again")];
    expect(texts(view.current(repairs.slice(0, 1)))).toEqual(["older", "no JSON"]);
    expect(texts(view.current(repairs))).toEqual(["no JSON", "again"]);
    expect(texts(view.current())).toEqual(["older"]);
  });

  it("truncates repair messages by their own policies", () => {
    const repairs = Array.from({ length: 7 }, (_, at) => errorMessage(`${at}`, { truncation: ERROR_RETRY }));
    expect(texts(viewOf().current(repairs))).toEqual(["2", "3", "4", "5", "6"]);
  });
});

describe("ConversationView", () => {
  it("reuses one list, also when messages come and go", () => {
    const view = viewOf(systemMessage("s"), userMessage("a", { truncation: once }));
    const list = view.current();
    view.append(userMessage("b"));
    expect(view.current()).toBe(list);
    expect(texts(list)).toEqual(["s", "b"]);
  });

  it("sends the very messages it was given when nothing is shortened", () => {
    const message = userMessage("a");
    expect(viewOf(message).current()[0]).toBe(message);
  });

  it("recalls a list after the history was replaced", () => {
    const view = viewOf(userMessage("a", { truncation: showOnce() }), userMessage("b"));
    const extra = [errorMessage("no JSON")];
    const recalled = view.recall(extra);
    extra.push(errorMessage("later"));
    view.shown();
    view.append(userMessage("c"));
    view.reset([userMessage("summary")]);
    expect(texts(recalled())).toEqual(["a", "b", "no JSON"]);
    expect(texts(view.current())).toEqual(["summary"]);
  });

  it("gives showings only for messages that they matter to, and takes them back", () => {
    const messages = [
      userMessage("plain"),
      userMessage("twice", { truncation: showOnce(2) }),
      userMessage("once", { truncation: showOnce() }),
    ];
    const view = viewOf(...messages);
    view.shown();
    expect(view.showings()).toEqual({ 1: 1, 2: 1 });
    const restored = new ConversationView();
    restored.reset(messages, view.showings());
    expect(texts(restored.current())).toEqual(["plain", "twice"]);
    restored.shown();
    restored.shown();
    expect(texts(restored.current())).toEqual(["plain"]);
    expect(restored.showings()).toEqual({ 1: 2, 2: 1 });
  });

  it("keeps showings outside a range that is replaced", () => {
    const twice = { truncation: showOnce(2) };
    const view = viewOf(...["a", "b", "c", "d"].map((text) => userMessage(text, twice)));
    view.shown();
    view.replace({ from: 1, to: 3 }, [userMessage("new", twice)]);
    expect(view.showings()).toEqual({ 0: 1, 2: 1 });
    view.shown();
    expect(texts(view.current())).toEqual(["new"]);
  });

  it("asks a selection of one's own about every message but system ones, each time", () => {
    const asked: unknown[] = [];
    const view = new ConversationView({
      select: ({ message, distance, showings }) => {
        asked.push([message.content, distance, showings]);
        return showings > 1 ? "remove" : undefined;
      },
    });
    for (const message of [systemMessage("s"), userMessage("a"), userMessage("b")]) view.append(message);
    view.shown();
    asked.length = 0;
    expect(texts(view.current())).toEqual(["s", "a", "b"]);
    expect(asked).toEqual([
      ["a", 1, 1],
      ["b", 0, 1],
    ]);
    view.shown();
    expect(view.showings()).toEqual({ 0: 2, 1: 2, 2: 2 });
    expect(texts(view.current([userMessage("extra")]))).toEqual(["s", "extra"]);
  });

  it("lets the content function be replaced", () => {
    const shorten = (message: Message, severity: Severity) =>
      severity === "light" ? message : { ...message, content: `(${severity})` };
    const view = new ConversationView({ shorten });
    view.append(userMessage("a", { truncation: { threshold: 1, severity: "stub" } }));
    view.append(userMessage("b"));
    expect(texts(view.current())).toEqual(["(stub)", "b"]);
  });

  it("estimates four characters a token, after truncation", () => {
    const messages = [
      userMessage("12345"),
      userMessage("hidden", { truncation: NO_MESSAGE }),
      userMessage(""),
    ];
    expect(viewOf(...messages).tokenEstimate).toBe(2);
    expect(estimateConversationTokens(messages)).toBe(2);
  });
});

/** The rules as spec section 6 says them, from the whole history. */
class Model {
  readonly messages: Message[] = [];
  readonly showings: number[] = [];

  list(extra: readonly Message[] = []): readonly Message[] {
    const all = [...this.messages, ...extra];
    return all.flatMap((message, at) => {
      const severity = this.severity(message, all.length - 1 - at, this.showings[at] ?? 0);
      if (severity === "remove") return [];
      return severity === "stub" ? [{ ...message, content: "<message truncated>", images: [] }] : [message];
    });
  }

  severity(message: Message, distance: number, showings: number): Severity | undefined {
    if (message.role === "system") return undefined;
    const rules = [message.truncation ?? []].flat();
    const applicable = rules
      .filter(
        ({ threshold, countBy }) =>
          threshold >= 0 && (countBy === "showings" ? showings : distance) >= threshold,
      )
      .map(({ threshold, severity }) => ({ threshold, severity }));
    const greatest = Math.max(...applicable.map(({ threshold }) => threshold));
    const severities = applicable
      .filter(({ threshold }) => threshold === greatest)
      .map(({ severity }) => severity);
    return (["remove", "stub", "light"] as const).find((severity) => severities.includes(severity));
  }

  shown(): void {
    const all = this.messages;
    all.forEach((message, at) => {
      const shown = this.showings[at] ?? 0;
      if (this.severity(message, all.length - 1 - at, shown) !== "remove") this.showings[at] = shown + 1;
    });
  }
}

const rule = fc.record({
  threshold: fc.integer({ min: -1, max: 6 }),
  severity: fc.constantFrom<Severity>("light", "stub", "remove"),
  countBy: fc.constantFrom("messages", "showings", undefined),
});
const messages: fc.Arbitrary<Message> = fc
  .record({
    role: fc.constantFrom<Role>("user", "user", "user", "assistant", "error", "system"),
    content: fc.string({ minLength: 1, maxLength: 9 }).map((text) => `- ${text}`),
    truncation: fc.option(fc.array(rule, { minLength: 1, maxLength: 3 }), { nil: undefined, freq: 4 }),
  })
  .map((parts) => parseMessage(parts));
type Action =
  | { readonly type: "append"; readonly message: Message }
  | { readonly type: "shown" | "read" | "restore" }
  | { readonly type: "repair"; readonly extra: readonly Message[] };
const actions: fc.Arbitrary<readonly Action[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ type: fc.constant("append" as const), message: messages }) },
    { weight: 5, arbitrary: fc.record({ type: fc.constantFrom("shown" as const, "read" as const) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("restore" as const) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant("repair" as const),
        extra: fc.array(messages, { maxLength: 4 }),
      }),
    },
  ),
  { maxLength: 40 },
);

describe.each([
  { why: "kept incrementally", options: {} },
  {
    why: "with a selection of one's own",
    options: { select: (facts: Parameters<typeof selectTruncation>[0]) => selectTruncation(facts) },
  },
])("any course of a conversation, $why", ({ options }) => {
  it("is seen as the rules say, then and when recalled", () => {
    fc.assert(
      fc.property(actions, (course) => {
        const view = new ConversationView(options);
        const model = new Model();
        const recalled: { readonly then: () => readonly Message[]; readonly expected: readonly Message[] }[] =
          [];
        const check = (extra?: readonly Message[]) => {
          const expected = model.list(extra);
          expect(view.current(extra)).toEqual(expected);
          recalled.push({ then: view.recall(extra), expected });
        };
        for (const action of course) {
          if (action.type === "append") {
            view.append(action.message);
            model.messages.push(action.message);
          } else if (action.type === "shown") {
            view.shown();
            model.shown();
          } else if (action.type === "restore") {
            view.reset(model.messages, view.showings());
          } else check(action.type === "repair" ? action.extra : undefined);
        }
        check();
        expect(view.tokenEstimate).toBe(
          model.list().reduce((sum, { content }) => sum + Math.ceil(content.length / 4), 0),
        );
        for (const { then, expected } of recalled) expect(then()).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });
});
