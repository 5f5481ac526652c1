import { AgentDefinitionError, type AgentProblem } from "../errors.ts";
import { compactionProblems } from "../compaction/settings.ts";
import { compactifyMessagesWhenNeeded } from "../compaction/compaction-tool.ts";
import { buildGraph, type ToolGraph } from "../chains/graph.ts";
import type { ActionCall } from "../llm/completion/validate.ts";
import { isEndpointLike, type EndpointLike } from "../llm/endpoint.ts";
import { makeOnce } from "../make-once.ts";
import { project } from "../tools/call.ts";
import { promptUser as promptUserFactory } from "../tools/builtin/prompt-user.ts";
import { noReply } from "../tools/builtin/user-question.ts";
import { toolState, type ToolState } from "../tools/state.ts";
import * as builtins from "../values/builtin.ts";
import { checkAgentName } from "../values/name.ts";
import { isFields } from "../values/parse.ts";
import { typeState, type AnyValueType } from "../values/value.ts";
import { compileSkills } from "./compile-skills.ts";
import type { CompiledAgent } from "./compiled.ts";
import { effectiveLimits, limitProblems } from "./limits.ts";
import { isInteractive, isModelDriven, type AgentMode } from "./modes.ts";
import { checkInitialMessages } from "./opening.ts";
import { promptLlm } from "./prompt-llm.ts";
import { reachesOf, type ReachOf } from "./reach.ts";
import { fingerprintOf } from "./restore.ts";
import { isListOfFunctions } from "./run-options.ts";
import type { AgentSettings } from "./settings.ts";
import { systemPromptFor } from "./prompt/system-prompt.ts";

const builtinTypes: readonly AnyValueType[] = Object.values(builtins);

/**
 * Checks an agent's settings and builds what all its runs share.
 *
 * @throws {@link AgentDefinitionError} (`core/agent-definition`) with every mistake found.
 */
export function compileAgent(settings: AgentSettings): CompiledAgent {
  const name = checkAgentName(isFields(settings) ? settings.name : undefined);
  const { mode = "steerable", description = "", endpoint, output: stopType = builtins.Stop } = settings;
  const problems = [...settingProblems(settings, mode), ...limitProblems(settings.limits)];
  const tools = toolStates(settings.tools, "tools", problems);
  const defaults = [
    ...toolStates(settings.defaultTools, "defaultTools", problems),
    ...compactionTool(settings, mode, problems),
  ];
  const userTool = isInteractive(mode) ? userPrompter(settings, problems) : undefined;
  const prompter = isModelDriven(mode) ? promptLlm() : undefined;
  const skills = compileSkills(settings, protocolOf(endpoint), problems);
  const parts = {
    tools: [...(userTool === undefined ? [] : [userTool]), ...tools, ...skills.map(({ wrapper }) => wrapper)],
    skills,
    defaults,
    prompter,
    builtinTypes,
    stopType,
  };
  const { graph, problems: graphProblems } = buildGraph(parts);
  problems.push(...graphProblems);
  if (problems.length > 0) throw new AgentDefinitionError({ agentName: name, problems });
  const reachOf = reachesOf(graph);
  const model =
    prompter === undefined || endpoint === undefined
      ? undefined
      : { endpoint, isNative: protocolOf(endpoint) === "tools" };
  return {
    name,
    description,
    mode,
    graph,
    reachOf,
    skills,
    model,
    systemPrompt: makeOnce(() =>
      systemPromptFor({
        prompt: settings.systemPrompt ?? "",
        tools: model === undefined ? [] : ownCalls(graph, reachOf),
        skills,
        interactive: isInteractive(mode),
        userTool: userTool?.name,
        protocol: protocolOf(endpoint),
        automatic: model !== undefined && (settings.automaticToolPrompt ?? true),
      }),
    ),
    initialMessages: checkInitialMessages(name, settings.initialMessages ?? []),
    promptUser: userTool === undefined ? undefined : graph.nodes.find(({ tool }) => tool.id === userTool.id),
    stopType,
    limits: effectiveLimits(settings.limits),
    showsToolErrors: isModelDriven(mode) && settings.toolErrors !== "throw",
    sinks: [...(settings.sinks ?? [])],
    strictSinks: settings.strictSinks ?? false,
    signal: settings.signal,
    fingerprint: makeOnce(() => fingerprintOf(graph)),
  };
}

/** The calls that are listed as tools: those of skills are listed apart, or not yet. */
function ownCalls(graph: ToolGraph, reachOf: ReachOf): readonly ActionCall[] {
  return reachOf(new Set()).actions.calls.filter(({ name }) => graph.callable.get(name)?.loads === null);
}

function protocolOf(endpoint: EndpointLike | undefined): "json" | "tools" {
  return endpoint !== undefined && "protocol" in endpoint ? endpoint.protocol : "json";
}

function settingProblems(
  {
    systemPrompt = "",
    endpoint,
    defaultTools = [],
    promptUserTool,
    output = builtins.Stop,
    sinks = [],
    initialMessages = [],
    signal,
    description = "",
    toolErrors,
  }: AgentSettings,
  mode: AgentMode,
): AgentProblem[] {
  const problems: AgentProblem[] = [];
  const wrong = (message: string): void => {
    problems.push({ code: "settings", toolNames: [], message });
  };
  if (toolErrors !== undefined && !["show", "throw"].includes(toolErrors))
    wrong("`toolErrors` is neither show nor throw");
  if (typeof description !== "string") wrong("`description` is no text");
  const modes: readonly string[] = ["deterministic", "steerable", "autonomous"];
  if (!modes.includes(mode)) wrong(`\`mode\` is none of ${modes.join(", ")}`);
  if (isModelDriven(mode)) {
    const driven = `${mode === "autonomous" ? "an" : "a"} ${mode} agent`;
    if (endpoint === undefined)
      wrong(`${driven} needs an \`endpoint\`; give one, or make it deterministic with default tools`);
    if (typeof systemPrompt !== "string" || systemPrompt.trim() === "")
      wrong(`${driven} needs a \`systemPrompt\` that is not blank`);
  } else if (isList(defaultTools) && defaultTools.length === 0) {
    wrong("a deterministic agent needs at least one tool in `defaultTools`, which start its chains");
  }
  if (endpoint !== undefined && !isEndpointLike(endpoint)) {
    wrong("`endpoint` is no endpoint; give an LLMEndpoint, a MockLLMEndpoint, or a route that selects one");
  }
  if (!isInteractive(mode) && promptUserTool !== undefined)
    wrong("an autonomous agent asks no user, so it takes no `promptUserTool`");
  if (typeState(output)?.family !== "stop")
    wrong("`output` is no type of Stop; give Stop, or a type that extends it");
  if (!isListOfFunctions(sinks)) wrong("`sinks` is no list of functions");
  if (signal !== undefined && !(signal instanceof AbortSignal)) wrong("`signal` is no AbortSignal");
  if (!isList(initialMessages)) wrong("`initialMessages` is no list");
  return problems;
}

function isList(given: unknown): given is readonly unknown[] {
  return Array.isArray(given);
}

/** The tools of a list that may hold chains as lists of their own. */
function toolStates(given: AgentSettings["tools"], setting: string, problems: AgentProblem[]): ToolState[] {
  if (given === undefined) return [];
  if (!isList(given)) {
    problems.push({ code: "settings", toolNames: [], message: `\`${setting}\` is no list of tools` });
    return [];
  }
  const entries: readonly unknown[] = given.flat();
  return entries.flatMap((entry) => {
    const state = toolState(entry);
    if (state !== undefined) return [state];
    const isFactory = typeof entry === "function" && "factoryName" in entry;
    const message = isFactory
      ? `\`${setting}\` holds the factory \`${String(entry.factoryName)}\` itself; call it with its context to get a tool`
      : `\`${setting}\` holds something that is no tool`;
    problems.push({ code: "settings", toolNames: [], message });
    return [];
  });
}

/** The default that compacts the conversation, for an agent that has it switched on. */
function compactionTool(
  { compaction, endpoint: own }: AgentSettings,
  mode: AgentMode,
  problems: AgentProblem[],
): ToolState[] {
  if (compaction === undefined || compaction === false) return [];
  const found =
    compaction === true ? [] : compactionProblems(compaction).map((rest) => `\`compaction\` ${rest}`);
  if (!isModelDriven(mode)) {
    found.push(
      "a deterministic agent shows its conversation to no model; for one that a tool asks, put `compactifyMessagesWhenNeeded` into `defaultTools`",
    );
  }
  problems.push(...found.map((message) => ({ code: "settings" as const, toolNames: [], message })));
  const { endpoint = own, ...rest } = compaction === true ? {} : compaction;
  if (found.length > 0 || !isEndpointLike(endpoint)) return [];
  const state = toolState(compactifyMessagesWhenNeeded({ ...rest, endpoint }));
  return state === undefined ? [] : [state];
}

/** What asks the user where an agent has no tool of its own for it; all agents share it, as nobody else holds it. */
let sharedPrompter: ToolState | undefined;

function userPrompter({ promptUserTool }: AgentSettings, problems: AgentProblem[]): ToolState | undefined {
  const state =
    promptUserTool === undefined
      ? (sharedPrompter ??= toolState(promptUserFactory(noReply)))
      : toolState(promptUserTool);
  if (state === undefined) {
    problems.push({ code: "settings", toolNames: [], message: "`promptUserTool` is no tool" });
  } else if ("problem" in project({ value: "" }, state.input)) {
    problems.push({
      code: "settings",
      toolNames: [state.name],
      message: `\`${state.name}\` asks the user, so it must accept an input of just \`value\``,
    });
  }
  return state;
}
