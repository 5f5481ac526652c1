import { describe, expectTypeOf, it } from "vitest";

import { isSkillLoading, SkillLabel, SkillLoading, ToolLabel, type Label } from "./label.ts";

declare const label: Label;
declare const text: string;

describe("the types of labels", () => {
  it("tell the two kinds apart", () => {
    if (label.kind === "tool") expectTypeOf(label).toEqualTypeOf<ToolLabel>();
    else expectTypeOf(label.loading).toEqualTypeOf<SkillLoading>();
  });

  it("deployment 2: take no bare text as a loading mode", () => {
    // @ts-expect-error -- a text is no member of the enum
    SkillLabel("guide", { loading: "automatic" });
    SkillLabel("guide", { loading: SkillLoading.AUTOMATIC });
    if (isSkillLoading(text)) SkillLabel("guide", { loading: text });
  });

  it("keep the switches of one label from the other", () => {
    // @ts-expect-error -- a tool is not loaded
    ToolLabel("stop", { loading: SkillLoading.AUTOMATIC });
    // @ts-expect-error -- a skill is no default
    SkillLabel("guide", { default: true });
  });

  it("can be switched over by their texts", () => {
    const loading: SkillLoading = SkillLoading.AUTOMATIC;
    expectTypeOf(loading).toExtend<"on_demand" | "automatic">();
  });
});
