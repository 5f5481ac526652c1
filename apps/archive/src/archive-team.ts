import { join } from "node:path";

import {
  fileJournalStore,
  persistenceSink,
  stop,
  type EndpointLike,
  type EventSink,
  type JournalStore,
} from "@roboz/core";
import { Capability, DeployableAgent, ToolLabel, type BuiltAgents } from "@roboz/deployment";
import { Compactification, librarian, orchestrator, Pdf, type Sandbox } from "@roboz/shed";

/** The models of the team; a deployment may use one for all. */
export interface Models {
  readonly orchestrator: EndpointLike;
  readonly cataloguer: EndpointLike;
  readonly librarian: EndpointLike;
}

/** The team as it is deployed, with where its runs are kept. */
export interface Team {
  readonly built: BuiltAgents;
  readonly journal: JournalStore;
}

/**
 * The team of the archive: an orchestrator that reads files and PDF files, a specialist below it, and a Librarian beside it, which
 * keeps the memory that each conversation begins with.
 */
export function archiveTeam(sandbox: Sandbox, models: Models, log: (agentName: string) => EventSink): Team {
  const journal = fileJournalStore(join(sandbox.projectDir, "runs"));
  const cataloguer = new DeployableAgent({
    name: "cataloguer",
    description: "Finds the headings under which a text is filed. Give it the text.",
    systemPrompt:
      "You are given a text. Stop with three headings for it, in small letters, with commas between them.",
    mode: "autonomous",
    agentEndpoint: models.cataloguer,
    capabilities: [new Capability({ label: ToolLabel("stop"), value: stop })],
  });
  const root = orchestrator({
    sandbox,
    agentEndpoint: models.orchestrator,
    nestedAgents: [cataloguer],
    initialMessages: [{ path: sandbox.memoryDir }],
  });
  root.addCapabilities(new Pdf(), new Compactification());
  const watchedAgentNames = root.agentNames({ includeBackground: false });
  root.addBackgroundAgents(
    librarian({ sandbox, watchedAgentNames, agentEndpoint: models.librarian, journal }),
  );
  const built = root.build({
    backgroundJournal: journal,
    eventSinkFactory: (name) => [persistenceSink(join(sandbox.logsDir, name), { journal }), log(name)],
  });
  return { built, journal };
}
