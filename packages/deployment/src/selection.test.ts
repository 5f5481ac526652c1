import { describe, expect, it, vi } from "vitest";

import {
  definitionOf,
  loosely,
  rolesOf,
  skillCapability,
  skillNamed,
  thrownBy,
  toolCapability,
} from "./__fixtures__/parts.ts";
import { Capability } from "./capability.ts";
import type { DeployableAgent } from "./deployable-agent.ts";
import { SkillLabel, SkillLoading } from "./label.ts";

const { AUTOMATIC, ON_DEMAND } = SkillLoading;

/** One of each kind: fixed and selectable, tool and skill. */
function agentOfFour(): DeployableAgent {
  return definitionOf("a", {
    capabilities: [
      toolCapability("fixed"),
      toolCapability("tool", { selectable: true }),
      skillCapability("manual"),
      skillCapability("guide", { selectable: true }),
    ],
  });
}

/** What an agent is built with: tools and skills by name, auto-loaded ones with a star. */
async function builtWith(agent: DeployableAgent): Promise<readonly string[]> {
  const { root } = agent.build();
  const { messages } = await root.describe();
  const loaded = messages.filter(({ messageKind }) => messageKind === "auto_loaded_skill");
  const autoLoaded = loaded.map(({ content }) => /"caller":"(\w+)"/.exec(content)?.[1]);
  return rolesOf(root).tools.map((name) => (autoLoaded.includes(name) ? `${name}*` : name));
}

describe("a selection", () => {
  it("deployment 21: includes everything as it is declared while there is none", async () => {
    expect(await builtWith(agentOfFour())).toEqual(["fixed", "tool", "manual", "guide"]);
  });

  it("deployment 22: leaves the fixed ones alone when it is empty", async () => {
    const agent = agentOfFour();
    agent.setCapabilitySelection({});
    expect(await builtWith(agent)).toEqual(["fixed", "manual"]);
  });

  it("deployment 23: leaves out a selectable one that is added later, until it is cleared", async () => {
    const agent = definitionOf("a", { capabilities: [toolCapability("x")] });
    agent.setCapabilitySelection({});
    agent.addCapabilities(toolCapability("later", { selectable: true }));
    expect(await builtWith(agent)).toEqual(["x"]);
    agent.setCapabilitySelection(null);
    expect(await builtWith(agent)).toEqual(["x", "later"]);
  });

  it("deployment 24: includes a fixed one that is added later", async () => {
    const agent = definitionOf("a");
    agent.setCapabilitySelection({});
    agent.addCapabilities(toolCapability("later"));
    expect(await builtWith(agent)).toEqual(["later"]);
  });

  it("deployment 25: may say of a fixed one that it is there, and nothing else", () => {
    const agent = agentOfFour();
    agent.setCapabilitySelection({ fixed: true, manual: true });
    for (const selection of [
      { fixed: false },
      { manual: false },
      { manual: AUTOMATIC },
      { fixed: ON_DEMAND },
    ]) {
      expect(
        thrownBy(() => {
          agent.setCapabilitySelection(selection);
        }),
      ).toMatchObject({ code: "deployment/selection", agentName: "a" });
    }
    expect(agent.capabilitySelection).toEqual({ fixed: true, manual: true });
  });

  it.each(["none", "toString", "constructor", "__proto__", ""])(
    "deployment 26: refuses a name that is not declared: %j",
    (name) => {
      const agent = agentOfFour();
      const selection: unknown = JSON.parse(`{"guide": true, "${name}": true}`);
      expect(thrownBy(() => loosely(agent, "setCapabilitySelection", selection))).toMatchObject({
        code: "deployment/selection",
        capabilityName: name,
      });
      expect(agent.capabilitySelection).toBeNull();
    },
  );

  it("lists the names there are when one is not declared", () => {
    expect(() => {
      agentOfFour().setCapabilitySelection({ guid: true });
    }).toThrow("`guid` is not declared; there are `fixed`, `tool`, `manual`, `guide`");
  });

  it.each([
    { why: "moves the cursor", name: "a\u001b[2Jb", shown: "`a\\u{1b}[2Jb`" },
    { why: "turns the direction of writing", name: "a\u202eb", shown: "`a\\u{202e}b`" },
    { why: "breaks the line", name: "a\n- b", shown: "`a - b`" },
    { why: "hides", name: "a\u{e0041}\ud800", shown: "`a\\u{e0041}\\u{d800}`" },
    { why: "is long", name: `a${"😀".repeat(100)}`, shown: `\`a${"😀".repeat(39)}…\`` },
  ])("shows a name that $why as what it is", ({ name, shown }) => {
    expect(() => {
      agentOfFour().setCapabilitySelection({ [name]: true });
    }).toThrow(`${shown} is not declared`);
  });

  it("deployment 27: loads no tool", () => {
    const agent = agentOfFour();
    expect(
      thrownBy(() => {
        agent.setCapabilitySelection({ tool: AUTOMATIC });
      }),
    ).toMatchObject({ code: "deployment/selection", capabilityName: "tool" });
  });

  it.each([
    { why: "deployment 28: 1", selection: { guide: 1 }, capabilityName: "guide" },
    { why: "deployment 28: null", selection: { guide: null }, capabilityName: "guide" },
    { why: "undefined", selection: { guide: undefined }, capabilityName: "guide" },
    { why: "a text that is no loading mode", selection: { guide: "eager" }, capabilityName: "guide" },
    { why: "a number for a fixed one", selection: { fixed: 0 }, capabilityName: "fixed" },
    { why: "a list of names", selection: ["guide"], capabilityName: undefined },
    { why: "a map", selection: new Map([["guide", true]]), capabilityName: undefined },
    { why: "a name", selection: "guide", capabilityName: undefined },
    { why: "undefined in place of null", selection: undefined, capabilityName: undefined },
  ])("refuses a choice of a wrong type: $why", ({ selection, capabilityName }) => {
    const agent = agentOfFour();
    agent.setCapabilitySelection({ tool: true });
    expect(thrownBy(() => loosely(agent, "setCapabilitySelection", selection))).toMatchObject({
      code: "deployment/selection-type",
      agentName: "a",
      capabilityName,
    });
    expect(agent.capabilitySelection).toEqual({ tool: true });
  });

  it("changes nothing when a later entry is wrong", () => {
    const agent = agentOfFour();
    expect(() => {
      agent.setCapabilitySelection({ tool: true, guide: AUTOMATIC, fixed: false });
    }).toThrow("`fixed` is fixed");
    expect(agent.capabilitySelection).toBeNull();
  });

  it("deployment 29: takes a skill as it is declared, in another mode, or not at all", async () => {
    const agent = definitionOf("a", {
      capabilities: [skillCapability("s", { selectable: true, loading: AUTOMATIC })],
    });
    agent.setCapabilitySelection({ s: true });
    expect(await builtWith(agent)).toEqual(["s*"]);
    agent.setCapabilitySelection({ s: ON_DEMAND });
    expect(await builtWith(agent)).toEqual(["s"]);
    agent.setCapabilitySelection({ s: false });
    expect(await builtWith(agent)).toEqual([]);
    expect(agent.capabilities[0]?.label).toEqual(SkillLabel("s", { selectable: true, loading: AUTOMATIC }));
  });

  it("deployment 30: resolves to what is declared while there is none", () => {
    expect(agentOfFour().resolveCapabilities()).toEqual({
      fixed: true,
      tool: true,
      manual: true,
      guide: "on_demand",
    });
  });

  it("deployment 31: resolves a fixed automatic skill to true", () => {
    const agent = definitionOf("a", { capabilities: [skillCapability("s", { loading: AUTOMATIC })] });
    expect(agent.resolveCapabilities()).toEqual({ s: true });
  });

  it.each([
    { selection: null },
    { selection: {} },
    { selection: { guide: AUTOMATIC } },
    { selection: { tool: true } },
  ])(
    "deployment 32: resolves to the same when it is set to what it resolved to: $selection",
    ({ selection }) => {
      const agent = agentOfFour();
      agent.setCapabilitySelection(selection);
      const resolved = agent.resolveCapabilities();
      agent.setCapabilitySelection(resolved);
      expect(agent.resolveCapabilities()).toEqual(resolved);
      expect(agent.capabilitySelection).toEqual(resolved);
      expect(Object.keys(resolved)).toEqual(["fixed", "tool", "manual", "guide"]);
    },
  );

  it("deployment 33: does not follow what the caller does with the resolved map, or with its own", () => {
    const agent = agentOfFour();
    const given = { tool: true };
    agent.setCapabilitySelection(given);
    given.tool = false;
    const resolved = agent.resolveCapabilities();
    for (const name of Object.keys(resolved)) Reflect.deleteProperty(resolved, name);
    expect(agent.resolveCapabilities()).toEqual({ fixed: true, tool: true, manual: true, guide: false });
  });

  it("deployment 34: is resolved without building anything", () => {
    const build = vi.fn(() => [skillNamed("s")]);
    const agent = definitionOf("a", {
      capabilities: [new Capability({ label: SkillLabel("s", { selectable: true }), build })],
    });
    expect(agent.resolveCapabilities()).toEqual({ s: "on_demand" });
    expect(build).not.toHaveBeenCalled();
    expect(agent.capabilitySelection).toBeNull();
  });

  it("deployment 35: is each definition's own", async () => {
    const child = definitionOf("child", {
      capabilities: [toolCapability("x", { selectable: true })],
      mode: "deterministic",
    });
    const parent = definitionOf("parent", {
      capabilities: [toolCapability("x", { selectable: true })],
      nestedAgents: [child],
    });
    child.mode = "steerable";
    parent.setCapabilitySelection({});
    expect(await builtWith(parent)).toEqual(["child"]);
    expect(await builtWith(child)).toEqual(["x"]);
    child.setCapabilitySelection({});
    parent.setCapabilitySelection({ x: true });
    expect(await builtWith(parent)).toEqual(["x", "child"]);
    expect(await builtWith(child)).toEqual([]);
  });

  it("does not call the builder of what is left out", () => {
    const build = vi.fn(() => [skillNamed("s")]);
    const agent = definitionOf("a", {
      capabilities: [new Capability({ label: SkillLabel("s", { selectable: true }), build })],
    });
    agent.setCapabilitySelection({});
    agent.build();
    expect(build).not.toHaveBeenCalled();
    agent.setCapabilitySelection({ s: true });
    agent.build();
    expect(build).toHaveBeenCalledOnce();
  });

  it("orders by declaration, whatever its own order", async () => {
    const agent = agentOfFour();
    agent.setCapabilitySelection({ guide: true, tool: true });
    expect(await builtWith(agent)).toEqual(["fixed", "tool", "manual", "guide"]);
  });

  it("may hold names that every object has", () => {
    const agent = definitionOf("a", {
      capabilities: ["__proto__", "constructor"].map(
        (name) => new Capability({ label: SkillLabel(name, { selectable: true }), value: skillNamed("s") }),
      ),
    });
    expect(Object.entries(agent.resolveCapabilities())).toEqual([
      ["__proto__", "on_demand"],
      ["constructor", "on_demand"],
    ]);
    agent.setCapabilitySelection({ constructor: AUTOMATIC });
    expect(Object.values(agent.resolveCapabilities())).toEqual([false, "automatic"]);
  });
});
