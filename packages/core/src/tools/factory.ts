import { randomUUID } from "node:crypto";

import { ToolDefinitionError } from "../errors.ts";
import { checkName } from "../values/name.ts";
import { isFields } from "../values/parse.ts";
import type { ToolContext } from "./context.ts";
import type { Contract, Input, InputType, OutOf, OutputTypes, Parent } from "./link.ts";
import { factoryProperty } from "./state.ts";
import { makeTool, toolStateOf, type ErasedDefinition, type ErasedTool, type Tool } from "./tool.ts";

/** A tool that needs a context, such as an endpoint, before it can run. */
export interface Factory<in Context, in In, out Out, out Name extends string = string> {
  /**
   * Binds a context, by reference. All tools bound from one factory share its identity.
   *
   * @throws {@link ToolDefinitionError} (`core/tool-definition`) when the input or output types, the links, or the
   * context's `externalDependencies` are not what a tool needs.
   */
  (context: Context): Tool<In, Out, Name>;
  readonly id: string;
  readonly factoryName: Name;
}
/** The top type of all factories. */
export type AnyFactory = Factory<never, never, unknown>;

/**
 * Declares a tool whose `run` gets a context third: `factory<Context>()({ … })`.
 * The name is checked at once, the rest when a context is bound.
 *
 * A context that has `materialize()` is asked to before every call; one that has `externalDependencies` must have it as
 * a function.
 */
export function factory<Context>(): <
  const Name extends string,
  I extends InputType,
  const O extends OutputTypes,
  const P extends Parent | readonly Parent[] | undefined = undefined,
>(
  definition: Contract<Name, I, O, P> & {
    readonly run: (input: Input<I, Name>, run: ToolContext, context: Context) => OutOf<O> | Promise<OutOf<O>>;
  },
) => Factory<Context, Input<I, Name>, OutOf<O>, Name>;
export function factory(): (definition: never) => ErasedFactory {
  return (definition: ErasedDefinition) => {
    const name = checkName("A factory", isFields(definition) ? definition.name : undefined);
    const id = randomUUID();
    const bind = (context: unknown): ErasedTool => {
      checkContext(name, context);
      return makeTool(toolStateOf(definition, id, { context }));
    };
    const face: ErasedFactory = Object.assign(bind, { id, factoryName: name });
    return Object.freeze(Object.defineProperties(face, factoryProperty({ id, name })));
  };
}

/** A factory without its types. */
interface ErasedFactory {
  (context: never): ErasedTool;
  readonly id: string;
  readonly factoryName: string;
}

function checkContext(toolName: string, context: unknown): void {
  if (typeof context !== "object" || context === null || !("externalDependencies" in context)) return;
  if (typeof context.externalDependencies !== "function") {
    throw new ToolDefinitionError({
      toolName,
      problem:
        "was bound to a context whose `externalDependencies` is not a function; make it one, or leave it out",
    });
  }
}
