import { AmbiguousLinkError, LinkInputError, ToolDefinitionError } from "../errors.ts";
import { project } from "../tools/call.ts";
import { kindOf, type AnyValue } from "../values/value.ts";
import type { GraphNode } from "./graph.ts";

/**
 * The tool to run after another one: the child of the one link that is true for its output.
 *
 * @param isThere - Tells the tools that the run has; without it, it has all.
 * @returns undefined when no link is true.
 * @throws {@link AmbiguousLinkError} (`core/ambiguous-link`) when more than one is. What a condition throws is passed on.
 */
export function nextInChain(
  parent: GraphNode,
  output: AnyValue,
  isThere?: (node: GraphNode) => boolean,
): GraphNode | undefined {
  let found: GraphNode | undefined;
  let others: GraphNode[] | undefined;
  for (const { child, condition } of parent.children) {
    if (isThere?.(child) === false) continue;
    if (condition !== undefined && !holds(condition(output), parent, child)) continue;
    if (found === undefined) found = child;
    else (others ??= []).push(child);
  }
  if (found !== undefined && others !== undefined) {
    throw new AmbiguousLinkError({
      parentName: parent.name,
      candidates: [found, ...others].map(({ name }) => name),
    });
  }
  return found;
}

/** A condition's answer; a promise is always true, so it is refused instead of followed. */
function holds(answer: unknown, parent: GraphNode, child: GraphNode): boolean {
  if (typeof answer === "boolean") return answer;
  if (answer instanceof Promise) {
    // It is not awaited, so nobody else hears of its failure.
    answer.catch(() => undefined);
    throw new ToolDefinitionError({
      toolName: child.name,
      problem: `is chained to \`${parent.name}\` under an asynchronous condition; decide in a tool, and let the condition look at its output`,
    });
  }
  return Boolean(answer);
}

/**
 * A parent's output as its child takes it.
 *
 * @throws {@link LinkInputError} (`core/link-input`) when the child does not accept it.
 */
export function narrowed(parent: GraphNode, child: GraphNode, output: AnyValue): AnyValue {
  const fitted = project(output, child.tool.input);
  if ("value" in fitted) return fitted.value;
  throw new LinkInputError({
    parentName: parent.name,
    childName: child.name,
    kind: kindOf(output),
    cause: fitted.problem,
  });
}
