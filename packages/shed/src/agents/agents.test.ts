import { MockLLMEndpoint } from "@roboz/core";
import { DeployableAgent } from "@roboz/deployment";
import { describe, expect, it } from "vitest";

import { makeProject } from "../memory/__fixtures__/project.ts";
import { Sandbox } from "../permissions/sandbox.ts";
import { librarian } from "./librarian.ts";
import { orchestrator } from "./orchestrator.ts";

const agentEndpoint = new MockLLMEndpoint([]);

describe("the orchestrator", () => {
  it("is steerable, with a fixed stop and the filesystem skill, and a sandbox as its only attribute", () => {
    const { sandbox } = makeProject();
    const agent = orchestrator({ sandbox, agentEndpoint });
    expect(agent).toMatchObject({ name: "orchestrator", mode: "steerable" });
    expect(agent.capabilities.map(({ label }) => label)).toMatchObject([
      { kind: "tool", name: "stop", selectable: false, default: false },
      { kind: "skill", name: "filesystem", selectable: false, loading: "automatic" },
    ]);
    expect(agent.attributes.get("sandbox")).toBe(sandbox);
    const { root, backgroundAgents } = agent.build();
    expect(backgroundAgents).toEqual([]);
    const names = root.graph().nodes.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["stop", "run_file_command", "apply_patch"]));
    expect(names).not.toContain("compactify_messages_when_needed");
    for (const said of [
      /delegate/i,
      /prefer/,
      /cannot obtain/,
      /one task after the other/,
      /stop only when your user wants/,
    ])
      expect(agent.systemPrompt).toMatch(said);
  });

  it("takes agents and initial messages", () => {
    const { sandbox } = makeProject();
    const specialist = new DeployableAgent({ name: "specialist", systemPrompt: "Help.", agentEndpoint });
    const beside = new DeployableAgent({ name: "beside", systemPrompt: "Help.", agentEndpoint });
    const agent = orchestrator({
      sandbox,
      agentEndpoint,
      nestedAgents: [specialist],
      backgroundAgents: [beside],
      initialMessages: ["Hello.", { path: sandbox.memoryDir }],
    });
    expect([...agent.agentNames()].sort()).toEqual(["beside", "orchestrator", "specialist"]);
    expect(agent.initialMessages).toHaveLength(2);
  });

  it("hands limits on to its agent, as the Librarian does", () => {
    const { sandbox } = makeProject();
    const limits = { llmCalls: null, steps: 50_000 };
    expect(orchestrator({ sandbox, agentEndpoint, limits }).limits).toEqual(limits);
    const watchedAgentNames = ["orchestrator"];
    expect(librarian({ sandbox, watchedAgentNames, agentEndpoint, limits }).limits).toEqual(limits);
    expect(orchestrator({ sandbox, agentEndpoint }).limits).toBeUndefined();
  });

  it("fails right away with a sandbox without a scope", () => {
    const sandbox = new Sandbox({ root: "/nowhere" });
    expect(() => orchestrator({ sandbox, agentEndpoint })).toThrow(
      expect.objectContaining({ code: "shed/sandbox" }),
    );
  });
});

describe("the librarian", () => {
  it("is deterministic, and goes round in a fixed order", () => {
    const { sandbox } = makeProject();
    const agent = librarian({ sandbox, watchedAgentNames: ["orchestrator"], agentEndpoint });
    expect(agent).toMatchObject({ name: "librarian", mode: "deterministic", automaticToolPrompt: false });
    expect(agent.capabilities.map(({ constructor }) => constructor.name)).toEqual([
      "ConversationSnapshots",
      "MemoryConsolidation",
      "ArtifactRetention",
      "MaintenanceCadence",
    ]);
    const nodes = agent
      .build()
      .root.graph()
      .nodes.filter(({ role }) => role === "default");
    expect(nodes.map(({ name }) => name)).toEqual([
      "snapshot_conversations",
      "consolidate_memory",
      "purge_logs",
      "purge_snapshots",
      "purge_memory",
      "stop_when_watched_agents_inactive",
      "sleep_between_runs",
    ]);
  });

  it("deployment 56: changes nothing of the names of the foreground when it is added", () => {
    const { sandbox } = makeProject();
    const root = orchestrator({ sandbox, agentEndpoint });
    const watchedAgentNames = root.agentNames({ includeBackground: false });
    root.addBackgroundAgents(librarian({ sandbox, watchedAgentNames, agentEndpoint }));
    expect(root.agentNames({ includeBackground: false })).toEqual(watchedAgentNames);
    expect(root.agentNames()).toContain("librarian");
  });

  it("refuses a single name, whose letters it would watch", () => {
    const { sandbox } = makeProject();
    const make = () => librarian({ sandbox, watchedAgentNames: "orchestrator", agentEndpoint });
    expect(make).toThrow(
      expect.objectContaining({ code: "shed/memory-settings", setting: "watchedAgentNames" }),
    );
  });

  it("watches a set of its own", () => {
    const names = new Set(["orchestrator"]);
    const { sandbox } = makeProject();
    const agent = librarian({ sandbox, watchedAgentNames: names, agentEndpoint });
    names.add("other");
    expect([...agent.attributes.get("watchedAgentNames")]).toEqual(["orchestrator"]);
    expect(agent.attributes.get("sandbox")).toBe(sandbox);
  });
});
