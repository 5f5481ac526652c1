import { describe, expect, it } from "vitest";
import * as z from "zod";

import { Agent, Empty, Str, Suspend, tool, value, type AgentSettings, type RunSnapshot } from "../index.ts";
import { failureOf, looseTool, throughJson } from "./__fixtures__/runs.ts";

const Verdict = value("verdict", { isGood: z.boolean() });

const review = tool({
  name: "review",
  description: "",
  input: Empty,
  output: [Verdict, Suspend],
  suspends: { request: z.string(), reply: Verdict },
  run: () => Suspend({ request: "Good?" }),
});
const note = tool({
  name: "note",
  description: "",
  input: Verdict,
  output: Str,
  chainedTo: review,
  run: () => Str({ value: "noted" }),
});

function agentOf(settings: Partial<AgentSettings> = {}): Agent {
  return new Agent({
    name: "a",
    mode: "deterministic",
    defaultTools: [review],
    tools: [note],
    limits: { steps: 3 },
    ...settings,
  });
}

async function waiting(): Promise<RunSnapshot> {
  const result = await agentOf().invoke();
  if (result.status !== "suspended") throw new Error("the run did not wait");
  return throughJson(result.snapshot);
}

/** A snapshot with one part changed, as somebody who edits it by hand may do. */
function edited(snapshot: RunSnapshot, path: readonly string[], part: unknown): RunSnapshot {
  const copy = throughJson(snapshot);
  let at: object = copy;
  for (const key of path.slice(0, -1)) {
    const next: unknown = Reflect.get(at, key);
    if (typeof next !== "object" || next === null) throw new Error(`no ${key}`);
    at = next;
  }
  Reflect.set(at, path.at(-1) ?? "", part);
  return copy;
}

describe("what is no snapshot", () => {
  it.each([null, undefined, "{}", 5, [], {}])("is refused: %j", async (given) => {
    const agent = agentOf();
    const resumed: unknown = Reflect.apply(agent.resume.bind(agent), undefined, [given]);
    expect(await failureOf(Promise.resolve(resumed))).toMatchObject({ code: "core/snapshot" });
  });

  it.each([
    { why: "of another version", path: ["schemaVersion"], part: 2, says: "its schema version is 2" },
    { why: "of another agent", path: ["agentName"], part: "b", says: "of the agent `b`, not of `a`" },
    { why: "without messages", path: ["messages"], part: undefined, says: "messages" },
    { why: "with counts that are no numbers", path: ["counts", "steps"], part: "1", says: "counts.steps" },
    { why: "with counts below nothing", path: ["counts", "llmCalls"], part: -1, says: "counts.llmCalls" },
    { why: "with a position that is none", path: ["position"], part: null, says: "position" },
    { why: "with a choice that nobody makes", path: ["position", "chosenBy"], part: "me", says: "chosenBy" },
    { why: "that stands at a tool that is gone", path: ["position", "lastTool"], part: "x", says: "`x`" },
    { why: "that waits with a tool that is gone", path: ["pending", "tool"], part: "x", says: "`x`" },
    { why: "with a turn of a tool that is gone", path: ["position", "queue"], part: ["x"], says: "`x`" },
    {
      why: "with a value that does not fit its type",
      path: ["position", "output"],
      part: { kind: "str", fields: { value: 5 } },
      says: "`str` does not fit",
    },
    {
      why: "with metadata that is none",
      path: ["position", "output"],
      part: { kind: "str", fields: { value: "" }, meta: { truncation: "all" } },
      says: "`str` does not fit",
    },
  ])("is refused: one $why", async ({ path, part, says }) => {
    const snapshot = edited(await waiting(), path, part);
    const error = await failureOf(agentOf().resume(snapshot, { isGood: true }));
    expect(error).toMatchObject({ code: "core/snapshot" });
    expect(error).toHaveProperty("message", expect.stringContaining(says));
  });

  it("names what is wrong with something that is no message", async () => {
    const snapshot = edited(await waiting(), ["messages"], [{}]);
    expect(await failureOf(agentOf().resume(snapshot))).toMatchObject({ code: "core/message" });
  });

  it("names a kind that nothing of the agent takes or returns", async () => {
    const snapshot = edited(await waiting(), ["position", "output"], { kind: "odd", fields: {} });
    expect(await failureOf(agentOf().resume(snapshot))).toMatchObject({
      code: "core/unknown-kind",
      kind: "odd",
    });
  });

  it("may lack the time that earlier stretches took", async () => {
    const snapshot = edited(await waiting(), ["counts", "wallMs"], undefined);
    const run = agentOf().restore(snapshot, { isGood: true }, { limits: { wallMs: 1e6 } });
    expect(await run.step()).toBeUndefined();
    expect(run.report.steps).toBe(2);
  });
});

describe("a snapshot of an agent that has changed", () => {
  const other = tool({ name: "other", description: "", input: Empty, output: Empty, run: () => Empty() });
  const strict = looseTool({ name: "note", input: Empty, output: Str, run: () => Str({ value: "" }) });
  const changed = (): Agent => agentOf({ tools: [other, strict] });

  it("is refused, with what has changed", async () => {
    const snapshot = await waiting();
    expect(await failureOf(changed().resume(snapshot, { isGood: true }))).toMatchObject({
      code: "core/agent-changed",
      differences: [
        { tool: "note", change: "changed" },
        { tool: "other", change: "added" },
      ],
    });
    expect(await failureOf(agentOf({ tools: [] }).resume(snapshot))).toMatchObject({
      differences: [{ tool: "note", change: "removed" }],
    });
  });

  it("goes on all the same when that is allowed", async () => {
    const run = changed().restore(await waiting(), { isGood: true }, { allowChanged: true });
    await run.step();
    expect(run.messages.at(-1)?.content).toContain('"caller":"review"');
  });
});

describe("a reply", () => {
  it.each([
    { why: "of another form", reply: { isGood: "yes" }, says: "isGood" },
    { why: "that is no object", reply: 5, says: "verdict" },
    { why: "that is only a text, for a type without `value`", reply: "yes", says: "isGood" },
  ])("is refused $why", async ({ reply, says }) => {
    const error = await failureOf(agentOf().resume(await waiting(), reply));
    expect(error).toMatchObject({ code: "core/reply" });
    expect(error).toHaveProperty("message", expect.stringContaining(says));
  });

  it("is refused where the tool that waits declares none", async () => {
    const snapshot = edited(await waiting(), ["pending", "tool"], "note");
    expect(await failureOf(agentOf().resume(snapshot, { isGood: true }))).toMatchObject({
      code: "core/reply",
      message: "`note` declares no reply that it could take",
    });
  });

  it("is refused on which a check of its type throws", async () => {
    const Odd = value("odd", { n: z.number().refine(() => { throw new Error("no"); }) }); // prettier-ignore
    const ask = tool({
      name: "ask",
      description: "",
      input: Empty,
      output: [Odd, Suspend],
      suspends: { request: z.string(), reply: Odd },
      run: () => Suspend({ request: "?" }),
    });
    const agent = new Agent({ name: "a", mode: "deterministic", defaultTools: [ask] });
    const result = await agent.invoke();
    if (result.status !== "suspended") throw new Error("the run did not wait");
    expect(await failureOf(agent.resume(result.snapshot, { n: 1 }))).toMatchObject({ code: "core/reply" });
  });

  it("is taken as it is when it is a value of the type", async () => {
    const reply = Verdict({ isGood: true });
    const run = agentOf().restore(await waiting(), reply);
    await run.step();
    expect(run.messages.at(-2)?.content).toBe('{"caller":"review","isGood":true}');
  });
});
