import { isEndpointLike, MockLLMEndpoint } from "@roboz/core";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod";

import { definitionOf, loosely, thrownBy, toolNamed } from "./__fixtures__/parts.ts";
import { Capability } from "./capability.ts";
import { DeployableAgent } from "./deployable-agent.ts";
import { DeploymentValidationError, type DeploymentProblem } from "./errors.ts";
import { SkillLabel, ToolLabel } from "./label.ts";

class Sandbox {
  readonly base = ".";
}
class FilePermissionPolicy {
  readonly rules = [];
}

/** A capability of one tool that requires attributes. */
function requiring(name: string, requiredAttributes: Readonly<Record<string, z.ZodType>>): Capability<never> {
  return new Capability({
    label: ToolLabel(name, { selectable: true }),
    requiredAttributes,
    build: () => [toolNamed(name)],
  });
}

/** What is found wrong with a definition, without the sentences. */
function problemsOf(agent: DeployableAgent): readonly DeploymentProblem[] {
  const error = thrownBy(() => {
    agent.validate();
  });
  expect(thrownBy(() => agent.build())).toEqual(error);
  if (error === undefined) return [];
  expect(error).toMatchObject({ code: "deployment/validation", agentName: agent.name });
  return error instanceof DeploymentValidationError ? error.problems : [];
}

/** What validating a definition says. */
function messageOf(agent: DeployableAgent): string {
  const error = thrownBy(() => {
    agent.validate();
  });
  return error instanceof Error ? error.message : "";
}

describe("attributes", () => {
  it.each([
    "build",
    "name",
    "mode",
    "capabilities",
    "agentEndpoint",
    "attributes",
    "setAttributes",
    "capabilitySelection",
    "_x",
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "",
    "  ",
  ])("deployment 36: may not be called %j", (name) => {
    const agent = definitionOf("a");
    const given: unknown = JSON.parse(`{"good": 1, "${name}": 1}`);
    expect(thrownBy(() => loosely(agent, "setAttributes", given))).toMatchObject({
      code: "deployment/attribute-name",
      agentName: "a",
      attributeName: name,
    });
    expect(agent.attributes.has(name)).toBe(false);
  });

  it("deployment 37: are all set or none", () => {
    const agent = definitionOf("a");
    expect(() => {
      agent.setAttributes({ good: 1, build: 2 });
    }).toThrow("`build`");
    expect(agent.attributes.has("good")).toBe(false);
  });

  it("may not be called like a member that a subclass adds, or by a symbol", () => {
    class Librarian extends DeployableAgent {
      get shelf(): string {
        return this.name;
      }
    }
    const agent = new Librarian({ name: "a" });
    expect(() => {
      agent.setAttributes({ shelf: 1 });
    }).toThrow("`shelf`");
    expect(thrownBy(() => loosely(agent, "setAttributes", { [Symbol("x")]: 1 }))).toMatchObject({
      code: "deployment/attribute-name",
    });
  });

  it("may be called like what a record would take for something else", () => {
    const agent = definitionOf("a");
    agent.setAttributes({ then: 1, size: 2, "0": 3 });
    expect(["then", "size", "0"].map((name) => agent.attributes.get(name))).toEqual([1, 2, 3]);
  });

  it("are read by name, the last value given", () => {
    const agent = definitionOf("a");
    agent.setAttributes({ greeting: "Hello." });
    agent.setAttributes({ greeting: "Hi.", limit: undefined });
    expect([agent.attributes.get("greeting"), agent.attributes.has("limit")]).toEqual(["Hi.", true]);
    expect(thrownBy(() => agent.attributes.get("sandbox"))).toMatchObject({
      code: "deployment/unknown-attribute",
      agentName: "a",
      attributeName: "sandbox",
    });
  });

  it("are checked when they are given to the constructor", () => {
    expect(
      thrownBy(() => Reflect.construct(DeployableAgent, [{ name: "a", attributes: { build: 1 } }])),
    ).toMatchObject({ code: "deployment/attribute-name" });
  });
});

describe("validation", () => {
  it("deployment 38: takes an empty text for a text, and neither null nor a number", () => {
    const agent = definitionOf("a", { capabilities: [requiring("x", { greeting: z.string() })] });
    for (const [value, found] of [
      ["", []],
      [null, ["null"]],
      [5, ["number"]],
    ] as const) {
      agent.setAttributes({ greeting: value });
      expect(problemsOf(agent).map((problem) => "found" in problem && problem.found)).toEqual(found);
    }
  });

  it("deployment 39: collects a line for each attribute of each agent, the root's first", () => {
    const two = { sandbox: z.instanceof(Sandbox), names: z.set(z.string()) };
    const agent = definitionOf("root", {
      capabilities: [requiring("files", two)],
      nestedAgents: [definitionOf("child", { capabilities: [requiring("notes", two)] })],
    });
    expect(problemsOf(agent)).toMatchObject([
      {
        code: "unmet-attribute",
        agentName: "root",
        capabilityName: "files",
        attributeName: "sandbox",
        found: "missing",
      },
      {
        code: "unmet-attribute",
        agentName: "root",
        capabilityName: "files",
        attributeName: "names",
        found: "missing",
      },
      { code: "unmet-attribute", agentName: "child", capabilityName: "notes", attributeName: "sandbox" },
      { code: "unmet-attribute", agentName: "child", capabilityName: "notes", attributeName: "names" },
    ]);
    const lines = messageOf(agent).split("\n");
    expect(lines).toHaveLength(5);
    expect(lines[1]).toBe(
      "- Agent `root`: its capability `files` (Capability) needs the attribute `sandbox` as Sandbox, which is missing",
    );
  });

  it("goes breadth first, nested children before background ones", () => {
    const needs = (name: string, settings = {}) =>
      definitionOf(name, { capabilities: [requiring("x", { limit: z.number() })], ...settings });
    const agent = needs("root", {
      backgroundAgents: [needs("c", { nestedAgents: [needs("e")] })],
      nestedAgents: [needs("b", { backgroundAgents: [needs("d")] })],
    });
    expect(problemsOf(agent)).toMatchObject(["root", "b", "c", "d", "e"].map((agentName) => ({ agentName })));
  });

  it("deployment 40: looks for a child's attributes on the child alone", () => {
    const child = definitionOf("child", { capabilities: [requiring("x", { limit: z.number() })] });
    const agent = definitionOf("root", { nestedAgents: [child] });
    agent.setAttributes({ limit: 5 });
    expect(problemsOf(agent)).toMatchObject([{ agentName: "child", attributeName: "limit" }]);
    child.setAttributes({ limit: 5 });
    expect(problemsOf(agent)).toEqual([]);
  });

  it("deployment 41: takes fields of the definition for attributes", () => {
    const endpoint = z.custom(isEndpointLike).meta({ title: "endpoint" });
    const agent = new DeployableAgent({
      name: "a",
      mode: "deterministic",
      capabilities: [
        new Capability({
          label: ToolLabel("x", { default: true }),
          requiredAttributes: { agentEndpoint: endpoint, name: z.string() },
          build: () => [toolNamed("x")],
        }),
      ],
    });
    expect(problemsOf(agent)).toMatchObject([
      { attributeName: "agentEndpoint", expected: "endpoint", found: "missing" },
    ]);
    agent.setAgentEndpoint(new MockLLMEndpoint([]));
    expect(problemsOf(agent)).toEqual([]);
  });

  it.each(["toString", "constructor", "hasOwnProperty", "valueOf"])(
    "takes nothing that every object has for an attribute: %s",
    (name) => {
      const agent = definitionOf("a", { capabilities: [requiring("x", { [name]: z.unknown() })] });
      expect(problemsOf(agent)).toMatchObject([{ attributeName: name, found: "missing" }]);
    },
  );

  it("deployment 42: fails before any builder or sink factory has run", () => {
    const build = vi.fn(() => [toolNamed("y")]);
    const eventSinkFactory = vi.fn(() => []);
    const agent = definitionOf("a", {
      capabilities: [new Capability({ label: ToolLabel("y"), build }), requiring("x", { limit: z.number() })],
    });
    expect(thrownBy(() => agent.build({ eventSinkFactory }))).toMatchObject({
      code: "deployment/validation",
    });
    expect(build).not.toHaveBeenCalled();
    expect(eventSinkFactory).not.toHaveBeenCalled();
  });

  it("deployment 43: names both types of a requirement that takes two", () => {
    const either = z.union([z.instanceof(Sandbox), z.string()]);
    const agent = definitionOf("a", { capabilities: [requiring("x", { place: either })] });
    expect(problemsOf(agent)).toMatchObject([{ expected: "Sandbox or string" }]);
    expect(() => {
      agent.validate();
    }).toThrow("as Sandbox or string, which is missing");
  });

  it("deployment 44: reports the type of what stands there instead", () => {
    const agent = definitionOf("a", {
      capabilities: [requiring("files", { sandbox: z.instanceof(Sandbox) })],
    });
    agent.setAttributes({ sandbox: new FilePermissionPolicy() });
    expect(problemsOf(agent)).toMatchObject([{ expected: "Sandbox", found: "FilePermissionPolicy" }]);
    expect(() => {
      agent.validate();
    }).toThrow("needs the attribute `sandbox` as Sandbox, which is of type FilePermissionPolicy");
  });

  it("says what is wrong with a value of the right type", () => {
    const agent = definitionOf("a", { capabilities: [requiring("x", { limit: z.number().min(1) })] });
    agent.setAttributes({ limit: 0 });
    expect(() => {
      agent.validate();
    }).toThrow("needs the attribute `limit` as number, which is of type number and does not fit: Too small");
  });

  it("names the capability's class", () => {
    class Filesystem extends Capability<{ sandbox: Sandbox }> {
      constructor() {
        super({ label: SkillLabel("filesystem"), requiredAttributes: { sandbox: z.instanceof(Sandbox) } });
      }
    }
    const agent = definitionOf("a", { capabilities: [new Filesystem()] });
    expect(problemsOf(agent)).toMatchObject([
      { capabilityName: "filesystem", capabilityClass: "Filesystem", attributeName: "sandbox" },
    ]);
  });

  it("leaves out what is not selected", () => {
    const agent = definitionOf("a", { capabilities: [requiring("x", { limit: z.number() })] });
    agent.setCapabilitySelection({});
    expect(problemsOf(agent)).toEqual([]);
    agent.setCapabilitySelection({ x: true });
    expect(problemsOf(agent)).toHaveLength(1);
  });

  it("says a line only for each, whatever the names are", () => {
    const agent = definitionOf("a", { capabilities: [requiring("x\ny", { "lim\nit": z.number() })] });
    expect(messageOf(agent).split("\n")).toHaveLength(1);
  });

  it("never shows an attribute's value", () => {
    const agent = definitionOf("a", { capabilities: [requiring("x", { key: z.number() })] });
    agent.setAttributes({ key: "sk-secret" });
    const error = thrownBy(() => {
      agent.validate();
    });
    expect(`${String(error)} ${JSON.stringify(error)}`).not.toContain("sk-secret");
  });
});
