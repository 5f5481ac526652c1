import { MockLLMEndpoint, stop } from "@roboz/core";
import { Capability, DeployableAgent, ToolLabel } from "@roboz/deployment";
import { Filesystem, Sandbox } from "@roboz/shed";

import { project } from "./desk-folder.ts";

const notes = `projects/${project}/notes`;
const stopping = new Capability({ label: ToolLabel("stop"), value: [stop] });

/** A desk like that of the app `desk`: it keeps the notes below a folder in order. `confirm` and `print_label` are its client's. */
export function deskDefinition(folder: string): DeployableAgent<{ sandbox: Sandbox }> {
  const desk = new DeployableAgent({
    name: "desk",
    description: "Keeps notes in order.",
    systemPrompt: `You keep the notes in ${notes} in order.`,
    capabilities: [new Filesystem(), stopping],
    attributes: { sandbox: new Sandbox({ root: folder, scope: project }) },
  });
  desk.setAgentEndpoint(scriptedModel());
  return desk;
}

/** A model that needs no key. It says its part whoever listens: the turns follow each other as `main` sends them. */
function scriptedModel(): MockLLMEndpoint {
  return new MockLLMEndpoint([
    {
      action: "run_file_command",
      rationale: "What is there to do?",
      value: [
        ["grep", "CMD"],
        ["-r", "FLG"],
        ["-n", "FLG"],
        ["TODO", "ARG"],
        [notes, "PTH"],
      ],
    },
    { action: "confirm", rationale: "I was told to ask.", question: "Tick off all three?" },
    tickOff("monday", "Watering the ferns is done."),
    tickOff("tuesday", "Both of Tuesday's are done."),
    { action: "print_label", rationale: "Whoever comes by should know.", text: "ALL DONE" },
    say("Three things were to do, and three are ticked off. The label is on your desk."),
    say("You are welcome."),
    say("Three things were open,\nnow no one has to hope:\nthe desk has coped."),
  ]);
}

function tickOff(day: string, rationale: string): object {
  const path = `${notes}/${day}.md`;
  return {
    action: "apply_patch",
    rationale,
    path,
    old_string: "TODO:",
    new_string: "DONE:",
    replace_all: true,
  };
}

function say(value: string): object {
  return { action: "stop", rationale: "That is all.", value };
}
