import { randomUUID } from "node:crypto";
import * as z from "zod";

import type { ExternalDependency } from "../dependencies/external-dependency.ts";
import { ToolDefinitionError } from "../errors.ts";
import { checkName } from "../values/name.ts";
import { isFields } from "../values/parse.ts";
import {
  declareType,
  typeState,
  type AnyValue,
  type AnyValueType,
  type PlainFields,
} from "../values/value.ts";
import { callAlone } from "./call.ts";
import { toolDependencies } from "./dependencies.ts";
import type { ToolContext } from "./context.ts";
import {
  isLink,
  type Contract,
  type Fit,
  type Input,
  type InputType,
  type OutOf,
  type OutputTypes,
  type Parent,
} from "./link.ts";
import {
  identityOf,
  isToolOrFactory,
  toolProperty,
  toolState,
  type LinkState,
  type ToolState,
} from "./state.ts";

/** A step an agent can take: the model calls it, another tool's output runs it, or it is a default. */
export interface Tool<in In, out Out, out Name extends string = string> {
  /** What links refer to: a new one for each definition and each copy. */
  readonly id: string;
  readonly name: Name;
  readonly description: string;
  /**
   * Runs the tool alone, with a value or plain fields that nobody has to have checked.
   *
   * @param context - The parts that the tool needs; the others are there, and do nothing.
   * @throws {@link ToolInputError} (`core/tool-input`), {@link ToolOutputError} (`core/tool-output`).
   */
  readonly invoke: (input: In | PlainFields<In>, context?: Partial<ToolContext>) => Promise<Out>;
  /** Links this tool to more parents, in place; `null` removes all. An agent copies the links when it is constructed. */
  readonly chain: <const P extends Parent | readonly Parent[] | null>(
    parents: P extends null ? P : P extends Fit<P, In, Name> ? P : Fit<P, In, Name>,
  ) => Tool<In, Out, Name>;
  /** The same tool under a new identity, and a new name if one is given. Tools chained to the original are not chained to it. */
  readonly copy: <const N extends string = Name>(changes?: {
    readonly name?: N;
    readonly description?: string;
  }) => Tool<In, Out, N>;
  /**
   * Renames this tool in place.
   *
   * @throws {@link NameError} (`core/name`) for a bad name; the old one then stays.
   */
  readonly rename: <const N extends string>(name: N) => Tool<In, Out, N>;
  /**
   * What the tool needs from outside, as the context says that it is bound to: asked anew each time, and nothing is checked.
   * Empty for a tool without a context.
   *
   * @throws {@link ToolDefinitionError} (`core/tool-definition`) when the context's `externalDependencies` gives no list of
   * dependencies.
   */
  readonly externalDependencies: () => readonly ExternalDependency[];
}
/** The top type of all tools. */
export type AnyTool = Tool<never, unknown>;

/**
 * Declares a tool.
 *
 * @throws {@link NameError} (`core/name`); {@link ToolDefinitionError} (`core/tool-definition`) when the input is not of
 * the Empty family, an output is no value type, or a parent is neither a tool, a factory nor a link.
 */
export function tool<
  const Name extends string,
  I extends InputType,
  const O extends OutputTypes,
  const P extends Parent | readonly Parent[] | undefined = undefined,
>(
  definition: Contract<Name, I, O, P> & {
    readonly run: (input: Input<I, Name>, context: ToolContext) => OutOf<O> | Promise<OutOf<O>>;
  },
): Tool<Input<I, Name>, OutOf<O>, Name>;
export function tool(definition: ErasedDefinition): ErasedTool {
  return makeTool(toolStateOf(definition, randomUUID()));
}

/** A definition without its types. */
export type ErasedDefinition = Contract<string, InputType, OutputTypes, undefined> & {
  readonly run: (input: never, context: ToolContext, bound: unknown) => unknown;
};

/** Checks a definition and gives the state of the tool it describes. */
export function toolStateOf(definition: ErasedDefinition, id: string, bound?: ToolState["bound"]): ToolState {
  const name = checkName("A tool", isFields(definition) ? definition.name : undefined);
  const fail = (problem: string): never => {
    throw new ToolDefinitionError({ toolName: name, problem });
  };
  const { description, run, suspends, timeoutMs, retries = 0, polls = false } = definition;
  if (typeof description !== "string") fail("has no `description`; give it a text, which may be empty");
  if (!isBody(run)) return fail("has no `run` function");
  if (bound === undefined && run.length > 2) {
    fail("has a `run` with a third parameter; declare it with `factory` to bind it to a context");
  }
  if (run.length > 3) fail("has a `run` with more than three parameters");
  if (timeoutMs !== undefined && !(typeof timeoutMs === "number" && timeoutMs > 0))
    fail("has a `timeoutMs` that is not a number above 0; leave it out for no limit");
  if (!Number.isInteger(retries) || retries < 0)
    fail("has `retries` that is not a whole number of 0 or more");
  if (typeof polls !== "boolean") fail("has `polls` that is neither true nor false");
  const outputs = outputTypes(definition.output, fail);
  checkSuspends(suspends, outputs, fail);
  return {
    id,
    name,
    description: dedent(description),
    input: inputType(name, definition.input, fail),
    outputs,
    links: linksTo(name, definition.chainedTo),
    suspends,
    timeoutMs,
    retries,
    polls,
    hasPlainInput: definition.input instanceof z.ZodObject,
    bound,
    run: bound === undefined ? run : boundBody(run, bound.context),
  };
}

type BoundBody = (input: AnyValue, context: ToolContext, bound?: unknown) => unknown;

/** A body is called with the tool's own input type alone, which is what it was written for. */
function isBody(run: unknown): run is BoundBody {
  return typeof run === "function";
}

/** Calls a factory's body with its context, which may make itself ready first. */
function boundBody(run: BoundBody, bound: unknown): ToolState["run"] {
  return (input, context) => {
    const ready = materialized(bound);
    return isPromise(ready) ? ready.then(() => run(input, context, bound)) : run(input, context, bound);
  };
}

/** What a context's `materialize` gives; undefined when it has none. */
function materialized(context: unknown): unknown {
  if (typeof context !== "object" || context === null || !("materialize" in context)) return undefined;
  const { materialize } = context;
  return typeof materialize === "function" ? Reflect.apply(materialize, context, []) : undefined;
}

function isPromise(given: unknown): given is PromiseLike<unknown> {
  return typeof given === "object" && given !== null && "then" in given && typeof given.then === "function";
}

function checkSuspends(
  suspends: ToolState["suspends"],
  outputs: readonly AnyValueType[],
  fail: (problem: string) => never,
): void {
  const mayAsk = outputs.some((type) => typeState(type)?.family === "suspend");
  if (mayAsk !== (suspends !== undefined)) {
    fail("must declare both `suspends` and `Suspend` among its outputs, or neither");
  }
  if (suspends === undefined) return;
  const { request, reply } = suspends;
  if (!(request instanceof z.ZodType)) fail("has no zod schema in `suspends.request`");
  if (typeState(reply) === undefined) fail("has no value type in `suspends.reply`");
  if (suspends.resume !== undefined) return;
  if (!outputs.some((type) => reply.lineage.includes(type.kind))) {
    fail(
      `suspends for a reply of \`${reply.kind}\`, which becomes its output; declare that type in \`output\` too`,
    );
  }
}

function inputType(name: string, input: InputType, fail: (problem: string) => never): AnyValueType {
  if (input instanceof z.ZodObject) {
    return declareType(name, input, (problem) => fail(`has an input that ${problem}`));
  }
  const family = typeState(input)?.family;
  if (family === undefined) return fail("has no usable `input`; give it a value type, or a zod object");
  if (family !== "empty")
    fail(`has \`${input.kind}\` as its input; a tool takes an ordinary value, of the Empty family`);
  return input;
}

function outputTypes(output: OutputTypes, fail: (problem: string) => never): readonly AnyValueType[] {
  const outputs = isList(output) ? output : [output];
  if (outputs.length === 0) fail("has no `output`; give it a value type, or a list of them");
  for (const type of outputs) {
    if (typeState(type) === undefined)
      fail("has an `output` that is no value type; give it a value type, or a list of them");
  }
  return Object.freeze([...outputs]);
}

function isList<T>(given: T | readonly T[]): given is readonly T[] {
  return Array.isArray(given);
}

/** The links that parents stand for. */
function linksTo(toolName: string, given: unknown): readonly LinkState[] {
  if (given === undefined || given === null) return [];
  const parents: readonly unknown[] = Array.isArray(given) ? given : [given];
  return parents.map((entry) => {
    const parent: unknown = isLink(entry) ? entry.parent : entry;
    const identity = identityOf(parent);
    if (identity === undefined || !isToolOrFactory(parent)) {
      throw new ToolDefinitionError({
        toolName,
        problem: "is chained to something that is neither a tool, a factory, nor made by when()",
      });
    }
    const condition: unknown = isLink(entry) ? entry.condition : undefined;
    if (isLink(entry) && !isCondition(condition)) {
      throw new ToolDefinitionError({
        toolName,
        problem: `is chained to \`${identity.name}\` under a condition that is no function`,
      });
    }
    return {
      parentId: identity.id,
      parentName: identity.name,
      parent,
      condition: isCondition(condition) ? condition : undefined,
    };
  });
}

/** A condition is called with the output of the very parent it was written for, which is what it takes. */
function isCondition(condition: unknown): condition is (output: unknown) => boolean {
  return typeof condition === "function";
}

/** A tool without its types. */
export interface ErasedTool {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly invoke: (input: never, context?: Partial<ToolContext>) => Promise<unknown>;
  readonly chain: (parents: never) => ErasedTool;
  readonly copy: (changes?: { readonly name?: string; readonly description?: string }) => ErasedTool;
  readonly rename: (name: never) => ErasedTool;
  readonly externalDependencies: () => readonly ExternalDependency[];
}

/** The public face of a tool's state. */
export function makeTool(state: ToolState): AnyTool;
export function makeTool(state: ToolState): ErasedTool {
  const face: ErasedTool = {
    get id() {
      return state.id;
    },
    get name() {
      return state.name;
    },
    get description() {
      return state.description;
    },
    invoke: (input: unknown, context) => callAlone(state, input, context),
    chain: (parents: unknown) => {
      state.links = parents === null ? [] : [...state.links, ...linksTo(state.name, parents)];
      return face;
    },
    copy: (changes = {}) =>
      makeTool({
        ...state,
        id: randomUUID(),
        name: checkName("A tool", changes.name ?? state.name),
        description: dedent(changes.description ?? state.description),
      }),
    rename: (name: unknown) => {
      state.name = checkName("A tool", name);
      return face;
    },
    externalDependencies: () => toolDependencies(state),
  };
  return Object.freeze(Object.defineProperties(face, toolProperty(state)));
}

/** Whether anything is a tool, of any installed copy of this package. */
export function isTool(candidate: unknown): candidate is AnyTool {
  return toolState(candidate) !== undefined;
}

/** A text without the indentation its source has, paragraphs kept. */
function dedent(text: string): string {
  if (!text.includes("\n")) return text.trim();
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const indents = lines
    .slice(1)
    .filter((line) => line.trim() !== "")
    .map((line) => line.length - line.trimStart().length);
  const depth = indents.length === 0 ? 0 : Math.min(...indents);
  return lines
    .map((line, index) => (index === 0 ? line : line.slice(depth)).trimEnd())
    .join("\n")
    .trim();
}
