import { describe, expect, it } from "vitest";

import { MockLLMEndpoint } from "../llm/mock.ts";
import { memoryJournalStore } from "../runtime/journal/memory-store.ts";
import { Skill } from "../skills/skill.ts";
import { stop } from "../tools/builtin/stop.ts";
import { tool } from "../tools/tool.ts";
import { Empty, Invoke, Str } from "../values/builtin.ts";
import type { Message } from "../values/message.ts";
import { Agent } from "./agent.ts";
import { archive, done, library, look, note, reader, restore } from "./__fixtures__/library.ts";
import { call, callers, failureOf, throughJson } from "./__fixtures__/runs.ts";
import { AgentChangedError } from "./errors.ts";
import { resumeRun } from "./resume-run.ts";

describe("a skill on demand", () => {
  it("brings its tools and their chain once it is loaded", async () => {
    const { agent, endpoint } = reader([call("library"), call("look", { value: "Ada" }), done], {
      skills: [library],
    });
    const { messages, report } = await agent.complete();
    expect(callers(messages)).toEqual(["library", "look", "note", "stop"]);
    expect(messages[2]?.content).toContain("Be quiet.");
    expect(messages[2]?.content).toContain("Look something up.");
    expect(report).toMatchObject({ llmCalls: 3, chainedSteps: 1 });
    endpoint.assertUsedUp();
  });

  it("has no tool that can be called before, which the model is told", async () => {
    const { agent, endpoint } = reader([call("look", { value: "Ada" }), done], { skills: [library] });
    const { messages } = await agent.complete();
    expect(callers(messages)).toEqual(["stop"]);
    expect(endpoint.requests[1]?.messages.at(-1)?.content).toContain("`look` is no action");
  });

  it("is listed in the prompt by name and description, without its tools", () => {
    const { agent } = reader([], { skills: [library] });
    expect(agent.systemPrompt).toContain("- `library`: How to use the library.");
    expect(agent.systemPrompt).not.toContain("look");
    expect(agent.systemPrompt).not.toContain("Load a skill");
  });

  it("is loaded by a tool that returns its call, too", async () => {
    const open = tool({
      name: "open",
      description: "",
      input: Empty,
      output: Invoke,
      run: () => Invoke({ action: "library", rationale: "" }),
    });
    const { agent } = reader([call("open"), call("look", { value: "Ada" }), done], {
      tools: [stop, open],
      skills: [library],
    });
    expect(callers((await agent.complete()).messages)).toEqual(["library", "look", "note", "stop"]);
  });

  it("core 31: only repeats its instructions when it is loaded again", async () => {
    const { agent } = reader([call("library"), call("library"), done], { skills: [library] });
    const { messages } = await agent.complete();
    const told = messages.filter(({ content }) => content.includes("Be quiet."));
    expect(told).toHaveLength(2);
    expect(told[0]?.content).toBe(told[1]?.content);
  });

  it("design 3, instead of core 33: is not loaded in the next run", async () => {
    const { agent, endpoint } = reader(
      [call("library"), call("look", { value: "Ada" }), done, call("look", { value: "Ada" }), done],
      { skills: [library] },
    );
    await agent.complete();
    const { messages } = await agent.complete();
    expect(callers(messages)).toEqual(["stop"]);
    endpoint.assertUsedUp();
  });

  it("is loaded by one of two runs at once, and not by the other", async () => {
    const { agent } = reader(
      ({ messages }) => {
        const [, task] = messages;
        const isLoaded = messages.some(({ content }) => content.includes("# Instructions"));
        if (!isLoaded) return call(task?.content ?? "");
        if (messages.length > 4) return done;
        return task?.content === "library" ? call("look", { value: "x" }) : call("dig");
      },
      {
        skills: [
          library,
          new Skill({
            name: "garden",
            description: "",
            instructions: "Mind the roses.",
            tools: [tool({ name: "dig", description: "", input: Empty, output: Empty, run: () => Empty() })],
          }),
        ],
      },
    );
    const runs = [agent.start("library"), agent.start("garden")];
    // Step by step in turn, so that each has loaded its skill when the other looks for a tool.
    for (let step = 0; step < 5; step += 1) for (const run of runs) await run.step();
    const [one, other] = await Promise.all(runs.map((run) => run.finish()));
    expect(callers(one?.messages ?? [])).toEqual(["library", "look", "note", "stop"]);
    expect(callers(other?.messages ?? [])).toEqual(["garden", "dig", "stop"]);
    expect(runs.map((run) => run.snapshot().skills)).toEqual([["library"], ["garden"]]);
  });

  it("offers its tools natively from the next call on, and names them in its text", async () => {
    const endpoint = new MockLLMEndpoint([call("library"), call("look", { value: "Ada" }), done], {
      protocol: "tools",
    });
    const { agent } = reader([], { endpoint, skills: [library] });
    const { messages } = await agent.complete();
    expect(endpoint.requests.map(({ toolNames }) => toolNames)).toEqual([
      ["stop", "library"],
      ["stop", "library", "look"],
      ["stop", "library", "look"],
    ]);
    const text = messages.find(({ content }) => content.includes("Be quiet."))?.content ?? "";
    expect(text).toContain("`look`");
    expect(text).not.toContain("Look something up.");
    expect(agent.systemPrompt).toContain("A skill is instructions");
  });
});

describe("a skill that depends on another", () => {
  it("is loaded after it", async () => {
    const { agent } = reader([call("library"), call("archive"), call("restore"), done], {
      skills: [archive, library],
    });
    const { messages } = await agent.complete();
    expect(callers(messages)).toEqual(["library", "archive", "restore", "stop"]);
  });

  it("core 28: ends the run when it is loaded first, and the model is not told", async () => {
    const { agent, endpoint } = reader([call("archive"), done], { skills: [library, archive] });
    const error = await failureOf(agent.complete());
    expect(error).toMatchObject({
      code: "core/skill-prerequisite",
      skillName: "archive",
      prerequisite: "library",
    });
    expect(endpoint.requests).toHaveLength(1);
  });

  it("may depend on one that is loaded when the run starts", async () => {
    const { agent } = reader([call("archive"), call("restore"), done], {
      skills: [archive],
      autoLoadedSkills: [library],
    });
    expect(callers((await agent.complete()).messages)).toEqual(["library", "archive", "restore", "stop"]);
  });
});

describe("an auto-loaded skill", () => {
  it("is told of when the run starts, after a banner, and its tools can be called at once", async () => {
    const { agent } = reader([call("look", { value: "Ada" }), done], {
      autoLoadedSkills: [library, archive],
      initialMessages: ["It is Monday."],
    });
    const { messages } = await agent.complete("Find Ada.");
    expect(messages.slice(0, 6).map(({ role, messageKind }) => [role, messageKind])).toEqual([
      ["system", "system_message"],
      ["user", "startup_context"],
      ["user", "auto_load_banner"],
      ["user", "auto_loaded_skill"],
      ["user", "auto_loaded_skill"],
      ["user", undefined],
    ]);
    expect(messages[2]?.content).not.toContain("caller");
    expect(callers(messages)).toEqual(["library", "archive", "look", "note", "stop"]);
    expect(messages[3]?.content).toContain("Look something up.");
  });

  it("core 34: is not listed in the prompt, nor are its tools", () => {
    const { agent } = reader([], { autoLoadedSkills: [library] });
    expect(agent.systemPrompt).not.toMatch(/library|look/);
    expect(agent.systemPrompt).toContain("A skill is instructions");
  });

  it("can be loaded again, although the model is not offered it", async () => {
    const endpoint = new MockLLMEndpoint([call("library"), done], { protocol: "tools" });
    const { agent } = reader([], { endpoint, autoLoadedSkills: [library] });
    const { messages } = await agent.complete();
    expect(callers(messages)).toEqual(["library", "library", "stop"]);
    expect(endpoint.requests[0]?.toolNames).toEqual(["stop", "look"]);
  });

  it("may be followed by the agent's own tools", async () => {
    const file = tool({
      name: "file",
      description: "File it.",
      input: Str,
      output: Empty,
      chainedTo: note,
      run: () => Empty(),
    });
    const { agent } = reader([call("look", { value: "Ada" }), done], {
      tools: [stop, file],
      autoLoadedSkills: [library],
    });
    expect(callers((await agent.complete()).messages)).toContain("file");
  });

  it("loads in a deterministic agent, whose tools may call its", async () => {
    const begin = tool({
      name: "begin",
      description: "",
      input: Str,
      output: Str,
      run: (task) => task,
    });
    const go = tool({
      name: "go",
      description: "",
      input: Str,
      output: Invoke,
      chainedTo: begin,
      run: ({ value }) =>
        value === "Ada"
          ? Invoke({ action: "look", rationale: "", value })
          : Invoke({ action: "stop", rationale: "", value }),
    });
    const agent = new Agent({
      name: "clerk",
      mode: "deterministic",
      defaultTools: [begin],
      tools: [go, stop],
      autoLoadedSkills: [library],
    });
    const { output } = await agent.complete("Ada");
    expect(output.value).toBe("noted: found Ada");
  });
});

describe("a loaded skill in a snapshot", () => {
  const script = [call("library"), call("look", { value: "Ada" }), done];

  it("is there when the run goes on elsewhere", async () => {
    const run = reader(script, { skills: [library] }).agent.start();
    for (let step = 0; step < 2; step += 1) await run.step();
    const snapshot = throughJson(run.snapshot());
    expect(snapshot.skills).toEqual(["library"]);
    const { agent } = reader(script.slice(1), { skills: [library] });
    const resumed = await agent.resume(snapshot);
    expect(callers(resumed.messages)).toEqual(["library", "look", "note", "stop"]);
  });

  it.each([
    {
      why: "has another tool",
      changed: library.copy({ tools: [look, note, restore] }),
      names: ["library", "restore"],
    },
    { why: "lacks a tool", changed: library.copy({ tools: [look] }), names: ["library", "note"] },
    { why: "is not there any more", changed: undefined, names: ["library", "look", "note"] },
  ])("is refused by an agent whose skill $why, which names it", async ({ changed, names }) => {
    const run = reader(script, { skills: [library] }).agent.start();
    await run.step();
    const { agent } = reader([done], { skills: changed === undefined ? [] : [changed] });
    const error = await failureOf(agent.resume(run.snapshot()));
    if (!(error instanceof AgentChangedError)) throw error;
    expect(error.differences.map((difference) => difference.tool).sort()).toEqual(names);
  });

  it("may have other words", async () => {
    const run = reader(script, { skills: [library] }).agent.start();
    for (let step = 0; step < 2; step += 1) await run.step();
    const { agent } = reader([done], { skills: [library.copy({ instructions: "Be very quiet." })] });
    expect(await agent.resume(run.snapshot())).toMatchObject({ status: "completed" });
  });

  it("is left out when the agent that is allowed to differ has it no more", async () => {
    const run = reader(script, { skills: [library] }).agent.start();
    for (let step = 0; step < 2; step += 1) await run.step();
    const snapshot = { ...run.snapshot(), position: { ...run.snapshot().position, lastTool: null } };
    const { agent } = reader([done], {});
    expect(await agent.resume(snapshot, undefined, { allowChanged: true })).toMatchObject({
      status: "completed",
    });
  });
});

describe("a loaded skill in a journal", () => {
  it("is there after every record", async () => {
    const script = ({ messages }: { readonly messages: readonly Message[] }) => {
      const told = callers(messages);
      if (!told.includes("archive")) return call("archive");
      return told.includes("restore") ? done : call("restore");
    };
    const make = (): Agent => reader(script, { skills: [archive], autoLoadedSkills: [library] }).agent;
    const store = memoryJournalStore();
    const whole = await make().complete(undefined, { journal: store, runId: "r" });
    const lines = (await store.read("r")) ?? [];
    expect(lines.length).toBeGreaterThan(6);
    for (let kept = 1; kept <= lines.length; kept += 1) {
      const copy = memoryJournalStore();
      const handle = await copy.open("r");
      for (const line of lines.slice(0, kept)) await handle.append(line);
      await handle.close();
      const resumed = await resumeRun(copy, "r", make());
      expect(resumed.messages).toEqual(whole.messages);
      expect(resumed.report).toMatchObject({ llmCalls: 3, steps: 3 });
    }
  });

  it("takes no place in the records of a run without any", async () => {
    const store = memoryJournalStore();
    await reader([done]).agent.complete(undefined, { journal: store, runId: "r" });
    expect((await store.read("r"))?.join("")).not.toContain('"skills"');
  });
});
