import {
  fileJournalStore,
  listRunDocuments,
  MockLLMEndpoint,
  persistenceSink,
  readRunDocument,
  stop,
  type MockRequest,
} from "@roboz/core";
import { Capability, DeployableAgent, ToolLabel } from "@roboz/deployment";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { makeProject, type Project } from "../memory/__fixtures__/project.ts";
import { librarian } from "./librarian.ts";
import { orchestrator } from "./orchestrator.ts";

const finished = { action: "stop", rationale: "That is all.", value: "Done." };

/** Says which conversation, or memory, it was asked to summarise. */
function keeperModel(asked: string[]): MockLLMEndpoint {
  return new MockLLMEndpoint(({ messages }: MockRequest) => {
    const source = messages[1]?.content ?? "";
    asked.push(source);
    return { value: source.startsWith("# Source") ? "Ada wants tea." : "Remember: Ada wants tea." };
  });
}

/** One conversation of an orchestrator with a specialist, a Librarian beside them. */
function team(project: Project, script: readonly object[], asked: string[]) {
  const { sandbox } = project;
  const journal = fileJournalStore(join(sandbox.projectDir, "runs"));
  const specialist = new DeployableAgent({
    name: "specialist",
    description: "Knows about tea.",
    systemPrompt: "You know about tea.",
    mode: "autonomous",
    agentEndpoint: new MockLLMEndpoint([{ ...finished, value: "Assam, four minutes." }]),
    capabilities: [new Capability({ label: ToolLabel("stop"), value: stop })],
  });
  const root = orchestrator({
    sandbox,
    agentEndpoint: new MockLLMEndpoint(script),
    nestedAgents: [specialist],
    initialMessages: [{ path: sandbox.memoryDir }],
  });
  const watchedAgentNames = root.agentNames({ includeBackground: false });
  root.addBackgroundAgents(
    librarian({ sandbox, watchedAgentNames, agentEndpoint: keeperModel(asked), journal }),
  );
  const built = root.build({
    backgroundJournal: journal,
    eventSinkFactory: (name) => [persistenceSink(join(sandbox.logsDir, name), { journal })],
  });
  return { ...built, journal };
}

describe("a team with a Librarian", () => {
  it("works, is snapshotted and remembered in the background, and the next conversation begins with the memory", async () => {
    const project = makeProject();
    const asked: string[] = [];
    const first = team(
      project,
      [
        {
          action: "apply_patch",
          rationale: "A note.",
          path: "projects/mine/tea.md",
          old_string: "",
          new_string: "Tea.\n",
        },
        { action: "specialist", rationale: "It knows.", value: "How long does Assam take?" },
        finished,
      ],
      asked,
    );
    const { output, messages } = await first.root.complete("Ada wants tea.", { journal: first.journal });
    expect(output.value).toBe("Done.");
    expect(messages.some(({ content }) => content.includes("Assam, four minutes."))).toBe(true);
    const [keeper] = first.backgroundAgents;
    expect(keeper?.isRunning).toBe(true);
    await keeper?.ended();

    expect(project.read("tea.md")).toBe("Tea.\n");
    // Each foreground conversation once, then the memory of both.
    const snapshots = await project.list("snapshots");
    expect(snapshots).toHaveLength(2);
    const agents = snapshots.map((name) => /Snapshot: (\w+)/.exec(project.read(`snapshots/${name}`))?.[1]);
    expect(agents.sort()).toEqual(["orchestrator", "specialist"]);
    const [memory = "", ...more] = await project.list("memory");
    expect(more).toEqual([]);
    expect(project.read(`memory/${memory}`)).toMatch(
      /^# Persistent Memory\n\nRemember: Ada wants tea\.\n\n<!-- librarian:provenance v1 -->/,
    );
    expect(asked).toHaveLength(3);
    expect(asked.join("\n")).toMatch(/Ada wants tea\.[^]*How long does Assam take\?/);
    expect(asked.join("\n")).not.toMatch(/You know about tea|start_background_agent/);

    // It ended by itself, after its final sweep, and is recorded like the others.
    const [log] = await listRunDocuments(join(project.sandbox.logsDir, "librarian"));
    const document = log === undefined ? undefined : await readRunDocument(log.path);
    expect(document?.status).toBe("completed");
    const sweeps = document?.messages.filter(({ content }) =>
      content.includes('"status":"final_sweep_required"'),
    );
    expect(sweeps).toHaveLength(1);
    expect(document?.messages.at(-1)?.content).toMatch(/everything is swept/);

    const next = new MockLLMEndpoint([finished]);
    const second = team(project, [], asked);
    const agent = second.root.copy({ endpoint: next });
    await agent.complete("Good morning.", { journal: second.journal });
    await second.backgroundAgents[0]?.ended();
    expect(
      next.requests[0]?.messages.some(({ content }) => content.includes("Remember: Ada wants tea.")),
    ).toBe(true);
  });
});
