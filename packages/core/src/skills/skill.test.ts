import { describe, expect, it } from "vitest";

import { failureOf } from "../agent/__fixtures__/runs.ts";
import { stop } from "../tools/builtin/stop.ts";
import { factory } from "../tools/factory.ts";
import { tool, type AnyTool } from "../tools/tool.ts";
import { Empty, Str } from "../values/builtin.ts";
import { isSkill, Skill } from "./skill.ts";

const look = tool({
  name: "look",
  description: "Look something up.",
  input: Str,
  output: Str,
  run: (word) => word,
});
const sort = tool({
  name: "sort",
  description: "Sort what was found.",
  input: Str,
  output: Str,
  chainedTo: look,
  run: (found) => found,
});
const library = new Skill({
  name: "library",
  description: "How to use the library.",
  instructions: "Be quiet.",
  tools: [[look, sort]],
});

describe("a skill", () => {
  it("as a tool gives its instructions and how to call the tools that are not chained", async () => {
    const load = library.asTool();
    expect(load.name).toBe("library");
    expect(load.description).toContain("How to use the library.");
    const { value: text } = await load.invoke({});
    expect(text).toContain("# Instructions\nBe quiet.");
    expect(text).toContain("`look`: Look something up.");
    expect(text).toContain('"value":{"type":"string"}');
    expect(text).not.toContain("sort");
  });

  it("makes a new tool each time it is asked for one", () => {
    expect(library.asTool().id).not.toBe(library.asTool().id);
  });

  it("core 32: without tools has no section of tools", async () => {
    const manners = new Skill({ name: "manners", description: "", instructions: "Say please." });
    expect(await manners.asTool().invoke({})).toEqual({ value: "# Instructions\nSay please." });
    expect(manners.prompt).toBe("# Instructions\nSay please.");
  });

  it("names its prerequisite before its instructions, and lists no tool in its prompt", () => {
    const archive = new Skill({
      name: "archive",
      description: "",
      instructions: "Wear gloves.",
      tools: [look],
      dependsOn: library,
    });
    expect(archive.prompt).toMatch(/`library`[^]*# Instructions\nWear gloves\.$/);
    expect(archive.prompt).not.toContain("look");
  });

  it("is copied to a skill of its own, with other tools if they are given", () => {
    const copy = library.copy({ tools: [stop] });
    expect(copy).toMatchObject({ name: "library", instructions: "Be quiet.", tools: [stop] });
    expect(copy.id).not.toBe(library.id);
    expect(library.copy().tools).toEqual([look, sort]);
    expect(library.tools).toEqual([look, sort]);
  });

  it("keeps the list it was given as it was then, and cannot be changed", () => {
    const tools: AnyTool[] = [look];
    const skill = new Skill({ name: "s", description: "", instructions: "", tools });
    tools.push(sort);
    expect(skill.tools).toEqual([look]);
    expect(() => Reflect.set(skill, "name", "Other Name")).not.toThrow();
    expect(skill.name).toBe("s");
  });

  it.each([
    { why: "a name that no tool could have", definition: { name: "Bad Name" }, code: "core/name" },
    { why: "a name that is no text", definition: { name: 1 }, code: "core/name" },
    {
      why: "a description that is no text",
      definition: { description: null },
      code: "core/skill-definition",
    },
    { why: "no instructions", definition: { instructions: undefined }, code: "core/skill-definition" },
    { why: "tools that are no list", definition: { tools: look }, code: "core/skill-definition" },
    {
      why: "a factory that was not bound",
      definition: {
        tools: [
          factory<string>()({ name: "f", description: "", input: Str, output: Str, run: (word) => word }),
        ],
      },
      code: "core/skill-definition",
    },
    {
      why: "a prerequisite that is no skill",
      definition: { dependsOn: look },
      code: "core/skill-definition",
    },
  ])("refuses $why", ({ definition, code }) => {
    const make = (): unknown =>
      Reflect.construct(Skill, [{ name: "s", description: "", instructions: "", ...definition }]);
    expect(make).toThrow(expect.objectContaining({ code }));
  });

  it("is told from anything else", () => {
    expect([
      isSkill(library),
      isSkill({ name: library.name, id: library.id, tools: library.tools }),
      isSkill(look),
      isSkill(null),
    ]).toEqual([true, false, false, false]);
  });
});

describe("a skill factory", () => {
  it("core 35: runs its builder at each call, with the very context, and never before", () => {
    const contexts: object[] = [];
    const make = Skill.factory({
      name: "files",
      description: "",
      instructions: "",
      buildTools: (context: { readonly root: string }) => {
        contexts.push(context);
        return [look];
      },
    });
    expect(contexts).toEqual([]);
    const context = { root: "/" };
    const [one, other] = [make(context), make(context)];
    expect(contexts).toHaveLength(2);
    expect(contexts.every((given) => given === context)).toBe(true);
    expect(one.id).not.toBe(other.id);
    expect(one.tools).toEqual([look]);
  });

  it("passes on what its builder throws", async () => {
    const failure = new RangeError("no disk");
    const make = Skill.factory({
      name: "files",
      description: "",
      instructions: "",
      buildTools: (_context: null) => {
        throw failure;
      },
    });
    const thrown = await failureOf(Promise.resolve(null).then(make));
    expect(thrown).toBe(failure);
  });

  it("refuses a name that no skill could have before it is called", () => {
    expect(() =>
      Skill.factory({ name: "No", description: "", instructions: "", buildTools: () => [] }),
    ).toThrow(expect.objectContaining({ code: "core/name" }));
  });

  it("makes skills whose tools take what the builder gives them", () => {
    const greet = factory<string>()({
      name: "greet",
      description: "Greet.",
      input: Empty,
      output: Str,
      run: (_input, _context, name) => Str({ value: `Hello ${name}` }),
    });
    const make = Skill.factory({
      name: "greeting",
      description: "",
      instructions: "",
      buildTools: (name: string) => [greet(name)],
    });
    const [tool] = make("Ann").tools;
    expect(tool?.name).toBe("greet");
  });
});
