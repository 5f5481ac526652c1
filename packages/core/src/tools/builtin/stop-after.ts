import { randomUUID } from "node:crypto";

import type { ToolList } from "../../agent/settings.ts";
import { ToolDefinitionError } from "../../errors.ts";
import { Empty, Str } from "../../values/builtin.ts";
import { typeState } from "../../values/value.ts";
import { inputFor, project, runBody } from "../call.ts";
import { notesOf, type ToolContext } from "../context.ts";
import { toolState, type ToolState } from "../state.ts";
import { isTool, makeTool, tool, type AnyTool } from "../tool.ts";
import { stop } from "./stop.ts";

/** How a run ends after its cleanup. */
export interface StopAfterOptions {
  /** The tool that ends the run; takes `{ value }`, and returns nothing but a Stop. `stop` by default. */
  readonly finalStop?: AnyTool | undefined;
}

/** Where a run keeps what it is to end with while the cleanup goes on. */
const pendingKey = "@roboz/core/stop-after";

/**
 * The tools of an agent that does something before each regular end: the model calls `stop` as ever, the cleanup tools
 * run one after another, and then the run ends with the value that the model gave, whatever they returned. A run that
 * fails, is cancelled or reaches a limit has no cleanup.
 *
 * @param cleanup - Copied and chained: the first takes the model's `Str`, each other one what the one before returns.
 * Without any, the final tool is all there is.
 * @returns To be spread into an agent's `tools`, once.
 * @throws {@link ToolDefinitionError} (`core/tool-definition`) for a cleanup entry that is no tool, or a final tool that
 * does not take a `value`, or may return something else than a Stop.
 */
export function stopAfter(
  cleanup: ToolList = [],
  { finalStop = stop }: StopAfterOptions = {},
): readonly AnyTool[] {
  const final = checkedFinal(finalStop);
  const entries: readonly unknown[] = cleanup.flat();
  if (entries.length === 0) return [finalStop];
  const entry = tool({
    name: stop.name,
    description: stop.description,
    input: Str,
    output: Str,
    run: async (answer, context) => {
      await notesOf(context)?.write(pendingKey, answer.value);
      return answer;
    },
  });
  const tools: AnyTool[] = [entry];
  for (const one of entries) {
    if (!isTool(one))
      throw new ToolDefinitionError({ toolName: stop.name, problem: "was given a cleanup that is no tool" });
    tools.push(chainedTo(one.copy(), tools.at(-1)));
  }
  const end = makeTool({
    ...final,
    id: randomUUID(),
    input: Empty,
    links: [],
    run: (_input, context) => runBody(final, inputFor(final, { value: pendingIn(context) }), context),
  });
  return [...tools, chainedTo(end, tools.at(-1))];
}

/** The links are checked when the agent is constructed: here the types are erased. */
function chainedTo(child: AnyTool, parent: AnyTool | undefined): AnyTool {
  child.chain(null);
  return parent === undefined ? child : child.chain(parent);
}

function pendingIn(context: ToolContext): string {
  const pending = notesOf(context)?.read(pendingKey);
  if (typeof pending !== "string") throw new Error("The end of stopAfter ran before its beginning");
  return pending;
}

function checkedFinal(finalStop: AnyTool): ToolState {
  const state = toolState(finalStop);
  const fail = (problem: string): never => {
    throw new ToolDefinitionError({
      toolName: state?.name ?? "stop",
      problem: `cannot end a run: it ${problem}`,
    });
  };
  if (state === undefined) return fail("is no tool");
  if ("problem" in project({ value: "" }, state.input)) fail("does not take an input of just `value`");
  if (state.outputs.some((type) => typeState(type)?.family !== "stop"))
    fail("may return something else than a Stop");
  return state;
}
