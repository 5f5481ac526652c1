import { MockLLMEndpoint } from "@roboz/core";
import { describe, expect, it } from "vitest";

import {
  definitionAbove,
  definitionOf,
  loosely,
  rolesOf,
  skillCapability,
  thrownBy,
  toolCapability,
} from "./__fixtures__/parts.ts";
import { isAgentDefinition } from "./agent-definition.ts";
import { DeployableAgent } from "./deployable-agent.ts";
import { SkillLoading } from "./label.ts";

/** Constructs with what the compiler would refuse. */
function construct(...given: readonly unknown[]): unknown {
  return Reflect.construct(DeployableAgent, given);
}

describe("a definition", () => {
  it("starts steerable, without endpoint, messages and selection", () => {
    const agent = new DeployableAgent({ name: " assistant " });
    expect(agent).toMatchObject({
      name: "assistant",
      description: "",
      systemPrompt: "",
      mode: "steerable",
      automaticToolPrompt: true,
      agentEndpoint: undefined,
      initialMessages: [],
      limits: undefined,
      capabilities: [],
      nestedAgents: [],
      backgroundAgents: [],
      capabilitySelection: null,
    });
    expect(isAgentDefinition(agent)).toBe(true);
    expect(isAgentDefinition({ name: "assistant" })).toBe(false);
  });

  it("deployment 14: refuses two capabilities of one name", () => {
    const make = (): unknown =>
      definitionOf("a", { capabilities: [toolCapability("x"), skillCapability("x")] });
    expect(thrownBy(make)).toMatchObject({
      code: "deployment/duplicate-capability",
      agentName: "a",
      capabilityName: "x",
    });
  });

  it("deployment 15: adds none of the capabilities when one of them has a name that is taken", () => {
    const agent = definitionOf("a", { capabilities: [toolCapability("y")] });
    const add = (): void => {
      agent.addCapabilities(toolCapability("x"), toolCapability("y"));
    };
    expect(thrownBy(add)).toMatchObject({ code: "deployment/duplicate-capability", capabilityName: "y" });
    expect(agent.capabilities.map(({ label }) => label.name)).toEqual(["y"]);
  });

  it("refuses the same capability twice, also in one call", () => {
    const twice = toolCapability("x");
    const agent = definitionOf("a");
    expect(() => {
      agent.addCapabilities(twice, twice);
    }).toThrow("two capabilities called `x`");
    expect(agent.capabilities).toEqual([]);
  });

  it("deployment 16: may use a label name that its child uses, and even the same capability", () => {
    const shared = toolCapability("read");
    const child = definitionOf("child", { capabilities: [shared] });
    const { root } = definitionOf("parent", { capabilities: [shared], nestedAgents: [child] }).build();
    expect(rolesOf(root).tools).toEqual(["read", "child"]);
  });

  it("deployment 17: refuses a mode that is none, and takes the text of one", () => {
    expect(thrownBy(() => construct({ name: "a", mode: "bogus" }))).toMatchObject({
      code: "deployment/setting-value",
      setting: "mode",
    });
    const agent = definitionOf("a", { mode: "autonomous" });
    expect(thrownBy(() => Reflect.set(agent, "mode", "toString"))).toMatchObject({ setting: "mode" });
    agent.mode = "deterministic";
    expect(agent.mode).toBe("deterministic");
  });

  it.each([
    { why: "a plain object", child: { name: "child" } },
    { why: "a built agent", child: definitionOf("child").build().root },
    { why: "null", child: null },
    { why: "its name", child: "child" },
  ])("deployment 18: refuses a child that is no definition: $why", ({ child }) => {
    const agent = definitionOf("a");
    const good = definitionOf("good");
    for (const method of ["addNestedAgents", "addBackgroundAgents"]) {
      expect(thrownBy(() => loosely(agent, method, good, child))).toMatchObject({
        code: "deployment/setting-type",
      });
    }
    expect(thrownBy(() => construct({ name: "a", nestedAgents: [child] }))).toMatchObject({
      code: "deployment/setting-type",
      setting: "nestedAgents",
    });
    expect([agent.nestedAgents, agent.backgroundAgents]).toEqual([[], []]);
  });

  it("deployment 19: keeps its initial messages when the caller's list is changed", () => {
    const agent = definitionOf("a");
    const file = { path: "notes.md" };
    const messages = ["Hello.", file];
    agent.setInitialMessages(messages);
    messages.push("More.");
    file.path = "other.md";
    expect(agent.initialMessages).toEqual(["Hello.", { path: "notes.md" }]);
    expect(Object.isFrozen(agent.initialMessages)).toBe(true);
    agent.initialMessages = ["Instead."];
    expect(agent.initialMessages).toEqual(["Instead."]);
  });

  it("deployment 20: reaches later builds with what is assigned, and no earlier one", () => {
    const agent = definitionOf("first", { description: "One.", systemPrompt: "Help." });
    const { root: earlier } = agent.build();
    agent.name = "second";
    agent.description = "Two.";
    agent.systemPrompt = "Help more.";
    agent.automaticToolPrompt = false;
    const { root: later } = agent.build();
    expect(earlier).toMatchObject({ name: "first", description: "One." });
    expect(later).toMatchObject({ name: "second", description: "Two.", systemPrompt: "Help more." });
  });

  it("gives views that nobody can change", () => {
    const agent = definitionOf("a", { capabilities: [toolCapability("x")] });
    agent.setCapabilitySelection({});
    for (const view of [agent.capabilities, agent.nestedAgents, agent.backgroundAgents]) {
      expect(Object.isFrozen(view)).toBe(true);
    }
    expect(Object.isFrozen(agent.capabilitySelection)).toBe(true);
    expect(Reflect.set(agent, "capabilities", [])).toBe(false);
  });

  it("does not follow the lists it was made from", () => {
    const capabilities = [toolCapability("x")];
    const nestedAgents = [definitionOf("child")];
    const agent = definitionOf("a", { capabilities, nestedAgents });
    capabilities.push(toolCapability("x"));
    nestedAgents.length = 0;
    expect([agent.capabilities.length, agent.nestedAgents.length]).toEqual([1, 1]);
  });

  it("takes and defers an endpoint", () => {
    const agent = new DeployableAgent({ name: "a", systemPrompt: "Help." });
    expect(() => agent.build()).toThrow("needs an `endpoint`");
    const endpoint = new MockLLMEndpoint([]);
    agent.setAgentEndpoint(endpoint);
    expect(agent.agentEndpoint).toBe(endpoint);
    agent.setAgentEndpoint(null);
    expect(agent.agentEndpoint).toBeUndefined();
  });

  it.each([
    { why: "deployment 13: positional arguments", given: ["a", "An agent."], setting: "" },
    { why: "no argument", given: [], setting: "" },
    { why: "an unknown key", given: [{ name: "a", tools: [] }], setting: "tools" },
    { why: "no name", given: [{}], setting: "name" },
    { why: "a description that is no text", given: [{ name: "a", description: 5 }], setting: "description" },
    {
      why: "a switch that is a text",
      given: [{ name: "a", automaticToolPrompt: "no" }],
      setting: "automaticToolPrompt",
    },
    {
      why: "an endpoint that is none",
      given: [{ name: "a", agentEndpoint: "gpt" }],
      setting: "agentEndpoint",
    },
    {
      why: "a single message",
      given: [{ name: "a", initialMessages: "Hello." }],
      setting: "initialMessages",
    },
    {
      why: "a message that is a number",
      given: [{ name: "a", initialMessages: [5] }],
      setting: "initialMessages",
    },
    { why: "limits as a number", given: [{ name: "a", limits: 5 }], setting: "limits" },
    { why: "limits as a list", given: [{ name: "a", limits: [5] }], setting: "limits" },
    { why: "limits that are null", given: [{ name: "a", limits: null }], setting: "limits" },
    {
      why: "a capability that is none",
      given: [{ name: "a", capabilities: ["x"] }],
      setting: "capabilities",
    },
    {
      why: "a single capability",
      given: [{ name: "a", capabilities: toolCapability("x") }],
      setting: "capabilities",
    },
    { why: "attributes as a list", given: [{ name: "a", attributes: ["x"] }], setting: "attributes" },
  ])("refuses settings of a wrong type: $why", ({ given, setting }) => {
    expect(thrownBy(() => construct(...given))).toMatchObject({ code: "deployment/setting-type", setting });
  });

  it("refuses a blank name, now and later, and keeps the one it has", () => {
    expect(thrownBy(() => definitionOf(" "))).toMatchObject({ code: "deployment/setting-value" });
    const agent = definitionOf("a");
    expect(() => {
      agent.name = "";
    }).toThrow("not blank");
    expect(agent.name).toBe("a");
  });

  it("tells what is wrong when a method is torn off", () => {
    const agent = definitionOf("a");
    const torn: unknown = Reflect.get(agent, "resolveCapabilities");
    expect(
      thrownBy(() => (typeof torn === "function" ? Reflect.apply(torn, {}, []) : undefined)),
    ).toMatchObject({
      code: "deployment/setting-type",
    });
  });
});

describe("a copied definition", () => {
  function original(): DeployableAgent {
    const agent = definitionOf("a", {
      capabilities: [toolCapability("x", { selectable: true }), skillCapability("s", { selectable: true })],
      nestedAgents: [definitionOf("child")],
    });
    agent.setCapabilitySelection({ x: true });
    agent.setAttributes({ greeting: "Hello." });
    return agent;
  }

  it("deployment 65: has a selection of its own", () => {
    const agent = original();
    for (const copy of [agent.copy(), agent.copy({ deep: true })]) {
      expect(copy.capabilitySelection).toEqual({ x: true });
      copy.setCapabilitySelection({ s: SkillLoading.AUTOMATIC });
      expect(agent.capabilitySelection).toEqual({ x: true });
      agent.setCapabilitySelection(null);
      expect(copy.capabilitySelection).toEqual({ s: "automatic" });
      agent.setCapabilitySelection({ x: true });
    }
  });

  it("has fields, lists and attributes of its own, and shares capabilities and children", () => {
    const agent = original();
    const copy = agent.copy();
    copy.name = "b";
    copy.addCapabilities(toolCapability("y"));
    copy.addNestedAgents(definitionOf("other"));
    copy.setAttributes({ greeting: "Hi.", more: 1 });
    expect(agent.name).toBe("a");
    expect(agent.capabilities).toHaveLength(2);
    expect(agent.nestedAgents).toHaveLength(1);
    expect([agent.attributes.get("greeting"), agent.attributes.has("more")]).toEqual(["Hello.", false]);
    expect(copy.capabilities[0]).toBe(agent.capabilities[0]);
    expect(copy.nestedAgents[0]).toBe(agent.nestedAgents[0]);
    expect(() => copy.attributes.get("none")).toThrow("`b`");
  });

  it("has children of its own when it is deep", () => {
    const agent = original();
    const copy = agent.copy({ deep: true });
    const [child] = agent.nestedAgents;
    const [childCopy] = copy.nestedAgents;
    expect(childCopy).not.toBe(child);
    expect(childCopy).toMatchObject({ name: "child", agentEndpoint: child?.agentEndpoint });
    expect(rolesOf(copy.build().root)).toEqual(rolesOf(agent.build().root));
  });

  it("keeps the shape of a graph that leads back to itself", () => {
    const agent = definitionOf("a");
    const child = definitionOf("child", { nestedAgents: [agent] });
    agent.addNestedAgents(child);
    const copy = agent.copy({ deep: true });
    expect(copy.nestedAgents[0]?.nestedAgents[0]).toBe(copy);
    expect(copy.nestedAgents[0]).not.toBe(child);
  });

  it("goes as deep as its original", { timeout: 60_000 }, () => {
    const copy = definitionAbove(3000).copy({ deep: true });
    expect(copy.agentNames().size).toBe(3001);
  });

  it("is of the same class, with the fields of the class", () => {
    class Librarian extends DeployableAgent {
      shelf = "A";

      get label(): string {
        return `${this.name} at ${this.shelf}`;
      }
    }
    const agent = new Librarian({ name: "librarian" });
    const copy = agent.copy();
    copy.shelf = "B";
    expect(copy).toBeInstanceOf(Librarian);
    expect([agent.label, copy.label]).toEqual(["librarian at A", "librarian at B"]);
  });

  it("lacks what JavaScript keeps private in the class", () => {
    class Librarian extends DeployableAgent {
      #shelf = "A";

      get shelf(): string {
        return this.#shelf;
      }
    }
    const copy = new Librarian({ name: "librarian" }).copy();
    expect(copy.name).toBe("librarian");
    expect(() => copy.shelf).toThrow(TypeError);
  });

  it.each([
    { why: "no options", given: true, setting: "" },
    { why: "a depth that is neither true nor false", given: { deep: "no" }, setting: "deep" },
    { why: "null as its depth", given: { deep: null }, setting: "deep" },
  ])("refuses $why", ({ given, setting }) => {
    expect(thrownBy(() => loosely(definitionOf("a"), "copy", given))).toMatchObject({
      code: "deployment/setting-type",
      setting,
    });
  });
});
