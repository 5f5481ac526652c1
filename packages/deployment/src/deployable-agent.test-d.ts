import type { AnyTool, EndpointLike } from "@roboz/core";
import { describe, expectTypeOf, it } from "vitest";
import * as z from "zod";

import type { AgentDefinition } from "./agent-definition.ts";
import { Capability, type AnyCapability } from "./capability.ts";
import { DeployableAgent, type CapabilityFor } from "./deployable-agent.ts";
import { SkillLoading, ToolLabel } from "./label.ts";

declare class Sandbox {
  readonly base: string;
}
declare const sandbox: Sandbox;
declare const tool: AnyTool;
declare const isEndpoint: (candidate: unknown) => candidate is EndpointLike;

const plain = new Capability({ label: ToolLabel("plain"), value: tool });
const files = new Capability({
  label: ToolLabel("files"),
  requiredAttributes: { sandbox: z.instanceof(Sandbox) },
  build: ({ attributes: { sandbox: base } }) => {
    expectTypeOf(base).toEqualTypeOf<Sandbox>();
    return [tool];
  },
});
const limited = new Capability({
  label: ToolLabel("limited"),
  requiredAttributes: { limit: z.number() },
  build: () => [tool],
});
const asking = new Capability({
  label: ToolLabel("asking"),
  requiredAttributes: { agentEndpoint: z.custom<EndpointLike>(isEndpoint) },
  build: () => [tool],
});

const limit = { limit: z.number() };
const wantsSandbox = (capabilities: readonly CapabilityFor<{ sandbox: Sandbox }>[]) =>
  new DeployableAgent({ name: "a", attributes: { sandbox }, capabilities });

describe("a definition with attributes", () => {
  it("has capabilities that find what they require", () => {
    const agent = new DeployableAgent({
      name: "a",
      capabilities: [plain, files, limited],
      attributes: { sandbox, limit: 5 },
    });
    expectTypeOf(agent).toEqualTypeOf<DeployableAgent<{ sandbox: Sandbox; limit: number }>>();
    expectTypeOf(agent.attributes.get("sandbox")).toEqualTypeOf<Sandbox>();
    expectTypeOf(agent.attributes.get("limit")).toEqualTypeOf<number>();
    // @ts-expect-error -- nobody declared this one
    agent.attributes.get("sandbx");
  });

  it("has none that requires what is missing", () => {
    // @ts-expect-error -- `files` requires a sandbox
    new DeployableAgent({ name: "a", capabilities: [plain, files], attributes: { limit: 5 } });
    // @ts-expect-error -- also when it is one of several
    new DeployableAgent({ name: "a", capabilities: [limited, files], attributes: { limit: 5 } });
    // @ts-expect-error -- also when there are none
    new DeployableAgent({ name: "a", capabilities: [files], attributes: {} });
  });

  it("has none that requires another type", () => {
    // @ts-expect-error -- a path is no sandbox
    new DeployableAgent({ name: "a", capabilities: [files], attributes: { sandbox: "/tmp" } });
  });

  it("is given none later that requires what is missing", () => {
    const agent = new DeployableAgent({ name: "a", attributes: { limit: 5 } });
    agent.addCapabilities(plain, limited);
    // @ts-expect-error -- `files` requires a sandbox
    agent.addCapabilities(plain, files);
    agent.setAttributes({ limit: 6 });
    // @ts-expect-error -- the limit is a number
    agent.setAttributes({ limit: "6" });
    // @ts-expect-error -- nobody declared this one
    agent.setAttributes({ limt: 6 });
  });

  it("takes capabilities that are written where they are listed", () => {
    new DeployableAgent({
      name: "a",
      attributes: { sandbox },
      capabilities: [
        new Capability({ label: ToolLabel("fixed"), value: tool }),
        new Capability({ label: ToolLabel("made"), build: () => [tool] }),
        new Capability({
          label: ToolLabel("read"),
          requiredAttributes: { sandbox: z.instanceof(Sandbox) },
          build: ({ attributes }) => {
            expectTypeOf(attributes.sandbox).toEqualTypeOf<Sandbox>();
            return [tool];
          },
        }),
      ],
    });
    // @ts-expect-error -- nobody sets a limit
    wantsSandbox([new Capability({ label: ToolLabel("x"), requiredAttributes: limit, value: tool })]);
  });

  it("has the fields of every definition as well", () => {
    new DeployableAgent({ name: "a", capabilities: [asking], attributes: {} });
  });
});

describe("a definition that says what attributes it will have", () => {
  it("is checked like one that has them", () => {
    const agent = new DeployableAgent<{ sandbox: Sandbox }>({ name: "a", capabilities: [files] });
    agent.setAttributes({ sandbox });
    // @ts-expect-error -- `limited` requires a limit
    agent.addCapabilities(limited);
  });
});

describe("a definition without attributes at type level", () => {
  it("takes every capability, to be checked when it is validated", () => {
    const agent = new DeployableAgent({ name: "a", capabilities: [files, limited] });
    expectTypeOf(agent).toEqualTypeOf<DeployableAgent>();
    agent.addCapabilities(asking);
    agent.setAttributes({ sandbox, anything: 5 });
    expectTypeOf(agent.attributes.get("sandbox")).toEqualTypeOf<unknown>();
  });
});

describe("every definition", () => {
  it("can be a child of any other, and hides its attributes there", () => {
    const typed = new DeployableAgent({ name: "a", capabilities: [files], attributes: { sandbox } });
    const untyped = new DeployableAgent({ name: "b", nestedAgents: [typed], backgroundAgents: [typed] });
    expectTypeOf(typed).toExtend<AgentDefinition>();
    expectTypeOf(untyped).toExtend<AgentDefinition>();
    expectTypeOf(untyped.capabilities).toEqualTypeOf<readonly AnyCapability[]>();
    untyped.addNestedAgents(typed, untyped);
    // @ts-expect-error -- a built agent is no definition
    untyped.addNestedAgents(untyped.build().root);
  });

  it("copies to its own type", () => {
    const typed = new DeployableAgent({ name: "a", attributes: { sandbox } });
    expectTypeOf(typed.copy()).toEqualTypeOf<DeployableAgent<{ sandbox: Sandbox }>>();
  });

  it("resolves to what its selection takes", () => {
    const agent = new DeployableAgent({ name: "a" });
    agent.setCapabilitySelection(agent.resolveCapabilities());
    agent.setCapabilitySelection({ files: true, guide: SkillLoading.AUTOMATIC });
    // @ts-expect-error -- deployment 28: 1 is no choice
    agent.setCapabilitySelection({ files: 1 });
    // @ts-expect-error -- a bare text is no loading mode
    agent.setCapabilitySelection({ guide: "automatic" });
  });
});
