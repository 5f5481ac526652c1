import type { AnyTool } from "@roboz/core";
import { describe, expectTypeOf, it } from "vitest";
import * as z from "zod";

import { Capability, type AnyCapability } from "./capability.ts";
import { SkillLabel, ToolLabel } from "./label.ts";

declare class Sandbox {
  readonly base: string;
}
declare const readIn: (sandbox: Sandbox) => AnyTool;
declare const tool: AnyTool;

describe("the types of capabilities", () => {
  it("infer what a builder needs from the schemas", () => {
    const capability = new Capability({
      label: ToolLabel("read"),
      requiredAttributes: { sandbox: z.instanceof(Sandbox), names: z.set(z.string()) },
      build: ({ attributes }) => {
        expectTypeOf(attributes.sandbox).toEqualTypeOf<Sandbox>();
        expectTypeOf(attributes.names).toEqualTypeOf<Set<string>>();
        return [readIn(attributes.sandbox)];
      },
    });
    expectTypeOf(capability).toEqualTypeOf<Capability<{ sandbox: Sandbox; names: Set<string> }>>();
    expectTypeOf(capability).toExtend<AnyCapability>();
  });

  it("need nothing without schemas", () => {
    expectTypeOf(new Capability({ label: ToolLabel("read"), value: tool })).toEqualTypeOf<Capability>();
    expectTypeOf<Capability>().toExtend<Capability<{ sandbox: Sandbox }>>();
    expectTypeOf<Capability<{ sandbox: Sandbox }>>().not.toExtend<Capability>();
  });

  it("deployment 3: take no tool under a skill label", () => {
    // @ts-expect-error -- a skill label stands for a skill
    new Capability({ label: SkillLabel("guide"), value: tool });
    // @ts-expect-error -- also when it is built
    new Capability({ label: SkillLabel("guide"), build: () => [tool] });
  });

  it("are given to subclasses, which override `build`", () => {
    class Files extends Capability<{ sandbox: Sandbox }> {
      constructor({ label = ToolLabel("files") } = {}) {
        super({ label, requiredAttributes: { sandbox: z.instanceof(Sandbox) } });
      }

      override build({ attributes }: { readonly attributes: { readonly sandbox: Sandbox } }) {
        return [readIn(attributes.sandbox)];
      }
    }
    expectTypeOf<Files>().toExtend<Capability<{ sandbox: Sandbox }>>();
  });
});
