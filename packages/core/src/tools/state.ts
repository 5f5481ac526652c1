import type { AnyValueType } from "../values/value.ts";
import type { AnyFactory } from "./factory.ts";
import type { ToolContext } from "./context.ts";
import type { AnyTool } from "./tool.ts";
import type * as z from "zod";

/** A link as a tool keeps it: the parent's identity, and the condition if it has one. */
export interface LinkState {
  readonly parentId: string;
  readonly parentName: string;
  /** The parent as it was given; a factory resolves to the tool bound from it. */
  readonly parent: AnyTool | AnyFactory;
  /** None for a link that is always followed. */
  readonly condition: ((output: unknown) => boolean) | undefined;
}

/** What a tool is, erased of its types: the agent's view of it. */
export interface ToolState {
  readonly id: string;
  name: string;
  readonly description: string;
  readonly input: AnyValueType;
  readonly outputs: readonly AnyValueType[];
  links: readonly LinkState[];
  readonly suspends: { readonly request: z.ZodType; readonly reply: AnyValueType } | undefined;
  readonly timeoutMs: number | undefined;
  readonly retries: number;
  readonly polls: boolean;
  /** Whether the input was given as a plain object schema; a model's call is then closed to other keys. */
  readonly hasPlainInput: boolean;
  /** What a factory was bound to; undefined for a plain tool. */
  readonly bound: { readonly context: unknown } | undefined;
  /** The body, for an input that was checked. */
  readonly run: (input: never, context: ToolContext) => unknown;
}

export const toolKey = Symbol.for("@roboz/core/tool");
export const factoryKey = Symbol.for("@roboz/core/factory");

/** The state of a tool of any installed copy of this package; undefined for anything else. */
export function toolState(candidate: unknown): ToolState | undefined {
  if (typeof candidate !== "object" || candidate === null || !(toolKey in candidate)) return undefined;
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- the key is written by `makeTool` alone
  return Reflect.get(candidate, toolKey) as ToolState;
}

/** The identity of a tool or factory; undefined for anything else. */
export function identityOf(candidate: unknown): { readonly id: string; readonly name: string } | undefined {
  const state = toolState(candidate);
  if (state !== undefined) return { id: state.id, name: state.name };
  if (typeof candidate !== "function" || !(factoryKey in candidate)) return undefined;
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- the key is written by `factory` alone
  const { id, name } = Reflect.get(candidate, factoryKey) as { id: string; name: string };
  return { id, name };
}
