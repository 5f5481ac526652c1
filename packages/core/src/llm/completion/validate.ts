import * as z from "zod";

import { CoreError } from "../../errors.ts";
import { Invoke } from "../../values/builtin.ts";
import type { ToolState } from "../../tools/state.ts";
import { describeProblem } from "../../values/parse.ts";
import { typeState, type AnyValue, type AnyValueType } from "../../values/value.ts";
import type { JsonSchema, ModelTool } from "../client.ts";
import type { Telemetry } from "../endpoint.ts";
import type { ReplyProblem } from "../errors.ts";

/** A call that a model made and that fits its tool. */
export interface ValidAction {
  /** The call as the model sent it; the telemetry is its metadata. */
  readonly invoke: Invoke;
  readonly tool: ToolState;
  /** The arguments as the tool's input, parsed. */
  readonly input: AnyValue;
}

/** What was wrong with a reply: for the model, which is told. */
export interface Rejection {
  readonly problem: ReplyProblem;
  readonly text: string;
  /** What helps; none stands for what always helps with the problem in the JSON protocol. */
  readonly hint?: string | undefined;
}

/** The tools that are offered to a model, ready to check its calls. Made once, used at every turn. */
export interface ActionSet {
  readonly names: readonly string[];
  /** The tools' calls as JSON schemas, for a prompt. */
  readonly calls: readonly ActionCall[];
  /** The tools for a provider's native protocol. */
  readonly nativeTools: readonly ModelTool[];
  /** What those add to each prompt, at four characters a token. */
  readonly nativeTokens: number;
  /** Checks a decoded call. */
  readonly validate: (
    fields: Readonly<Record<string, unknown>>,
    telemetry: Telemetry,
  ) => ValidAction | Rejection;
}

/** What a model is told of one tool. */
export interface ActionCall {
  readonly name: string;
  readonly description: string;
  /** The schema of the whole call: `action`, `rationale` and the arguments, closed to other keys. */
  readonly callSchema: JsonSchema;
}

/** Keys that telemetry owns: what a model sends under them is never kept. */
const telemetryKeys: ReadonlySet<string> = new Set([
  "truncation",
  "messageKind",
  "message_kind",
  "endpoint",
  "model",
  "tokenInput",
  "token_input",
  "tokenOutput",
  "token_output",
]);

/**
 * Compiles the tools that a model may call.
 *
 * @param tools - In the order in which the model is told of them; names are unique.
 * @param untold - Names of tools that may be called, but of which the model is not told.
 */
export function compileActions(
  tools: readonly ToolState[],
  untold: ReadonlySet<string> = new Set(),
): ActionSet {
  const byName = new Map(tools.map((tool) => [tool.name, compileTool(tool)]));
  const told = tools.filter(({ name }) => !untold.has(name));
  const names = Object.freeze(told.map(({ name }) => name));
  let calls: readonly ActionCall[] | undefined;
  let nativeTools: readonly ModelTool[] | undefined;
  let nativeTokens: number | undefined;
  return {
    names,
    get calls() {
      return (calls ??= Object.freeze(
        told.map(({ name, description, input }) => ({
          name,
          description,
          callSchema: callSchema(name, input),
        })),
      ));
    },
    get nativeTools() {
      return (nativeTools ??= Object.freeze(
        told.map(({ name, description, input }) => ({
          name,
          description,
          parameters: argumentsSchema(input),
        })),
      ));
    },
    get nativeTokens() {
      return (nativeTokens ??= Math.ceil(JSON.stringify(this.nativeTools).length / 4));
    },
    validate: (fields, telemetry) => {
      const { action, rationale } = fields;
      if (typeof action !== "string" || typeof rationale !== "string") {
        return { problem: "schema", text: missing(fields) };
      }
      const compiled = byName.get(action);
      if (compiled === undefined) return { problem: "action", text: unknownAction(action, names) };
      return compiled(action, fields, telemetry);
    },
  };
}

type CheckCall = (
  action: string,
  fields: Readonly<Record<string, unknown>>,
  telemetry: Telemetry,
) => ValidAction | Rejection;

function compileTool(tool: ToolState): CheckCall {
  const { name, input, hasPlainInput } = tool;
  const state = typeState(input);
  const adoptCall = typeState(Invoke)?.adopt;
  if (state === undefined || adoptCall === undefined)
    throw new TypeError(`\`${name}\` has no value type as input`);
  // A model that sends a key nobody reads has misunderstood something. A declared value type keeps its own rule, which
  // is to ignore such keys unless it is strict.
  const known = hasPlainInput && state.fieldNames !== null ? new Set(state.fieldNames) : undefined;
  return (action, fields, telemetry) => {
    const given: Record<string, unknown> = {};
    let call: Record<string, unknown> | undefined;
    for (const key of Object.keys(fields)) {
      if (key === "action" || key === "rationale") continue;
      if (telemetryKeys.has(key)) call ??= withoutTelemetry(fields);
      else setOwn(given, key, fields[key]);
    }
    const extra = known === undefined ? undefined : Object.keys(given).find((key) => !known.has(key));
    const parsed = extra === undefined ? state.parse(given) : { problem: unknownKey(extra) };
    if ("problem" in parsed) {
      return {
        problem: "schema",
        text: `The arguments of \`${action}\` do not fit: ${misfit(parsed.problem)}`,
      };
    }
    const invoke = adoptCall(call ?? fields, metadataFrom(telemetry));
    if (!Invoke.is(invoke)) throw new TypeError("a call is no Invoke");
    return { invoke, tool, input: state.adopt(parsed.fields, undefined) };
  };
}

/**
 * What a schema found wrong, for the model.
 *
 * @throws What is no fault of the reply, such as a schema whose values do not parse to themselves.
 */
export function misfit(problem: unknown): string {
  if (typeof problem === "string") return problem;
  if (CoreError.is(problem)) throw problem;
  return describeProblem(problem);
}

function unknownKey(key: string): string {
  return `there is no field \`${key.slice(0, 100)}\``;
}

function withoutTelemetry(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => !telemetryKeys.has(key)));
}

/** A plain assignment to `__proto__` would set the prototype. */
function setOwn(target: Record<string, unknown>, key: string, field: unknown): void {
  if (key !== "__proto__") target[key] = field;
  else
    Object.defineProperty(target, key, {
      value: field,
      enumerable: true,
      configurable: true,
      writable: true,
    });
}

/** What a value says of the model that made it. */
export function metadataFrom({ endpoint, model, tokenInput, tokenOutput }: Telemetry): Telemetry | undefined {
  if (
    endpoint === undefined &&
    model === undefined &&
    tokenInput === undefined &&
    tokenOutput === undefined
  ) {
    return undefined;
  }
  return Object.freeze({
    ...(endpoint === undefined ? undefined : { endpoint }),
    ...(model === undefined ? undefined : { model }),
    ...(tokenInput === undefined ? undefined : { tokenInput }),
    ...(tokenOutput === undefined ? undefined : { tokenOutput }),
  });
}

function missing(fields: Readonly<Record<string, unknown>>): string {
  const faults = ["action", "rationale"].filter((key) => typeof fields[key] !== "string");
  return `The object must have ${faults.map((key) => `\`${key}\``).join(" and ")} with a string`;
}

function unknownAction(action: string, names: readonly string[]): string {
  const offered = names.length === 0 ? "no action" : names.map((name) => `\`${name}\``).join(", ");
  return `\`${action.slice(0, 100)}\` is no action that can be called; there is ${offered}`;
}

const callSchemas = new WeakMap<z.ZodType, Map<string, JsonSchema>>();
/** How many names of one schema are kept; a program may make tools without end. */
const mostNames = 100;

/** The schema of a tool's whole call, as the model is shown it; the same for all agents that have such a tool. */
function callSchema(name: string, input: AnyValueType): JsonSchema {
  let byName = callSchemas.get(input.schema);
  if (byName === undefined) callSchemas.set(input.schema, (byName = new Map<string, JsonSchema>()));
  let known = byName.get(name);
  if (known === undefined) {
    if (byName.size >= mostNames) byName.clear();
    const { properties, required, ...rest } = objectSchema(input);
    known = Object.freeze({
      ...rest,
      properties: { action: { const: name }, rationale: { type: "string" }, ...properties },
      required: ["action", "rationale", ...required],
    });
    byName.set(name, known);
  }
  return known;
}

/** The schema of a native call's arguments: the call's, but for the action. */
function argumentsSchema(input: AnyValueType): JsonSchema {
  const { properties, required, ...rest } = objectSchema(input);
  return {
    ...rest,
    properties: { rationale: { type: "string" }, ...properties },
    required: ["rationale", ...required],
  };
}

interface ObjectSchema {
  readonly type: "object";
  readonly properties: JsonSchema;
  readonly required: readonly string[];
  readonly additionalProperties: unknown;
  readonly [keyword: string]: unknown;
}

const objectSchemas = new WeakMap<z.ZodType, ObjectSchema>();

/** The JSON schema of an input, computed once for each type. */
function objectSchema({ schema }: AnyValueType): ObjectSchema {
  let known = objectSchemas.get(schema);
  if (known === undefined) objectSchemas.set(schema, (known = computeSchema(schema)));
  return known;
}

function computeSchema(schema: z.ZodType): ObjectSchema {
  const {
    $schema: _,
    properties,
    required,
    additionalProperties,
    ...rest
  } = z.toJSONSchema(schema, {
    io: "input",
    override: ({ jsonSchema }) => {
      // The bounds of every JavaScript integer say nothing, and are paid for at every turn.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return {
    ...rest,
    type: "object",
    properties: properties ?? {},
    required: required ?? [],
    // Only a type that keeps whatever it is given is open.
    additionalProperties: typeof additionalProperties === "object" ? additionalProperties : false,
  };
}
