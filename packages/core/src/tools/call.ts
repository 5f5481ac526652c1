import { ToolInputError, ToolOutputError } from "../errors.ts";
import { noUserIo } from "../runtime/user-io.ts";
import type { Metadata } from "../values/metadata.ts";
import { isFields, type Parsed } from "../values/parse.ts";
import {
  isValue,
  kindOf,
  metadataOf,
  stemsFrom,
  typeOf,
  typeState,
  type AnyValue,
  type AnyValueType,
  type TypeState,
} from "../values/value.ts";
import type { ToolContext } from "./context.ts";
import type { ToolState } from "./state.ts";

/** A value fitted to a type, or what the type's schema found wrong. */
export type Fitted = { readonly value: AnyValue } | { readonly problem: unknown };

/**
 * Projects a value onto a type: its fields that the type has, validated; a subtype's other fields are left out, and
 * metadata comes along. A value of the very type is handed on as it is, since values are frozen in depth.
 *
 * @returns The problem rather than an exception, also when reading what was given throws.
 */
export function project(given: unknown, type: AnyValueType): Fitted {
  const state = typeState(type);
  if (state === undefined) return { problem: new TypeError("not a value type of this package") };
  try {
    if (!isValue(given)) return fitted(state, state.parse(picked(given, state.fieldNames)), undefined);
    const made = typeOf(given);
    if (made === type) return { value: given };
    const fields = picked(given, state.fieldNames);
    // A subtype's fields were checked by the schemas of the type it extends.
    const parsed = stemsFrom(made, type) && isFields(fields) ? { fields } : state.parse(fields);
    return fitted(state, parsed, metadataOf(given));
  } catch (problem) {
    return { problem };
  }
}

function fitted(state: TypeState, parsed: Parsed, meta: Metadata | undefined): Fitted {
  return "problem" in parsed ? parsed : { value: state.adopt(parsed.fields, meta) };
}

/** The fields of these names, or all of them. */
function picked(given: unknown, names: readonly string[] | null): unknown {
  if (given === undefined) return {};
  if (names === null || !isFields(given)) return given;
  const fields: Record<string, unknown> = {};
  for (const name of names) {
    if (Object.hasOwn(given, name)) fields[name] = given[name];
  }
  return fields;
}

/**
 * A tool's checked input.
 *
 * @throws {@link ToolInputError} (`core/tool-input`) when the tool's input schema rejects it.
 */
export function inputFor(tool: ToolState, given: unknown): AnyValue {
  const found = project(given, tool.input);
  if ("problem" in found) throw new ToolInputError({ toolName: tool.name, cause: found.problem });
  return found.value;
}

/** Runs a tool's body on an input that was checked for it. */
export function runBody(tool: ToolState, input: AnyValue, context: ToolContext): unknown {
  return tool.run(input, context);
}

/**
 * What a tool returned, when it is one of the values it declares.
 *
 * @throws {@link ToolOutputError} (`core/tool-output`) when it is not.
 */
export function checkOutput(tool: ToolState, returned: unknown): AnyValue {
  if (isValue(returned)) {
    const made = typeOf(returned);
    for (const type of tool.outputs) if (stemsFrom(made, type)) return returned;
    // A type of the same kind, as two installed copies of a package make them, has to have the same fields.
    for (const type of tool.outputs)
      if (type.is(returned) && "value" in project(returned, type)) return returned;
  }
  throw new ToolOutputError({
    toolName: tool.name,
    returned: describeReturned(tool, returned),
    declared: tool.outputs.map((type) => type.kind),
  });
}

function describeReturned(tool: ToolState, returned: unknown): string {
  if (!isValue(returned))
    return returned === null ? "null, which is no value" : `${typeof returned}, which is no value`;
  const isNamesake = tool.outputs.some((type) => type.is(returned));
  return isNamesake ? `a \`${kindOf(returned)}\` with other fields` : `\`${kindOf(returned)}\``;
}

/** Runs a tool outside of any run. */
export async function callAlone(
  tool: ToolState,
  given: unknown,
  context: Partial<ToolContext> = {},
): Promise<AnyValue> {
  const input = inputFor(tool, given);
  return checkOutput(tool, await runBody(tool, input, { ...aloneContext(), ...context }));
}

function aloneContext(): ToolContext {
  return {
    messages: [],
    signal: new AbortController().signal,
    io: noUserIo,
    once: async (key, effect) => effect(key),
    emit: () => undefined,
    replaceMessages: () => undefined,
  };
}
