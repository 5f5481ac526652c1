import { MockLLMEndpoint, stop } from "@roboz/core";
import { Capability, DeployableAgent, ToolLabel } from "@roboz/deployment";

function answering(name: string, value: string): DeployableAgent {
  const agent = new DeployableAgent({
    name,
    systemPrompt: "Answer.",
    capabilities: [new Capability({ label: ToolLabel("stop"), value: [stop] })],
  });
  agent.setAgentEndpoint(new MockLLMEndpoint(() => ({ action: "stop", rationale: "Said.", value })));
  return agent;
}

export const loud = answering("loud", "HELLO\u001b[2J!");

export default answering("quiet", "hello");
