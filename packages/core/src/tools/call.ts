import { ToolInputError, ToolOutputError } from "../errors.ts";
import { noUserIo } from "../runtime/user-io.ts";
import {
  isValue,
  kindOf,
  metadataOf,
  typeOf,
  typeState,
  type AnyValue,
  type AnyValueType,
} from "../values/value.ts";
import type { ToolContext } from "./context.ts";
import type { ToolState } from "./state.ts";

/** A value fitted to a type, or what the type's schema found wrong. */
export type Fitted = { readonly value: AnyValue } | { readonly problem: unknown };

/**
 * Projects a value onto a type: its fields that the type has, validated; a subtype's other fields are left out.
 * A value of the very type is handed on as it is, since values are frozen in depth.
 */
export function project(given: unknown, type: AnyValueType): Fitted {
  const isOne = isValue(given);
  if (isOne && typeOf(given) === type) return { value: given };
  const state = typeState(type);
  if (state === undefined) return { problem: new TypeError("not a value type of this package") };
  const parsed = type.schema.safeParse(picked(given, state.fieldNames));
  if (!parsed.success) return { problem: parsed.error };
  const fields = typeof parsed.data === "object" && parsed.data !== null ? parsed.data : {};
  return { value: state.adopt(fields, isOne ? metadataOf(given) : undefined) };
}

function picked(given: unknown, names: readonly string[] | null): unknown {
  if (given === undefined) return {};
  if (typeof given !== "object" || given === null) return given;
  if (names === null) return { ...given };
  const fields: Record<string, unknown> = {};
  for (const name of names) {
    if (Object.hasOwn(given, name)) fields[name] = Reflect.get(given, name);
  }
  return fields;
}

/** A tool's checked input. */
export function inputFor(tool: ToolState, given: unknown): AnyValue {
  const fitted = project(given, tool.input);
  if ("problem" in fitted) throw new ToolInputError({ toolName: tool.name, cause: fitted.problem });
  return fitted.value;
}

/** Runs a tool's body on an input that was checked for it. */
export function runBody(tool: ToolState, input: AnyValue, context: ToolContext): unknown {
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- the seam: `input` was parsed with the schema that the body's type was inferred from
  return tool.run(input as never, context);
}

/** What a tool returned, when it is one of the values it declares. */
export function checkOutput(tool: ToolState, returned: unknown): AnyValue {
  if (isValue(returned)) {
    for (const type of tool.outputs) {
      if (type.is(returned)) return returned;
    }
  }
  throw new ToolOutputError({
    toolName: tool.name,
    returned: isValue(returned)
      ? `\`${kindOf(returned)}\``
      : returned === null
        ? "null"
        : `no value but ${typeof returned}`,
    declared: tool.outputs.map((type) => type.kind),
  });
}

/** Runs a tool outside of any run. */
export async function callAlone(
  tool: ToolState,
  given: unknown,
  context: ToolContext = aloneContext(),
): Promise<AnyValue> {
  return checkOutput(tool, await runBody(tool, inputFor(tool, given), context));
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
