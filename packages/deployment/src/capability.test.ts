import { Skill } from "@roboz/core";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { stopNamed, thrownBy, toolNamed } from "./__fixtures__/parts.ts";
import { Capability, isCapability } from "./capability.ts";
import { SkillLabel, ToolLabel } from "./label.ts";

/** Constructs with what the compiler would refuse. */
function loosely(...given: readonly unknown[]): unknown {
  return Reflect.construct(Capability, given);
}

const tool = toolNamed("read");

describe("a capability", () => {
  it("keeps a tool by identity, and its label", () => {
    const capability = new Capability({ label: ToolLabel("read"), value: tool });
    expect(capability.value).toBe(tool);
    expect(capability.label).toEqual(ToolLabel("read"));
    expect(capability.requiredAttributes).toEqual({});
    expect(isCapability(capability)).toBe(true);
  });

  it("keeps a skill by identity, and does not look into its tools", () => {
    const guide = new Skill({
      name: "guide",
      description: "Guidance.",
      instructions: "Help.",
      tools: [tool, tool],
    });
    expect(new Capability({ label: SkillLabel("guide"), value: guide }).value).toBe(guide);
  });

  it("deployment 12: is unaffected when the list of its chain is changed afterwards", () => {
    const chain = [tool, toolNamed("write", tool)];
    const capability = new Capability({ label: ToolLabel("files"), value: chain });
    chain.length = 0;
    expect(capability.value).toHaveLength(2);
    expect(Object.isFrozen(capability.value)).toBe(true);
  });

  it("keeps its label, its value and what it requires", () => {
    const capability = new Capability({ label: ToolLabel("read"), value: tool });
    expect(() => {
      Reflect.set(capability, "label", ToolLabel("other"));
      Object.assign(capability, { label: ToolLabel("other") });
    }).toThrow(TypeError);
    expect(capability.label.name).toBe("read");
  });

  it("deployment 7: may have neither a value nor a builder while it is only declared and inspected", () => {
    const capability = new Capability({ label: SkillLabel("guide") });
    expect(capability.label.kind).toBe("skill");
    expect(capability.value).toBeUndefined();
  });

  it("deployment 6: takes an empty chain that is no default", () => {
    expect(new Capability({ label: ToolLabel("nothing"), value: [] }).value).toEqual([]);
  });

  it("takes a label of another installed copy, which is plain data", () => {
    const label = { kind: "tool", name: "read", selectable: true, default: false };
    expect(loosely({ label, value: tool })).toMatchObject({ label });
  });

  const guide = new Skill({ name: "guide", description: "Guidance.", instructions: "Help." });
  const otherKind = [
    { why: "deployment 4: a skill", label: ToolLabel("guide"), value: guide },
    { why: "a skill in a chain", label: ToolLabel("files"), value: [tool, guide] },
    { why: "deployment 3: a tool", label: SkillLabel("guide"), value: tool },
    { why: "a chain under a skill label", label: SkillLabel("guide"), value: [tool] },
    {
      why: "deployment 5: a list with one that is no tool",
      label: ToolLabel("files"),
      value: [tool, "write"],
    },
    { why: "a chain inside a chain", label: ToolLabel("files"), value: [[tool]] },
    { why: "null", label: ToolLabel("files"), value: null },
    { why: "a function", label: ToolLabel("files"), value: () => tool },
  ];
  it.each(otherKind)("refuses what its label does not stand for: $why", ({ label, value }) => {
    expect(thrownBy(() => loosely({ label, value }))).toMatchObject({
      code: "deployment/capability-value",
      capabilityName: label.name,
      labelKind: label.kind,
      agentName: undefined,
    });
  });

  it("deployment 6: refuses an empty chain as a default", () => {
    const make = (): unknown => new Capability({ label: ToolLabel("run", { default: true }), value: [] });
    expect(thrownBy(make)).toMatchObject({ code: "deployment/empty-chain", capabilityName: "run" });
  });

  const wrongSettings = [
    { why: "deployment 13: positional arguments", given: [ToolLabel("read"), tool], setting: "kind" },
    { why: "no argument", given: [], setting: "" },
    { why: "an unknown key", given: [{ label: ToolLabel("read"), values: tool }], setting: "values" },
    { why: "no label", given: [{ value: tool }], setting: "label" },
    { why: "a name in place of a label", given: [{ label: "read", value: tool }], setting: "label" },
    {
      why: "the common ground of both labels, which is neither",
      given: [{ label: { name: "read", selectable: false }, value: tool }],
      setting: "label",
    },
    {
      why: "a label of a third kind",
      given: [{ label: { kind: "agent", name: "read" }, value: tool }],
      setting: "label",
    },
    {
      why: "a value and a builder",
      given: [{ label: ToolLabel("read"), value: tool, build: () => [tool] }],
      setting: "build",
    },
    {
      why: "a builder that is no function",
      given: [{ label: ToolLabel("read"), build: [tool] }],
      setting: "build",
    },
    {
      why: "a required attribute without a schema",
      given: [{ label: ToolLabel("read"), value: tool, requiredAttributes: { sandbox: "Sandbox" } }],
      setting: "requiredAttributes",
    },
    {
      why: "required attributes as a list of names",
      given: [{ label: ToolLabel("read"), value: tool, requiredAttributes: ["sandbox"] }],
      setting: "requiredAttributes",
    },
  ];
  it.each(wrongSettings)("refuses settings of a wrong type: $why", ({ given, setting }) => {
    expect(thrownBy(() => loosely(...given))).toMatchObject({ code: "deployment/setting-type", setting });
  });

  it("keeps what it requires when the schemas' object is changed afterwards", () => {
    const requiredAttributes: Record<string, z.ZodType> = { sandbox: z.string() };
    const capability = new Capability({ label: ToolLabel("read"), value: tool, requiredAttributes });
    requiredAttributes["other"] = z.number();
    expect(Object.keys(capability.requiredAttributes)).toEqual(["sandbox"]);
  });

  it("names a factory that was not called", () => {
    const unbound = Object.assign(() => stopNamed("end"), { factoryName: "end" });
    expect(() => loosely({ label: ToolLabel("end"), value: unbound })).toThrow("the factory `end` itself");
  });
});
