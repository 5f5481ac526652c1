import { randomUUID } from "node:crypto";

import { ToolDefinitionError } from "../errors.ts";
import { checkName } from "../values/name.ts";
import type { ToolContext } from "./context.ts";
import type { Contract, Input, InputType, OutOf, OutputTypes, Parent } from "./link.ts";
import { factoryKey } from "./state.ts";
import { makeTool, toolStateOf, type AnyTool, type Tool } from "./tool.ts";

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
export function factory(): (definition: never) => AnyFactory {
  return (definition: ErasedDefinition) => {
    const name = checkName("A factory", definition.name);
    const id = randomUUID();
    const bind = (context: unknown): AnyTool => {
      checkContext(name, context);
      const run = (input: never, toolContext: ToolContext): unknown => {
        const ready = materialized(context);
        return ready instanceof Promise
          ? ready.then(() => definition.run(input, toolContext, context))
          : definition.run(input, toolContext, context);
      };
      return makeTool(toolStateOf({ ...definition, run }, id, { context }));
    };
    Object.defineProperties(bind, {
      id: { value: id, enumerable: true },
      factoryName: { value: name, enumerable: true },
      [factoryKey]: { value: { id, name } },
    });
    // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- the seam: `bind` makes the tool that the definition describes
    return bind as unknown as AnyFactory;
  };
}

/** A factory's definition without its types. */
type ErasedDefinition = Contract<string, InputType, OutputTypes, undefined> & {
  readonly run: (input: never, run: ToolContext, context: unknown) => unknown;
};

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

/** Lets a context make itself ready; nothing to wait for when it has no `materialize`. */
function materialized(context: unknown): unknown {
  if (
    typeof context !== "object" ||
    context === null ||
    !("materialize" in context) ||
    typeof context.materialize !== "function"
  )
    return undefined;
  return Reflect.apply(context.materialize, context, []);
}
