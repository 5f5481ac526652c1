import { MockLLMEndpoint, stop } from "@roboz/core";
import { Capability, DeployableAgent, ToolLabel } from "@roboz/deployment";

/** An agent whose model answers at once, or when it is let. */
export function quickAgent(
  answer: () => Promise<string> = () => Promise.resolve("Understood."),
): DeployableAgent {
  const agent = new DeployableAgent({
    name: "quick",
    systemPrompt: "Answer.",
    capabilities: [new Capability({ label: ToolLabel("stop"), value: [stop] })],
  });
  agent.setAgentEndpoint(
    new MockLLMEndpoint(async () => ({ action: "stop", rationale: "Said.", value: await answer() })),
  );
  return agent;
}
