import type { z } from "zod";
import { ClientToolDefinitionError } from "../../errors/client-errors.ts";
import { clientToolSpecSchema, type ClientToolSpec } from "../../wire/client-tools.ts";
import { problemsOf } from "../../wire/problems.ts";
import { parseDocComment } from "./doc-comment.ts";
import {
  emptySchema,
  givenSchema,
  publishedSchema,
  withDescriptions,
  type JsonSchema,
} from "./input-schema.ts";

/** What a client tool is told about the call it answers. */
export interface ClientToolContext {
  readonly threadId: string;
  readonly toolUseId: string;
  readonly toolName: string;
  /** Aborted when nobody waits any more, and when the time of `run` is used up; the result is submitted even then. */
  readonly signal: AbortSignal;
}

type Awaitable<T> = T | Promise<T>;

/** What the ways of describing a tool have in common. */
interface Description<Args> {
  /** How the model calls it; the name of `execute` when it is left out and that function was given one elsewhere. */
  readonly name?: string | undefined;
  /** What the model reads; otherwise what the input schema, or the beginning of `doc`, says. */
  readonly description?: string | undefined;
  /** A doc text whose summary and `Args:` describe what nothing else does, see {@link parseDocComment}. */
  readonly doc?: string | undefined;
  /** Asked before each call; false declines it. */
  readonly approve?: ((args: Args, context: ClientToolContext) => Awaitable<boolean>) | undefined;
  /** Runs one call. An object is the output as it is; other values are sent as `{ result: value }`, nothing as `{}`. */
  readonly execute: (args: Args, context: ClientToolContext) => unknown;
  /** Whether the name must be `client_` and lower-case letters, digits and underscores, as some servers ask for. */
  readonly strictClientPrefix?: boolean | undefined;
}

/** A tool whose arguments a zod schema describes and checks. */
export interface CheckedToolDefinition<S extends z.ZodType> extends Description<z.output<S>> {
  readonly input: S;
}

/** A tool whose arguments a JSON Schema describes; they are given as they come. Without one it takes nothing. */
export interface DescribedToolDefinition extends Description<Record<string, unknown>> {
  readonly input?: JsonSchema | undefined;
}

const marker = Symbol.for("@roboz/threads/client-tool");

/** How one call was decided, before its result is put on the wire. */
export type ClientToolAnswer =
  | { readonly kind: "done"; readonly value: unknown }
  | { readonly kind: "declined" }
  | { readonly kind: "refused"; readonly problem: string };

/** Checks arguments; gives them as the tool takes them, or says what is wrong. */
type ArgumentCheck<Args> = (given: Record<string, unknown>) => Promise<{ args: Args } | { problem: string }>;

/** A tool that runs where the client runs: what the model is told of it, and the function that answers. */
export class ClientTool {
  readonly spec: ClientToolSpec;
  /** Checks the arguments, asks for approval and runs the tool; rejects with what the tool throws. */
  readonly answer: (given: Record<string, unknown>, context: ClientToolContext) => Promise<ClientToolAnswer>;
  readonly [marker] = true;

  /** @internal Tools are made with {@link clientTool}. */
  constructor(spec: ClientToolSpec, answer: ClientTool["answer"]) {
    this.spec = spec;
    this.answer = answer;
  }

  get name(): string {
    return this.spec.name;
  }

  /** Like `instanceof`, and also true for a tool of another installed copy of this package. */
  static is(candidate: unknown): candidate is ClientTool {
    return typeof candidate === "object" && candidate !== null && marker in candidate;
  }

  /**
   * Makes a tool of a function that takes one object.
   *
   * @throws {@link ClientToolDefinitionError} as {@link clientTool}, and when a function with parameters has no schema.
   */
  static fromFunction(
    fn: (args: Record<string, unknown>, context: ClientToolContext) => unknown,
    options: { readonly name?: string; readonly description: string; readonly inputSchema?: JsonSchema },
  ): ClientTool {
    const { name = fn.name, description, inputSchema } = options;
    if (inputSchema === undefined && (fn.length > 0 || hasRest(fn))) {
      throw new ClientToolDefinitionError({ toolName: name, problem: "has parameters and no `inputSchema`" });
    }
    const definition = { name, description, execute: fn };
    return inputSchema === undefined
      ? clientTool(definition)
      : clientTool({ ...definition, input: inputSchema });
  }
}

/** Whether a function takes any number of parameters, which its `length` leaves out. */
function hasRest(fn: (...args: never[]) => unknown): boolean {
  return /^[^)]*\(?[^)]*\.\.\./.test(
    Function.prototype.toString.call(fn).split("=>")[0]?.split("{")[0] ?? "",
  );
}

/**
 * Makes a tool that runs where the client runs.
 *
 * ```ts
 * const remember = clientTool({
 *   name: "remember",
 *   description: "Keep a fact.",
 *   input: z.object({ fact: z.string().describe("The fact, in one sentence.") }),
 *   execute: ({ fact }) => { facts.push(fact); },
 * });
 * ```
 *
 * @throws {@link ClientToolDefinitionError} (`threads/client-tool-definition`) when there is no usable name or description, or
 * the input is no object.
 */
export function clientTool<S extends z.ZodType>(definition: CheckedToolDefinition<S>): ClientTool;
export function clientTool(definition: DescribedToolDefinition): ClientTool;
export function clientTool(
  definition: CheckedToolDefinition<z.ZodType> | DescribedToolDefinition,
): ClientTool {
  if (isChecked(definition)) {
    const { input } = definition;
    return built(
      definition,
      (name) => publishedSchema(input, name),
      input.description,
      async (given) => {
        const parsed = await input.safeParseAsync(given);
        return parsed.success ? { args: parsed.data } : { problem: problemsOf(parsed.error) };
      },
    );
  }
  const { input = emptySchema } = definition;
  const asGiven: ArgumentCheck<Record<string, unknown>> = (args) => Promise.resolve({ args });
  return built(definition, (name) => givenSchema(input, name), undefined, asGiven);
}

function isChecked(
  definition: CheckedToolDefinition<z.ZodType> | DescribedToolDefinition,
): definition is CheckedToolDefinition<z.ZodType> {
  return definition.input !== undefined && "_zod" in definition.input;
}

function built<Args>(
  definition: Description<Args>,
  schemaFor: (name: string) => JsonSchema,
  ownDescription: string | undefined,
  check: ArgumentCheck<Args>,
): ClientTool {
  const { execute, approve, doc } = definition;
  const name = nameOf(definition);
  const { summary, descriptions } = parseDocComment(doc ?? "");
  const description = definition.description ?? ownDescription ?? summary;
  if (description.trim() === "") {
    throw new ClientToolDefinitionError({ toolName: name, problem: "has no description" });
  }
  const spec = { name, description, input_schema: withDescriptions(schemaFor(name), descriptions) };
  const parsed = clientToolSpecSchema.safeParse(spec);
  if (!parsed.success) {
    throw new ClientToolDefinitionError({
      toolName: name,
      problem: `has a spec that is refused: ${problemsOf(parsed.error)}`,
    });
  }
  return new ClientTool(spec, async (given, context) => {
    const checked = await check(given);
    if ("problem" in checked) return { kind: "refused", problem: checked.problem };
    if (approve !== undefined && !(await approve(checked.args, context))) return { kind: "declined" };
    return { kind: "done", value: await execute(checked.args, context) };
  });
}

function nameOf({ name, execute, strictClientPrefix }: Description<never>): string {
  // A function written in its place is called `execute` by the language, which is no name of a tool.
  const found = name ?? (execute.name === "execute" ? "" : execute.name);
  if (found === "") throw new ClientToolDefinitionError({ problem: "has no name; give it one" });
  if (strictClientPrefix === true && !/^client_[a-z][a-z0-9_]*$/.test(found)) {
    const problem = "has a name that is not `client_` and lower-case letters, digits and underscores";
    throw new ClientToolDefinitionError({ toolName: found, problem });
  }
  return found;
}
