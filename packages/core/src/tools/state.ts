import type { AnyValue, AnyValueType } from "../values/value.ts";
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

/** What a tool may ask from outside, and what comes back. */
export interface Suspends {
  readonly request: z.ZodType;
  readonly reply: AnyValueType;
  /**
   * Works the reply, unchecked, and the `state` of the tool's Suspend into an output, for a tool that has more to do;
   * without it the reply is the output. It may suspend again, and throws {@link ReplyError} for a reply that it cannot use.
   */
  readonly resume?: (reply: unknown, state: unknown, context: ToolContext) => unknown;
}

/** What a tool is, erased of its types: the agent's view of it. */
export interface ToolState {
  readonly id: string;
  name: string;
  readonly description: string;
  readonly input: AnyValueType;
  readonly outputs: readonly AnyValueType[];
  links: readonly LinkState[];
  readonly suspends: Suspends | undefined;
  readonly timeoutMs: number | undefined;
  readonly retries: number;
  readonly polls: boolean;
  /** Whether the input was given as a plain object schema; a model's call is then closed to other keys. */
  readonly hasPlainInput: boolean;
  /** What a factory was bound to; undefined for a plain tool. */
  readonly bound: { readonly context: unknown } | undefined;
  /** The body, for an input that was checked. */
  readonly run: Body;
}

/** A tool's body, erased: it may be called only with a value of the tool's input type. */
export type Body = (input: AnyValue, context: ToolContext) => unknown;

const toolKey = Symbol.for("@roboz/core/tool");
const factoryKey = Symbol.for("@roboz/core/factory");

/** What links refer to. */
interface Identity {
  readonly id: string;
  readonly name: string;
}

/** The property that makes an object a tool, for every installed copy of this package. */
export function toolProperty(state: ToolState): PropertyDescriptorMap {
  return { [toolKey]: { value: state } };
}

/** The property that makes a function a factory, for every installed copy of this package. */
export function factoryProperty(identity: Identity): PropertyDescriptorMap {
  return { [factoryKey]: { value: identity } };
}

/** The state of a tool of any installed copy of this package; undefined for anything else. */
export function toolState(candidate: unknown): ToolState | undefined {
  return isMarkedTool(candidate) ? candidate[toolKey] : undefined;
}

function isMarkedTool(candidate: unknown): candidate is AnyTool & { readonly [toolKey]: ToolState } {
  return typeof candidate === "object" && candidate !== null && toolKey in candidate;
}

function isMarkedFactory(candidate: unknown): candidate is AnyFactory & { readonly [factoryKey]: Identity } {
  return typeof candidate === "function" && factoryKey in candidate;
}

/** Whether anything is a tool or a factory, of any installed copy of this package. */
export function isToolOrFactory(candidate: unknown): candidate is AnyTool | AnyFactory {
  return isMarkedTool(candidate) || isMarkedFactory(candidate);
}

/** The identity of a tool or factory; undefined for anything else. */
export function identityOf(candidate: unknown): Identity | undefined {
  return isMarkedFactory(candidate) ? candidate[factoryKey] : toolState(candidate);
}
