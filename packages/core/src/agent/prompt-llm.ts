import { toolState, type ToolState } from "../tools/state.ts";
import { tool } from "../tools/tool.ts";
import { Empty, Invoke } from "../values/builtin.ts";

let shared: ToolState | undefined;

/**
 * The default that asks the model what to do next. It is a tool like others, but the run gives it its body. All agents
 * share it: nobody can rename or link what nobody else holds.
 */
export function promptLlm(): ToolState | undefined {
  return (shared ??= toolState(
    tool({
      name: "prompt_llm",
      description: "Asks the model for the next action.",
      input: Empty,
      output: Invoke,
      run: () => {
        throw new Error("`prompt_llm` runs within an agent only");
      },
    }),
  ));
}
