import { stop, type EndpointLike, type InitialMessage, type Limits } from "@roboz/core";
import { Capability, DeployableAgent, ToolLabel, type AgentDefinition } from "@roboz/deployment";

import { Filesystem } from "../filesystem/filesystem.ts";
import type { Sandbox } from "../permissions/sandbox.ts";

/** What an {@link orchestrator} is made of. */
export interface OrchestratorSettings {
  /** With a scope: the project that it works in. */
  readonly sandbox: Sandbox;
  readonly agentEndpoint: EndpointLike;
  /** Specialists that it delegates to. */
  readonly nestedAgents?: readonly AgentDefinition[] | undefined;
  /** Agents that run beside it. */
  readonly backgroundAgents?: readonly AgentDefinition[] | undefined;
  /** Put before each conversation, such as `{ path: sandbox.memoryDir }`: the newest memory. */
  readonly initialMessages?: readonly InitialMessage[] | undefined;
  /** What one conversation may use, its specialists' part included; the limits of every agent by default, such as 200 model calls. */
  readonly limits?: Limits | undefined;
}

/** What an orchestrator's capabilities require. */
export interface OrchestratorAttributes {
  readonly sandbox: Sandbox;
}

/**
 * The agent that people work with for a long time: it has the file tools, delegates to nested agents, and stops when its user wants it
 * to. Neither compaction nor a Librarian are part of it; add them with `addCapabilities` and `addBackgroundAgents`.
 *
 * @throws {@link SandboxError} (`shed/sandbox`) for a sandbox without a scope.
 */
export function orchestrator({
  sandbox,
  agentEndpoint,
  nestedAgents,
  backgroundAgents,
  initialMessages,
  limits,
}: OrchestratorSettings): DeployableAgent<OrchestratorAttributes> {
  // At once, and not when it is built.
  sandbox.permissions();
  return new DeployableAgent<OrchestratorAttributes>({
    name: "orchestrator",
    description: "Works with its user on files, and delegates to specialists.",
    systemPrompt,
    agentEndpoint,
    nestedAgents,
    backgroundAgents,
    initialMessages,
    limits,
    capabilities: [new Capability({ label: ToolLabel("stop"), value: stop }), new Filesystem()],
    attributes: { sandbox },
  });
}

const systemPrompt = [
  "You work with your user for a long time, on one task after the other, and remember how they want things done.",
  "- Delegate: when one of your agents is made for a part of the work, give it that part, with all that it needs to know, and check what comes back.",
  "- What is recorded counts: follow the preferences and decisions of the memory and the files you are given, before you ask again or choose by yourself.",
  "- Find out for yourself what can be found out. Ask your user when something is missing that you cannot obtain, or when a choice is theirs; one clear question at a time.",
  "- When a task is done, say what came of it, and ask what is next. You do not end the conversation: stop only when your user wants that.",
].join("\n");
