import { describe, expect, it } from "vitest";

import { Agent } from "../../agent/agent.ts";
import { call, callers, looseTool, throughJson } from "../../agent/__fixtures__/runs.ts";
import { resumeRun } from "../../agent/resume-run.ts";
import { MockLLMEndpoint, type MockEntry } from "../../llm/mock.ts";
import { memoryJournalStore } from "../../runtime/journal/memory-store.ts";
import { Empty, Stop, StopLocation, Str, Suspend } from "../../values/builtin.ts";
import { factory } from "../factory.ts";
import { tool, type AnyTool } from "../tool.ts";
import { stopAfter } from "./stop-after.ts";
import { stop } from "./stop.ts";

import * as z from "zod";

const sweep = tool({
  name: "sweep",
  description: "Sweep.",
  input: Empty,
  output: Str,
  run: () => Str({ value: "swept" }),
});
const lock = tool({ name: "lock", description: "Lock.", input: Str, output: Empty, run: () => Empty() });

function ending(tools: readonly AnyTool[], script: readonly MockEntry[]): Agent {
  return new Agent({
    name: "ending",
    mode: "autonomous",
    systemPrompt: "End.",
    endpoint: new MockLLMEndpoint(script),
    tools,
  });
}

const bye = call("stop", { value: "bye" });

describe("stopAfter", () => {
  it("runs the cleanup after the model's stop, and ends with the value that the model gave", async () => {
    const { output, messages, report } = await ending(stopAfter([sweep, [lock]]), [bye]).complete();
    expect(output.value).toBe("bye");
    expect(callers(messages)).toEqual(["stop", "sweep", "lock", "stop"]);
    expect(report).toMatchObject({ llmCalls: 1, steps: 4 });
  });

  it("is the final tool alone without cleanup", () => {
    expect(stopAfter()).toEqual([stop]);
    expect(stopAfter([[]])).toEqual([stop]);
  });

  it("offers the model nothing but the standard stop, whatever the final tool is called", () => {
    const finish = tool({
      name: "finish",
      description: "Finish.",
      input: Str,
      output: StopLocation,
      run: ({ value }) => StopLocation({ value, location: "/tmp" }),
    });
    const agent = ending(stopAfter([sweep], { finalStop: finish }), []);
    expect(agent.systemPrompt).toContain(`\`stop\`: ${stop.description}`);
    expect(agent.systemPrompt).not.toMatch(/finish|sweep/i);
  });

  it("lets the final tool make the Stop, of its own type", async () => {
    const finish = factory<string>()({
      name: "finish",
      description: "",
      input: Str,
      output: StopLocation,
      run: ({ value }, _context, location) => StopLocation({ value, location }),
    });
    const { output } = await ending(stopAfter([sweep], { finalStop: finish("/out") }), [bye]).complete();
    expect(output).toEqual({ value: "bye", location: "/out" });
  });

  it("chains copies: the cleanup tools stay what they were, and may be called too", async () => {
    const { messages } = await ending([...stopAfter([sweep, lock]), sweep], [call("sweep"), bye]).complete();
    expect(callers(messages)).toEqual(["sweep", "stop", "sweep", "lock", "stop"]);
  });

  it("takes cleanup tools out of the chains they are in elsewhere", async () => {
    const shut = looseTool({ name: "shut", input: Str, output: Empty, chainedTo: sweep, run: () => Empty() });
    const { messages } = await ending(stopAfter([shut]), [bye]).complete();
    expect(callers(messages)).toEqual(["stop", "shut", "stop"]);
  });

  it("ends with the later value when a cleanup failed and the model stopped again", async () => {
    let failures = 0;
    const flaky = tool({
      name: "flaky",
      description: "",
      input: Empty,
      output: Empty,
      run: () => {
        failures += 1;
        if (failures === 1) throw new Error("not now");
        return Empty();
      },
    });
    const { output } = await ending(stopAfter([flaky]), [
      call("stop", { value: "early" }),
      call("stop", { value: "late" }),
    ]).complete();
    expect(output.value).toBe("late");
  });

  it("keeps the values of two runs at once apart", async () => {
    const agent = new Agent({
      name: "ending",
      mode: "autonomous",
      systemPrompt: "End.",
      endpoint: new MockLLMEndpoint(({ messages }) => call("stop", { value: messages[1]?.content ?? "" })),
      tools: stopAfter([sweep, lock]),
    });
    const runs = ["one", "two"].map((task) => agent.start(task));
    for (let step = 0; step < 4; step += 1) for (const run of runs) await run.step();
    const results = await Promise.all(runs.map((run) => run.finish()));
    expect(results).toMatchObject([{ output: { value: "one" } }, { output: { value: "two" } }]);
  });

  it("ends with the value although the cleanup rewrote history", async () => {
    const forget = tool({
      name: "forget",
      description: "",
      input: Empty,
      output: Empty,
      run: (_input, { messages, replaceMessages }) => {
        replaceMessages({ from: 0, to: messages.length }, []);
        return Empty();
      },
    });
    const { output, messages } = await ending(stopAfter([forget]), [bye]).complete();
    expect(output.value).toBe("bye");
    expect(callers(messages)).toEqual(["forget", "stop"]);
  });

  it.each(["a snapshot", "a journal"] as const)(
    "ends with the value after the cleanup waited, by %s",
    async (by) => {
      const confirm = tool({
        name: "confirm",
        description: "",
        input: Empty,
        output: [Str, Suspend],
        suspends: { request: z.string(), reply: Str },
        run: () => Suspend({ request: "Clean up?" }),
      });
      const make = (): Agent => ending(stopAfter([confirm, lock]), [bye]);
      const journal = by === "a journal" ? memoryJournalStore() : undefined;
      const waiting = await make().invoke(undefined, { journal, runId: "r" });
      if (waiting.status !== "suspended") throw new Error("did not wait");
      const resumed =
        journal === undefined
          ? await make().resume(throughJson(waiting.snapshot), "yes")
          : await resumeRun(journal, "r", make(), { reply: "yes" });
      expect(resumed).toMatchObject({ status: "completed", output: { value: "bye" } });
    },
  );

  it("ends at once when a cleanup tool stops the run itself", async () => {
    const halt = tool({
      name: "halt",
      description: "",
      input: Empty,
      output: [Empty, Stop],
      run: () => Stop({ value: "halted" }),
    });
    expect((await ending(stopAfter([halt, sweep]), [bye]).complete()).output.value).toBe("halted");
  });

  it.each([
    { why: "a final tool that may go on", given: [[sweep], { finalStop: sweep }] },
    {
      why: "a final tool that wants more than a value",
      given: [
        [sweep],
        {
          finalStop: looseTool({
            name: "end",
            input: z.object({ code: z.int() }),
            output: Stop,
            run: () => Stop(),
          }),
        },
      ],
    },
    { why: "a final tool that is none", given: [[sweep], { finalStop: {} }] },
    { why: "a cleanup that is no tool", given: [[{}]] },
  ])("refuses $why", ({ given }) => {
    expect(() => {
      Reflect.apply(stopAfter, undefined, given);
    }).toThrow(expect.objectContaining({ code: "core/tool-definition" }));
  });
});
