import { describe, expectTypeOf, it } from "vitest";

import { Empty, factory, Skill, stop, Str, type Tool } from "../index.ts";

interface Files {
  readonly root: string;
}

const read = factory<Files>()({
  name: "read",
  description: "",
  input: Empty,
  output: Str,
  run: (_input, _context, { root }) => Str({ value: root }),
});

describe("a skill", () => {
  it("is made by its factory from the context that its builder takes", () => {
    const make = Skill.factory({
      name: "files",
      description: "",
      instructions: "",
      buildTools: (files: Files) => [[read(files), stop]],
    });
    expectTypeOf(make).toEqualTypeOf<(context: Files) => Skill>();
    // @ts-expect-error -- the builder needs a root
    make({});
  });

  it("takes tools, and no factory that was not bound", () => {
    expectTypeOf(Skill).toBeConstructibleWith({
      name: "s",
      description: "",
      instructions: "",
      tools: [stop],
    });
    // @ts-expect-error -- a factory becomes a tool when it is bound
    new Skill({ name: "s", description: "", instructions: "", tools: [read] });
    const make = Skill.factory({ name: "s", description: "", instructions: "", buildTools: () => [] });
    // An agent takes skills, and a factory makes them.
    expectTypeOf(make).not.toExtend<Skill>();
  });

  it("is a tool from nothing to a text", () => {
    const skill = new Skill({ name: "s", description: "", instructions: "" });
    expectTypeOf(skill.asTool()).toEqualTypeOf<Tool<Empty, Str>>();
  });
});
