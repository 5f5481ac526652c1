import { describe, expect, it } from "vitest";

import { thrownBy } from "./__fixtures__/parts.ts";
import { isSkillLoading, SkillLabel, SkillLoading, ToolLabel } from "./label.ts";

/** Calls a label with what the compiler would refuse. */
function loosely(make: unknown, ...given: readonly unknown[]): unknown {
  if (typeof make !== "function") throw new TypeError("not callable");
  return Reflect.apply(make, undefined, given);
}

describe("a label", () => {
  it("is fixed, called by the model and loaded on demand unless it says otherwise", () => {
    expect(ToolLabel("stop")).toEqual({ kind: "tool", name: "stop", selectable: false, default: false });
    expect(SkillLabel("guide")).toEqual({
      kind: "skill",
      name: "guide",
      selectable: false,
      loading: "on_demand",
    });
  });

  it("deployment 8: says its kind", () => {
    expect(ToolLabel("stop", { selectable: true, default: true })).toMatchObject({
      kind: "tool",
      selectable: true,
      default: true,
    });
    expect(SkillLabel("guide", { loading: SkillLoading.AUTOMATIC })).toMatchObject({
      kind: "skill",
      loading: "automatic",
    });
  });

  it("is immutable, and equal to another one of equal content", () => {
    const label = SkillLabel("guide", { selectable: true });
    expect(Object.isFrozen(label)).toBe(true);
    expect(label).toStrictEqual(SkillLabel("guide", { selectable: true }));
    expect(label).not.toEqual(SkillLabel("guide"));
  });

  it("does not follow its options when they are changed afterwards", () => {
    const options = { selectable: true };
    const label = ToolLabel("stop", options);
    options.selectable = false;
    expect(label.selectable).toBe(true);
  });

  it.each([
    { why: "deployment 1: white space alone", make: () => ToolLabel("  ") },
    { why: "no text at all", make: () => SkillLabel("") },
  ])("refuses the name: $why", ({ make }) => {
    expect(thrownBy(make)).toMatchObject({ code: "deployment/setting-value", setting: "name" });
  });

  it.each([
    {
      why: "deployment 2: a loading that is no member of the enum",
      make: () => loosely(SkillLabel, "guide", { loading: "AUTOMATIC" }),
      setting: "loading",
    },
    {
      why: "a number as loading",
      make: () => loosely(SkillLabel, "guide", { loading: 1 }),
      setting: "loading",
    },
    {
      why: "null as loading",
      make: () => loosely(SkillLabel, "guide", { loading: null }),
      setting: "loading",
    },
    {
      why: "a switch that is a text",
      make: () => loosely(ToolLabel, "stop", { default: "yes" }),
      setting: "default",
    },
    {
      why: "a switch that is a number",
      make: () => loosely(SkillLabel, "guide", { selectable: 1 }),
      setting: "selectable",
    },
    {
      why: "an option of the other label",
      make: () => loosely(ToolLabel, "stop", { loading: SkillLoading.AUTOMATIC }),
      setting: "loading",
    },
    {
      why: "an option of no label",
      make: () => loosely(ToolLabel, "stop", { __proto__: null, constructor: true }),
      setting: "constructor",
    },
    { why: "options that are no object", make: () => loosely(ToolLabel, "stop", true), setting: "" },
    { why: "a name that is no text", make: () => loosely(ToolLabel, 5), setting: "name" },
    { why: "no name", make: () => loosely(SkillLabel), setting: "name" },
  ])("refuses as a wrong type: $why", ({ make, setting }) => {
    expect(thrownBy(make)).toMatchObject({ code: "deployment/setting-type", setting });
  });
});

describe("a loading mode", () => {
  it("can be told from other texts", () => {
    expect([SkillLoading.ON_DEMAND, SkillLoading.AUTOMATIC].map(isSkillLoading)).toEqual([true, true]);
    expect(["", "AUTOMATIC", true, null, undefined].map(isSkillLoading)).toEqual(Array(5).fill(false));
  });

  it("survives JSON", () => {
    const kept: unknown = JSON.parse(JSON.stringify([SkillLoading.ON_DEMAND, SkillLoading.AUTOMATIC]));
    expect(kept).toEqual(["on_demand", "automatic"]);
  });
});
