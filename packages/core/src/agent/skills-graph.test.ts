import { describe, expect, it } from "vitest";
import * as z from "zod";

import { AgentDefinitionError } from "../errors.ts";
import { Skill } from "../skills/skill.ts";
import { factory } from "../tools/factory.ts";
import { when } from "../tools/link.ts";
import { tool } from "../tools/tool.ts";
import { Empty, Str } from "../values/builtin.ts";
import { Agent } from "./agent.ts";
import { archive, done, library, look, note, reader, restore } from "./__fixtures__/library.ts";
import { call, callers, looseTool } from "./__fixtures__/runs.ts";
import type { AgentSettings } from "./settings.ts";

const greet = factory<string>()({
  name: "greet",
  description: "",
  input: Empty,
  output: Str,
  run: (_input, _context, name) => Str({ value: name }),
});

function problemsOf(
  settings: Partial<AgentSettings>,
): readonly { readonly code: string; readonly message: string }[] {
  try {
    reader([], settings);
  } catch (error) {
    if (error instanceof AgentDefinitionError) return error.problems;
    throw error;
  }
  return [];
}

describe("the graph of an agent's skills is checked when it is constructed", () => {
  const lookAgain = tool({ name: "look", description: "", input: Empty, output: Empty, run: () => Empty() });
  const skillOf = (name: string, ...tools: Skill["tools"]): Skill =>
    new Skill({ name, description: "", instructions: "", tools });
  const noteAfter = (parent: Parameters<typeof when>[0]): Skill =>
    skillOf(
      "notes",
      looseTool({ name: "jot", input: Str, output: Str, chainedTo: parent, run: () => Str({ value: "" }) }),
    );

  it.each([
    {
      why: "issue 4, instead of core 26: a tool of a skill has the skill's own name",
      settings: { skills: [skillOf("look", lookAgain)] },
      code: "duplicate-name",
      says: "`look` is the name of a skill and of a tool of the skill `look`",
    },
    {
      why: "core 27: a skill is both on demand and automatic",
      settings: { skills: [library], autoLoadedSkills: [library] },
      code: "duplicate-name",
      says: "`library` is the name of a skill and of a skill",
    },
    {
      why: "two skills have tools of one name",
      settings: { skills: [library, skillOf("other", lookAgain)] },
      code: "duplicate-name",
      says: "`look` is the name of a tool of the skill `library` and of a tool of the skill `other`",
    },
    {
      why: "a tool of a skill is named like one of the agent's",
      settings: { tools: [lookAgain], skills: [library] },
      code: "duplicate-name",
      says: "`look` is the name of a tool of the agent and of a tool of the skill `library`",
    },
    {
      why: "a skill has a tool's name",
      settings: { skills: [skillOf("stop")] },
      code: "duplicate-name",
      says: "`stop` is the name of a tool of the agent and of a skill",
    },
    {
      why: "issue 4, instead of core 29: an auto-loaded prerequisite comes too late",
      settings: { autoLoadedSkills: [archive, library] },
      code: "skill-prerequisite",
      says: "not loaded before it",
    },
    {
      why: "an auto-loaded skill depends on one on demand",
      settings: { autoLoadedSkills: [archive], skills: [library] },
      code: "skill-prerequisite",
      says: "not loaded before it",
    },
    {
      why: "core 30: a prerequisite is there as a copy only",
      settings: { skills: [library.copy(), archive] },
      code: "skill-prerequisite",
      says: "which this agent does not have",
    },
    {
      why: "a link leads to a tool that nobody has",
      settings: { skills: [noteAfter(look)] },
      code: "unknown-parent",
      says: "`jot` is chained to `look`, which this agent does not have",
    },
    {
      why: "a link leads to a skill that need not be loaded",
      settings: { skills: [library, noteAfter(note)] },
      code: "unknown-parent",
      says: "`jot` of the skill `notes` is chained to `note` of the skill `library`, which need not be loaded by then",
    },
    {
      why: "a tool of the agent is chained to a skill on demand",
      settings: {
        tools: [
          looseTool({ name: "jot", input: Str, output: Str, chainedTo: note, run: () => Str({ value: "" }) }),
        ],
        skills: [library],
      },
      code: "unknown-parent",
      says: "`jot` is chained to `note` of the skill `library`, which a run may not have loaded",
    },
    {
      why: "a link within a skill does not fit",
      settings: {
        skills: [
          skillOf(
            "bad",
            restore,
            looseTool({
              name: "jot",
              input: z.object({ n: z.int() }),
              output: Empty,
              chainedTo: restore,
              run: () => Empty(),
            }),
          ),
        ],
      },
      code: "misfit",
      says: "`restore` returns nothing that `jot` accepts",
    },
    {
      why: "two skills both always follow one tool",
      settings: {
        tools: [restore],
        skills: ["one", "two"].map((name) =>
          skillOf(
            name,
            looseTool({
              name: `after_${name}`,
              input: Str,
              output: Empty,
              chainedTo: restore,
              run: () => Empty(),
            }),
          ),
        ),
      },
      code: "ambiguous-fork",
      says: "`restore` is always followed by",
    },
    {
      why: "a factory is bound by two skills",
      settings: {
        skills: ["one", "two"].map((name) => skillOf(name, greet("Ann"))),
      },
      code: "duplicate-id",
      says: "`greet` share one identity",
    },
  ])("$why", ({ settings, code, says }) => {
    const messages = problemsOf(settings).flatMap((problem) =>
      problem.code === code ? problem.message : [],
    );
    expect(messages.join("\n")).toContain(says);
  });

  it.each([
    { why: "is a skill factory that was not called", given: [() => library] },
    { why: "is a tool", given: [look] },
    { why: "is no list", given: library },
  ])("refuses an entry of `skills` that $why", ({ given }) => {
    const settings = { name: "reader", mode: "deterministic", defaultTools: [look], skills: given };
    const make = (): unknown => Reflect.construct(Agent, [settings]);
    expect(make).toThrow(expect.objectContaining({ code: "core/agent-definition" }));
    expect(make).toThrow("`skills` is no list of skills");
  });

  it.each([
    {
      why: "two skills share a tool, which is there with either",
      settings: { skills: [library, skillOf("copyist", look)] },
    },
    {
      why: "a skill's tool follows one of the agent's",
      settings: { tools: [look], skills: [noteAfter(look)] },
    },
    {
      why: "a skill's tool follows one of its prerequisite",
      settings: {
        skills: [library, noteAfter(note).copy({ dependsOn: library })],
      },
    },
    {
      why: "a skill's tool follows one of an auto-loaded skill",
      settings: { skills: [noteAfter(note)], autoLoadedSkills: [library] },
    },
    {
      why: "a link names a factory that the agent has bound",
      settings: { tools: [greet("Ann")], skills: [noteAfter(greet)] },
    },
    {
      why: "chained tools of two skills have one name",
      settings: {
        tools: [restore],
        skills: ["one", "two"].map((name) =>
          skillOf(
            name,
            looseTool({
              name: "jot",
              input: Str,
              output: Empty,
              chainedTo: when(restore, ({ value }) => value === name),
              run: () => Empty(),
            }),
          ),
        ),
      },
    },
  ])("allows it when $why", ({ settings }) => {
    expect(problemsOf(settings)).toEqual([]);
  });

  it("has a shared tool when either skill is loaded", async () => {
    const { agent } = reader([call("copyist"), call("look", { value: "Ada" }), done], {
      skills: [library, skillOf("copyist", look)],
    });
    // The chain is the other skill's, which is not loaded.
    expect(callers((await agent.complete()).messages)).toEqual(["copyist", "look", "stop"]);
  });
});
