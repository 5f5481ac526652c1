import { Empty, Skill, Str, tool } from "@roboz/core";
import { Capability, SkillLabel } from "@roboz/deployment";

const sayings = [
  "A tidy desk is a fast desk.",
  "Whoever writes it down has to remember where.",
  "The shortest list is the one that is done.",
] as const;

/** Chooses one of some texts. */
export type Pick = (texts: readonly string[]) => string;

/** A capability that a deployment may leave out: the skill `sayings`, which the model loads when it wants one. */
export function sayingsCapability(pick: Pick = atRandom): Capability {
  const getSaying = tool({
    name: "get_saying",
    description: "Return a saying about work.",
    input: Empty,
    output: Str,
    run: () => Str({ value: pick(sayings) }),
  });
  return new Capability({
    label: SkillLabel("sayings", { selectable: true }),
    value: new Skill({
      name: "sayings",
      description: "Sayings about work, to put below what is shared.",
      instructions: "Take one saying with get_saying, and quote it as it is.",
      tools: [getSaying],
    }),
  });
}

function atRandom(texts: readonly string[]): string {
  return texts[Math.floor(Math.random() * texts.length)] ?? "";
}
