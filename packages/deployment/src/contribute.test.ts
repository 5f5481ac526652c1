import { describe, expect, it, vi } from "vitest";

import {
  definitionOf,
  rolesOf,
  skillCapability,
  skillNamed,
  thrownBy,
  toolCapability,
  toolNamed,
} from "./__fixtures__/parts.ts";
import { Capability, isCapability, type AnyCapability } from "./capability.ts";
import { SkillLabel, SkillLoading, ToolLabel, type Label } from "./label.ts";

/** A capability whose builder gives what the compiler would refuse. */
function building(label: Label, build: () => unknown): AnyCapability {
  const made: unknown = Reflect.construct(Capability, [{ label, build }]);
  if (isCapability(made)) return made;
  throw new TypeError("no capability");
}

const defaults = { default: true };

describe("what capabilities build", () => {
  it("deployment 7: fails for one that has neither a value nor a builder", () => {
    const agent = definitionOf("a", { capabilities: [new Capability({ label: SkillLabel("guide") })] });
    agent.validate();
    expect(thrownBy(() => agent.build())).toMatchObject({
      code: "deployment/build-missing",
      agentName: "a",
      capabilityName: "guide",
    });
  });

  it.each([
    { why: "deployment 9: a tool under a skill label", label: SkillLabel("x"), built: [toolNamed("t")] },
    { why: "a skill under a tool label", label: ToolLabel("x"), built: [skillNamed("s")] },
    { why: "a tool among skills", label: SkillLabel("x"), built: [skillNamed("s"), toolNamed("t")] },
    { why: "a list in a chain", label: ToolLabel("x"), built: [[[toolNamed("t")]]] },
    { why: "a tool that is in no list", label: ToolLabel("x"), built: toolNamed("t") },
    { why: "nothing", label: ToolLabel("x"), built: undefined },
    { why: "a capability", label: ToolLabel("x"), built: [toolCapability("t")] },
    { why: "a promise", label: ToolLabel("x"), built: Promise.resolve([toolNamed("t")]) },
  ])("is refused when it is not what the label says: $why", ({ label, built }) => {
    const agent = definitionOf("a", { capabilities: [building(label, () => built)] });
    expect(thrownBy(() => agent.build())).toMatchObject({
      code: "deployment/capability-value",
      agentName: "a",
      capabilityName: "x",
      labelKind: label.kind,
    });
  });

  it("is refused when a default label gets an empty chain", () => {
    const agent = definitionOf("a", { capabilities: [building(ToolLabel("x", defaults), () => [[]])] });
    expect(thrownBy(() => agent.build())).toMatchObject({ code: "deployment/empty-chain", agentName: "a" });
  });

  it("deployment 10: has a default at the head of each chain under a default label", () => {
    const [a, c] = [toolNamed("a"), toolNamed("c")];
    const chains = [
      [a, toolNamed("b", a)],
      [c, toolNamed("d", c)],
    ];
    const agent = definitionOf("agent", { capabilities: [building(ToolLabel("x", defaults), () => chains)] });
    const { root } = agent.build();
    expect(rolesOf(root)).toEqual({ defaults: ["a", "c"], tools: ["b", "d"] });
    const called = root.graph().edges.flatMap(({ kind, to }) => (kind === "call" ? [to] : []));
    expect(called).toEqual(["prompt_user"]);
  });

  it("deployment 11: may be nothing at all", () => {
    const agent = definitionOf("a", {
      capabilities: [
        building(ToolLabel("x", defaults), () => []),
        new Capability({ label: ToolLabel("y"), value: [] }),
        building(SkillLabel("z"), () => []),
      ],
    });
    expect(rolesOf(agent.build().root)).toEqual({ defaults: [], tools: [] });
  });

  it("comes in the order of declaration, with the parts of each in the agent's order", () => {
    const agent = definitionOf("a", {
      capabilities: [
        skillCapability("loaded", { loading: SkillLoading.AUTOMATIC }),
        toolCapability("one"),
        building(ToolLabel("many"), () => [toolNamed("two"), [toolNamed("three")], toolNamed("four")]),
        toolCapability("first_default", defaults),
        toolCapability("second_default", defaults),
      ],
    });
    expect(rolesOf(agent.build().root)).toEqual({
      defaults: ["first_default", "second_default"],
      tools: ["one", "two", "three", "four", "loaded"],
    });
  });

  it("is given the definition, its attributes and its pipe", () => {
    const build = vi.fn(() => [toolNamed("x")]);
    const agent = definitionOf("a", { capabilities: [new Capability({ label: ToolLabel("x"), build })] });
    agent.setAttributes({ greeting: "Hello." });
    const { pipes } = agent.build();
    expect(build).toHaveBeenCalledWith({ agent, attributes: {}, pipe: pipes.get("a") });
  });

  it("may come from a class that overrides `build`", () => {
    class Twice extends Capability {
      constructor() {
        super({ label: ToolLabel("twice") });
      }

      override build() {
        return [toolNamed("one"), toolNamed("two")];
      }
    }
    expect(rolesOf(definitionOf("a", { capabilities: [new Twice()] }).build().root).tools).toEqual([
      "one",
      "two",
    ]);
  });

  it("says whose builder failed, and keeps what it threw", () => {
    const cause = new RangeError("no room");
    const agent = definitionOf("a", {
      capabilities: [
        building(ToolLabel("x"), () => {
          throw cause;
        }),
      ],
    });
    expect(thrownBy(() => agent.build())).toMatchObject({
      code: "deployment/capability-build",
      agentName: "a",
      capabilityName: "x",
      cause,
      message: "The capability `x` of `a` could not be built: no room",
    });
  });

  it("does not reach the build with what it changes of the definition", () => {
    const agent = definitionOf("a");
    agent.addCapabilities(
      building(ToolLabel("x"), () => {
        agent.name = "changed";
        agent.addCapabilities(toolCapability(`later_${agent.capabilities.length}`));
        agent.addNestedAgents(definitionOf(`child_${agent.nestedAgents.length}`));
        return [toolNamed("x")];
      }),
    );
    const { root } = agent.build();
    expect([root.name, rolesOf(root).tools]).toEqual(["a", ["x"]]);
    expect(rolesOf(agent.build().root).tools).toEqual(["x", "later_1", "child_0"]);
  });
});
