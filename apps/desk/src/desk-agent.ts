import { stop } from "@roboz/core";
import { Capability, DeployableAgent, ToolLabel } from "@roboz/deployment";
import { Filesystem, Sandbox } from "@roboz/shed";

import { project } from "./desk-folder.ts";
import { sayingsCapability, type Pick } from "./sayings-skill.ts";

/** What the desk is asked to do. */
export const task =
  "Tick off what is to do in my notes, count it, and share a summary with everybody. Look up the printer's password, too.";

/** How one desk differs from another. */
export interface DeskSettings {
  /** The folder that everything is in. */
  readonly folder: string;
  /** Whether the skill `sayings` is there. */
  readonly hasSayings: boolean;
  readonly pick?: Pick | undefined;
}

const stopping = new Capability({ label: ToolLabel("stop"), value: [stop] });

/**
 * The desk as it is deployed: it works on files below `folder`. It reads everywhere but what a sandbox protects, writes in its own
 * project, and asks before it writes to the shared area.
 */
export function deskDefinition({
  folder,
  hasSayings,
  pick,
}: DeskSettings): DeployableAgent<{ sandbox: Sandbox }> {
  const desk = new DeployableAgent({
    name: "desk",
    description: "Keeps notes in order.",
    systemPrompt: `You keep notes in order. They are in projects/${project}/notes; what is for everybody goes to shared.`,
    capabilities: [new Filesystem(), sayingsCapability(pick), stopping],
    attributes: { sandbox: new Sandbox({ root: folder, scope: project }) },
  });
  desk.setCapabilitySelection({ sayings: hasSayings });
  return desk;
}
