import { describe, expect, it } from "vitest";
import * as z from "zod";

import { MockLLMEndpoint } from "../llm/mock.ts";
import type { RunEvent } from "../runtime/events.ts";
import { memoryJournalStore } from "../runtime/journal/memory-store.ts";
import { stop } from "../tools/builtin/stop.ts";
import { when } from "../tools/link.ts";
import { tool, type AnyTool } from "../tools/tool.ts";
import { Stop, Str } from "../values/builtin.ts";
import { value } from "../values/value.ts";
import { Agent } from "./agent.ts";
import { asTool } from "./as-tool.ts";
import { resumeRun } from "./resume-run.ts";

const Order = value("order", { dish: z.string(), guests: z.int() });
const Booked = Stop.extend("booked", { table: z.int() });
const Table = value("table", { table: z.int() });

/** A specialist that books in a chain of two tools. */
function specialist(endpoint: MockLLMEndpoint): Agent<ReturnType<typeof Booked>> {
  const find = tool({ name: "find", description: "Find.", input: Str, output: Str, run: (place) => place });
  const book = tool({
    name: "book",
    description: "Book.",
    input: Str,
    output: Booked,
    chainedTo: find,
    run: ({ value: place }) => Booked({ value: `Booked at ${place}.`, table: 4 }),
  });
  return new Agent({
    name: "specialist",
    description: "Books tables.",
    mode: "autonomous",
    systemPrompt: "Book.",
    endpoint,
    tools: [find, book],
    output: Booked,
  });
}

const findCall = { action: "find", rationale: "A place.", value: "Chez Zod" };

describe("an agent as a tool", () => {
  it("gets its input as the first user message, and gives a typed output that a chain goes on from", async () => {
    const child = new MockLLMEndpoint([findCall]);
    const delegate = asTool(specialist(child), { name: "delegate", input: Order, output: Table });
    const tell = tool({
      name: "tell",
      description: "Tell.",
      input: Table,
      output: Stop,
      chainedTo: when(delegate, Table.is),
      run: ({ table }) => Stop({ value: `Table ${table}.` }),
    });
    const endpoint = new MockLLMEndpoint([
      { action: "delegate", rationale: "Lunch.", dish: "dumplings", guests: 2 },
    ]);
    const parent = new Agent({
      name: "host",
      mode: "autonomous",
      systemPrompt: "Host.",
      endpoint,
      tools: [delegate, tell],
    });
    const { output, report } = await parent.complete();
    expect(output.value).toBe("Table 4.");
    expect(child.requests[0]?.messages.at(-1)).toMatchObject({
      role: "user",
      content: '{"dish":"dumplings","guests":2}',
    });
    expect(report).toMatchObject({ llmCalls: 2, steps: 2, skippedCalls: 4 });
  });

  it("core 67: a child that ends without a value gives a fixed text", async () => {
    const silent = tool({ name: "silent", description: "", input: Str, output: Stop, run: () => Stop() });
    const agent = new Agent({ name: "quiet", mode: "deterministic", defaultTools: [silent] });
    await expect(asTool(agent).invoke(Str({ value: "Go." }))).resolves.toMatchObject({
      value: "The agent finished without a message.",
    });
  });

  it("delivers the child's events to the parent's sinks, under the child's own run", async () => {
    const events: RunEvent[] = [];
    const delegate = asTool(specialist(new MockLLMEndpoint([findCall])));
    const endpoint = new MockLLMEndpoint([
      { action: "specialist", rationale: "Lunch.", value: "Book." },
      { action: "stop", rationale: "Done.", value: "ok" },
    ]);
    const parent = new Agent({
      name: "host",
      mode: "autonomous",
      systemPrompt: "Host.",
      endpoint,
      tools: [delegate, stop],
    });
    await parent.complete(undefined, { sinks: [(event) => events.push(event)], runId: "r" });
    const started = events.filter((event) => event.type === "run-lifecycle" && event.kind === "started");
    expect(started).toMatchObject([
      { runId: "r", agentName: "host", parentAgentName: null },
      { runId: "r.1", agentName: "specialist", parentAgentName: "host" },
    ]);
  });

  it("is cancelled with its parent, at once", async () => {
    const hang = tool({
      name: "hang",
      description: "",
      input: Str,
      output: Stop,
      run: () => new Promise<Stop>(() => undefined),
    });
    const child = new Agent({ name: "child", mode: "deterministic", defaultTools: [hang] });
    const start = tool({ name: "start", description: "", input: Str, output: Str, run: (text) => text });
    const delegate = asTool(child);
    delegate.chain(start);
    const parent = new Agent({
      name: "host",
      mode: "deterministic",
      defaultTools: [start],
      tools: [delegate],
    });
    const controller = new AbortController();
    const result = parent.invoke("Go.", { signal: controller.signal });
    setTimeout(() => {
      controller.abort(new Error("enough"));
    }, 5);
    await expect(result).resolves.toMatchObject({ status: "cancelled", reason: { message: "enough" } });
  });

  it("design row 7 and section 3: a child that asks suspends its caller, and the reply reaches it, with a journal and without", async () => {
    for (const journal of [undefined, memoryJournalStore()]) {
      const asking = (): Agent => {
        const child = new Agent({
          name: "clerk",
          systemPrompt: "Ask.",
          endpoint: new MockLLMEndpoint(({ messages }) =>
            messages.some(({ content }) => content.includes('prompt_user","value":"Basil Lane'))
              ? { action: "stop", rationale: "Known.", value: "Basil Lane it is." }
              : { action: "prompt_user", rationale: "Where?", value: "Which street?" },
          ),
          tools: [stop],
        });
        return new Agent({
          name: "host",
          mode: "deterministic",
          defaultTools: [
            asTool(child),
            tool({
              name: "end",
              description: "",
              input: Str,
              output: Stop,
              run: ({ value: text }) => Stop({ value: text }),
            }),
          ],
        });
      };
      const suspended = await asking().invoke("Find out.", { journal, runId: "r" });
      if (suspended.status !== "suspended") throw new Error("the run did not wait");
      expect(suspended).toMatchObject({
        toolName: "clerk",
        request: { type: "user-question", question: "Which street?" },
        report: { llmCalls: 1 },
      });
      const resumed =
        journal === undefined
          ? await asking().resume(structuredClone(suspended.snapshot), "Basil Lane")
          : await resumeRun(journal, "r", asking(), { reply: "Basil Lane" });
      expect(resumed).toMatchObject({
        status: "completed",
        output: { value: "Basil Lane it is." },
        report: { llmCalls: 2 },
      });
    }
  });

  it("stops at a depth of 8", async () => {
    const end = (): AnyTool =>
      tool({
        name: "end",
        description: "",
        input: Str,
        output: Stop,
        run: ({ value: text }) => Stop({ value: text }),
      });
    const nested = (levels: number): Agent => {
      let agent = new Agent({ name: "level_1", mode: "deterministic", defaultTools: [end()] });
      for (let level = 2; level <= levels; level += 1) {
        const inner = asTool(agent, { name: "inner" });
        agent = new Agent({ name: `level_${level}`, mode: "deterministic", defaultTools: [inner, end()] });
      }
      return agent;
    };
    await expect(nested(8).complete("Go.")).resolves.toMatchObject({ output: { value: "Go." } });
    await expect(nested(9).complete("Go.")).rejects.toMatchObject({ code: "core/nesting", maxDepth: 8 });
  });
});
