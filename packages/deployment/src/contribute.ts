import type { AnyTool, Skill } from "@roboz/core";

import type { AgentPipe } from "./agent-pipe.ts";
import type { BuildContext } from "./capability.ts";
import { checkValue, type Placed } from "./contribution.ts";
import { CapabilityBuildError, CapabilityValueError, DeploymentError } from "./errors.ts";
import { typeName } from "./option-object.ts";
import { SkillLoading } from "./label.ts";
import type { PlannedAgent, PlannedCapability } from "./plan.ts";

/** What the capabilities of an agent contribute, as its settings take it. */
export interface Parts {
  readonly defaultTools: readonly AnyTool[];
  readonly tools: readonly AnyTool[];
  readonly skills: readonly Skill[];
  readonly autoLoadedSkills: readonly Skill[];
}

/**
 * Builds the capabilities of one agent, in order, and checks what they give against their labels.
 *
 * @throws {@link CapabilityBuildError} (`deployment/capability-build`), {@link CapabilityValueError}
 * (`deployment/capability-value`), {@link EmptyChainError} (`deployment/empty-chain`), {@link BuildMissingError}
 * (`deployment/build-missing`)
 */
export function contribute(
  { definition: agent, name: agentName, capabilities }: PlannedAgent,
  pipe: AgentPipe,
): Parts {
  const placed = capabilities.flatMap((planned) => {
    const { label } = planned;
    const built = buildOne(planned, { agent, attributes: planned.attributes, pipe });
    if (isList(built)) return built.map((value) => checkValue(label, value, agentName));
    const hint = built instanceof Promise ? "; builders are synchronous" : "";
    throw new CapabilityValueError({
      capabilityName: label.name,
      labelKind: label.kind,
      agentName,
      problem: `built no list of what it contributes, but a value of type ${typeName(built)}${hint}`,
    });
  });
  return arrange(placed);
}

/** What an agent's capabilities come to: the first tool of a default chain is a default, its others are ordinary tools. */
function arrange(placed: readonly Placed[]): Parts {
  const chains = placed.filter((one) => one.kind === "tool");
  const loaded = placed.filter((one) => one.kind === "skill");
  const isAutomatic = (loading: SkillLoading): boolean => loading === SkillLoading.AUTOMATIC;
  return {
    defaultTools: chains.flatMap(({ tools, isDefault }) => (isDefault ? tools.slice(0, 1) : [])),
    tools: chains.flatMap(({ tools, isDefault }) => (isDefault ? tools.slice(1) : tools)),
    skills: loaded.filter(({ loading }) => !isAutomatic(loading)).map(({ skill }) => skill),
    autoLoadedSkills: loaded.filter(({ loading }) => isAutomatic(loading)).map(({ skill }) => skill),
  };
}

function buildOne({ capability, label }: PlannedCapability, context: BuildContext): unknown {
  try {
    // A builder takes what its own capability requires, which is what was planned for it.
    const build: unknown = Reflect.get(capability, "build");
    if (typeof build !== "function") throw new TypeError("`build` is no function");
    return Reflect.apply(build, capability, [context]);
  } catch (cause) {
    if (DeploymentError.is(cause) && cause.code === "deployment/build-missing") throw cause;
    throw new CapabilityBuildError({ capabilityName: label.name, agentName: context.agent.name, cause });
  }
}

function isList(given: unknown): given is readonly unknown[] {
  return Array.isArray(given);
}
