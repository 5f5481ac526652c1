import { externalDependenciesOf, type ExternalDependency } from "../dependencies/external-dependency.ts";
import { CoreError, ToolDefinitionError } from "../errors.ts";
import type { ToolState } from "./state.ts";

/** What a tool needs from outside. */
export function toolDependencies({
  name,
  bound,
}: Pick<ToolState, "name" | "bound">): readonly ExternalDependency[] {
  try {
    return externalDependenciesOf(bound?.context);
  } catch (error) {
    if (!CoreError.is(error) || error.code !== "core/dependency") throw error;
    throw new ToolDefinitionError({
      toolName: name,
      problem: "is bound to a context whose `externalDependencies` does not give a list of dependencies",
      cause: error,
    });
  }
}
