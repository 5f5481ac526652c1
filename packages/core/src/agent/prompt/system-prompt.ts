import type { Protocol } from "../../llm/endpoint.ts";
import { entry, toolList, type PromptTool } from "./tool-list.ts";

/** A skill as a prompt tells of it. */
interface PromptSkill {
  readonly name: string;
  readonly description: string;
  /** Loaded when a run starts: its rules count, but it is not listed. */
  readonly isAutoLoaded?: boolean | undefined;
}

/** What a system prompt is made of. */
export interface SystemPromptParts {
  /** The agent's configured prompt. */
  readonly prompt: string;
  /** The active tools, skills apart, in the order in which the model is told of them. */
  readonly tools: readonly PromptTool[];
  readonly skills: readonly PromptSkill[];
  /** Whether the agent talks with a user. */
  readonly interactive: boolean;
  /** The tool that does; `prompt_user` unless the agent has its own. */
  readonly userTool?: string | undefined;
  readonly protocol: Protocol;
  /** False leaves the configured prompt as it is. */
  readonly automatic: boolean;
}

/**
 * The system prompt of an agent: the configured prompt, how to reply, the tools and skills, and an example. Every model
 * call pays for it, so it says each rule once, and under the protocol `"tools"` only what the provider does not say.
 *
 * @returns Empty when the configured prompt is blank.
 */
export function systemPromptFor(parts: SystemPromptParts): string {
  const { prompt, tools, skills, protocol, automatic } = parts;
  if (!automatic) return prompt;
  if (prompt.trim() === "") return "";
  const userTool = parts.interactive ? (parts.userTool ?? "prompt_user") : undefined;
  const sections =
    protocol === "tools"
      ? [nativeRules(userTool), skills.length === 0 ? "" : skillRules]
      : [jsonRules(userTool), toolSection(tools), skillSection(skills), example(userTool)];
  return [prompt.trim(), ...sections].filter((section) => section !== "").join("\n\n");
}

function nativeRules(userTool: string | undefined): string {
  const speak = userTool === undefined ? "" : `, text for the user by \`${userTool}\``;
  return `Every reply is exactly one tool call${speak}. Calls of tools you do not have may appear; you cannot make them.`;
}

function jsonRules(userTool: string | undefined): string {
  return [
    "# Replies",
    "Every reply, the first too, is one tool call: a single JSON object, parsed strictly, without prose or code fence; only a <think> block may precede it.",
    String.raw`Good, with quotes, line break and backslash escaped: {"action":"x","rationale":"He said \"no\"\nin C:\\tmp"}`,
    'Bad, two objects: {"action":"x",…}{"action":"y",…}',
    "`action` (a tool listed here) and `rationale` (why, in a few words) are mandatory, once each; all other fields are the tool's own. Calls of unlisted tools may appear in the conversation; you cannot make them.",
    ...(userTool === undefined ? [] : [`Text for the user goes through \`${userTool}\`.`]),
    "Check last: one object, strings escaped, tool listed.",
  ].join("\n");
}

function toolSection(tools: readonly PromptTool[]): string {
  return tools.length === 0 ? "" : `# Tools, their fields as JSON schemas\n${toolList(tools)}`;
}

const skillRules =
  "A skill is instructions, perhaps with tools. Load it by calling its name, without fields, before you use it, once in every run: one that is only mentioned, or was loaded in an earlier run, is not loaded. Keep to the restrictions a skill sets.";

function skillSection(skills: readonly PromptSkill[]): string {
  if (skills.length === 0) return "";
  const listed = skills.filter(({ isAutoLoaded }) => isAutoLoaded !== true);
  return ["# Skills", skillRules, ...listed.map(entry)].join("\n");
}

function example(userTool: string | undefined): string {
  return [
    "# Example (`x` stands for a tool with the field `city`)",
    ...(userTool === undefined
      ? []
      : [
          `assistant: {"action":"${userTool}","rationale":"No city given.","value":"Which city?"}`,
          `user: {"caller":"${userTool}","value":"Rome"}`,
        ]),
    'assistant: {"action":"x","rationale":"Look it up.","city":"Rome"}',
    'user: {"caller":"x","value":"Sunny"}',
  ].join("\n");
}
