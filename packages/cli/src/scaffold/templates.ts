/** What a capability package contributes. */
export type PackageKind = "tool" | "skill";

/** A file of a new package. */
export interface RenderedFile {
  readonly name: string;
  readonly text: string;
}

/** Where a package goes when nobody says so. */
export const defaultPaths: Readonly<Record<PackageKind, string>> = {
  tool: "local/tools/simpsons_quotes",
  skill: "local/skills/simpsons_quotes_skill",
};

/** The files of a capability package, named after its directory. */
export function renderPackage(kind: PackageKind, name: string): readonly RenderedFile[] {
  return [
    { name: "tool.ts", text: toolModule(name) },
    { name: "index.ts", text: kind === "tool" ? toolCapability(name) : skillCapability(name) },
    { name: "requirements.txt", text: "" },
  ];
}

function toolModule(name: string): string {
  return `import { Empty, Stop, tool } from "@roboz/core";

const quotes = [
  "D'oh!",
  "Eat my shorts.",
  "Excellent.",
  "Ha-ha!",
  "Mmm... donuts.",
] as const;

export const getQuote = tool({
  name: "get_${name}",
  // What the model is told of the tool.
  description: "Return a random Simpsons quote, and then stop.",
  input: Empty,
  output: Stop,
  run: () => Stop({ value: quotes[Math.floor(Math.random() * quotes.length)] ?? quotes[0] }),
});
`;
}

function toolCapability(name: string): string {
  return `import { Capability, ToolLabel } from "@roboz/deployment";

// TypeScript names the compiled file; write "./tool.ts" where Node itself runs the sources.
import { getQuote } from "./tool.js";

export const CAPABILITY: Capability = new Capability({
  label: ToolLabel("${name}", {
    // Whether an agent may leave the tool out; false makes it a fixed part of every agent that has it.
    selectable: true,
    // Whether the tool runs by itself, before the model is asked; true lets this one end the run at once.
    default: false,
  }),
  value: getQuote,
});
`;
}

function skillCapability(name: string): string {
  return `import { Skill } from "@roboz/core";
import { Capability, SkillLabel, SkillLoading } from "@roboz/deployment";

// TypeScript names the compiled file; write "./tool.ts" where Node itself runs the sources.
import { getQuote } from "./tool.js";

export const CAPABILITY: Capability = new Capability({
  label: SkillLabel("${name}", {
    // Whether an agent may leave the skill out; false makes it a fixed part of every agent that has it.
    selectable: true,
    // When a run gets the skill: once the model asks for it; SkillLoading.AUTOMATIC gives it to every run at its start.
    loading: SkillLoading.ON_DEMAND,
  }),
  value: new Skill({
    name: "${name}",
    // What the model is told before it loads the skill.
    description: "Quotes from The Simpsons.",
    // What it is told then.
    instructions: "Call \`get_${name}\` to give the user a random quote. It ends the run.",
    tools: [getQuote],
  }),
});
`;
}
