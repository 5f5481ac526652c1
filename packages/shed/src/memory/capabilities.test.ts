import { MockLLMEndpoint, type EndpointLike } from "@roboz/core";
import { DeployableAgent, ToolLabel, type AnyCapability } from "@roboz/deployment";
import { describe, expect, it } from "vitest";

import { ShedError } from "../errors.ts";
import { Sandbox } from "../permissions/sandbox.ts";
import { makeProject } from "./__fixtures__/project.ts";
import { ArtifactRetention } from "./artifact-retention.ts";
import { Compactification } from "./compactification.ts";
import { ConversationSnapshots } from "./conversation-snapshots.ts";
import { MaintenanceCadence } from "./maintenance-cadence.ts";
import { MemoryConsolidation } from "./memory-consolidation.ts";

const endpoint = new MockLLMEndpoint([]);
const classes = {
  Compactification,
  ConversationSnapshots,
  MemoryConsolidation,
  ArtifactRetention,
  MaintenanceCadence,
};

function loosely(name: keyof typeof classes, settings: object): unknown {
  return Reflect.construct(classes[name], [settings]);
}

/** Calls a method with what the compiler would refuse. */
function call(target: object, method: string, ...given: readonly unknown[]): unknown {
  const callable: unknown = Reflect.get(target, method);
  if (typeof callable !== "function") throw new TypeError(`\`${method}\` is no method`);
  return Reflect.apply(callable, target, given);
}

const table: readonly {
  readonly name: keyof typeof classes;
  readonly label: string;
  readonly requires: readonly string[];
  readonly tools: readonly string[];
}[] = [
  {
    name: "Compactification",
    label: "compactification",
    requires: ["agentEndpoint"],
    tools: ["compactify_messages_when_needed"],
  },
  {
    name: "ConversationSnapshots",
    label: "conversation_snapshots",
    requires: ["sandbox", "watchedAgentNames", "agentEndpoint"],
    tools: ["snapshot_conversations"],
  },
  {
    name: "MemoryConsolidation",
    label: "memory_consolidation",
    requires: ["sandbox", "watchedAgentNames", "agentEndpoint"],
    tools: ["consolidate_memory"],
  },
  {
    name: "ArtifactRetention",
    label: "artifact_retention",
    requires: ["sandbox"],
    tools: ["purge_logs", "purge_snapshots", "purge_memory"],
  },
  {
    name: "MaintenanceCadence",
    label: "maintenance_cadence",
    requires: ["sandbox", "watchedAgentNames"],
    tools: ["stop_when_watched_agents_inactive", "sleep_between_runs"],
  },
];

function keeper(
  capability: AnyCapability,
  sandbox: Sandbox,
  agentEndpoint: EndpointLike | undefined = endpoint,
) {
  const agent: DeployableAgent = new DeployableAgent({
    name: "keeper",
    mode: "deterministic",
    agentEndpoint,
  });
  call(agent, "addCapabilities", capability);
  call(agent, "setAttributes", { sandbox, watchedAgentNames: new Set(["clerk"]) });
  return agent;
}

describe.each(table)("the capability $name", ({ name, label, requires, tools }) => {
  it("has its label, as a default tool, unless another one is given", () => {
    expect(new classes[name]().label).toEqual(ToolLabel(label, { default: true }));
    const own = ToolLabel("own", { selectable: true, default: true });
    expect(new classes[name]({ label: own }).label).toEqual(own);
  });

  it("requires what it needs", () => {
    expect(Object.keys(new classes[name]().requiredAttributes).sort()).toEqual([...requires].sort());
    const agent: DeployableAgent = new DeployableAgent({ name: "keeper", mode: "deterministic" });
    call(agent, "addCapabilities", new classes[name]());
    for (const missing of requires) expect(() => call(agent, "validate")).toThrow(missing);
  });

  it("gives its tools as default tools, in their order", () => {
    const { root } = keeper(new classes[name](), makeProject().sandbox).build();
    const defaults = root.graph().nodes.filter(({ role }) => role === "default");
    expect(defaults.map((node) => node.name)).toEqual(tools);
  });

  it("says what it needs from outside: its model, where it asks one", () => {
    const asked = { ...dependency, externalDependencies: () => [dependency] };
    const model = Object.assign(new MockLLMEndpoint([]), {
      externalDependencies: asked.externalDependencies,
    });
    const found = keeper(new classes[name](), makeProject().sandbox, model).externalDependencies();
    expect(found).toEqual(requires.includes("agentEndpoint") ? [dependency] : []);
  });
});

const dependency = {
  dependencyId: "model_endpoint:m",
  kind: "model_endpoint" as const,
  redactedMetadata: () => ({}),
  check: () => Promise.resolve(null),
  externalDependencies: () => [],
};

const wrong: readonly {
  readonly name: keyof typeof classes;
  readonly settings: object;
  readonly setting: string;
}[] = [
  ...[0, -1, NaN, Infinity].flatMap((timeoutMs) =>
    (["Compactification", "ConversationSnapshots", "MemoryConsolidation"] as const).map((name) => ({
      name,
      settings: { timeoutMs },
      setting: "timeoutMs",
    })),
  ),
  ...[-1, NaN, Infinity].flatMap((tolerancePercent) =>
    (["ConversationSnapshots", "MemoryConsolidation"] as const).map((name) => ({
      name,
      settings: { tolerancePercent },
      setting: "tolerancePercent",
    })),
  ),
  { name: "Compactification", settings: { thresholdPercent: 0 }, setting: "thresholdPercent" },
  { name: "Compactification", settings: { endpoint: () => endpoint }, setting: "endpoint" },
  { name: "Compactification", settings: { continuation: " " }, setting: "continuation" },
  {
    name: "ConversationSnapshots",
    settings: { growthThresholdTokens: -1 },
    setting: "growthThresholdTokens",
  },
  { name: "ConversationSnapshots", settings: { maxChars: 0 }, setting: "maxChars" },
  { name: "MemoryConsolidation", settings: { minimumPending: 1.5 }, setting: "minimumPending" },
  { name: "MemoryConsolidation", settings: { maxPendingAgeMs: -1 }, setting: "maxPendingAgeMs" },
  { name: "ArtifactRetention", settings: { logs: NaN }, setting: "logs" },
  { name: "ArtifactRetention", settings: { snapshots: "5" }, setting: "snapshots" },
  { name: "MaintenanceCadence", settings: { intervalMs: 0 }, setting: "intervalMs" },
];

describe("settings", () => {
  it.each(wrong)("of $name are refused at construction: $settings", ({ name, settings, setting }) => {
    try {
      loosely(name, settings);
      expect.unreachable();
    } catch (error) {
      expect(ShedError.is(error)).toBe(true);
      expect(error).toMatchObject({
        code: "shed/memory-settings",
        owner: name,
        setting,
      });
    }
  });

  it("may be 0 where that means something", () => {
    expect(() => new ConversationSnapshots({ growthThresholdTokens: 0, tolerancePercent: 0 })).not.toThrow();
    expect(() => new ArtifactRetention({ logs: -1 })).not.toThrow();
  });
});

describe("Compactification with an endpoint of its own", () => {
  it("requires none of the agent's", () => {
    const capability = new Compactification({ endpoint });
    expect(capability.requiredAttributes).toEqual({});
    const agent = new DeployableAgent({ name: "keeper", mode: "deterministic", capabilities: [capability] });
    expect(
      agent
        .build()
        .root.graph()
        .nodes.some(({ name }) => name === "compactify_messages_when_needed"),
    ).toBe(true);
  });
});

describe("a sandbox", () => {
  it("without a scope fails the build, and one that is no sandbox does not meet the requirement", () => {
    const unscoped = new Sandbox({ root: "/nowhere" });
    expect(() => keeper(new ArtifactRetention(), unscoped).build()).toThrow(
      expect.objectContaining({ code: "deployment/capability-build" }),
    );
    const agent: DeployableAgent = new DeployableAgent({ name: "keeper", mode: "deterministic" });
    call(agent, "addCapabilities", new ArtifactRetention());
    for (const sandbox of [{}, "x", { logsDir: "/x" }]) {
      call(agent, "setAttributes", { sandbox });
      expect(() => call(agent, "validate")).toThrow(/sandbox/);
    }
  });

  it("that is moved to another project later does not move what was built", async () => {
    const { sandbox, put, list } = makeProject();
    put("memory/a.md", "");
    const { root } = keeper(new ArtifactRetention({ memory: 0 }), sandbox).build();
    sandbox.configureScope("other");
    const run = root.start();
    for (let step = 0; step < 3; step += 1) await run.step();
    sandbox.configureScope("mine");
    expect(await list("memory")).toEqual([]);
  });
});
