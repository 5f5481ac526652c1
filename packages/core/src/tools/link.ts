import type * as z from "zod";

import type { AnyValue, AnyValueType, Of, Value } from "../values/value.ts";
import type { Stop, Suspend } from "../values/builtin.ts";
import type { AnyFactory, Factory } from "./factory.ts";
import type { Suspends } from "./state.ts";
import type { AnyTool, Tool } from "./tool.ts";

export type OutputOf<T> =
  T extends Tool<never, infer O> ? O : T extends Factory<never, never, infer O> ? O : never;
export type NameOf<T> =
  T extends Tool<never, unknown, infer N>
    ? N
    : T extends Factory<never, never, unknown, infer N>
      ? N
      : string;
/** What a tool hands on to the tools chained to it: every output but Stop and Suspend. */
export type Handed<T> = Exclude<OutputOf<T>, Stop | Suspend>;

/** A parent and the condition under which its output is followed. */
export interface Link<out Narrowed, out Out, out Name extends string> {
  readonly parent: AnyTool | AnyFactory;
  readonly condition: (output: never) => boolean;
  readonly follows?: Narrowed;
  readonly handed?: Out;
  readonly parentName?: Name;
}
/** What a guard for `N` lets through of what a parent hands on: members that are an `N`, and an `N` that is a member. */
export type Picked<Out, N> = Out extends N ? Out : N extends Out ? N : never;
/** The top type of all links. */
export type AnyLink = Link<unknown, unknown, string>;

const linkKey = Symbol.for("@roboz/core/link");

/**
 * Links a tool to a parent under a condition on the parent's output.
 *
 * @param condition - Synchronous and pure. A type guard narrows what the child must accept; a plain boolean is checked
 * when it is followed (`LinkInputError`).
 */
export function when<T extends AnyTool | AnyFactory, N extends Handed<T>>(
  parent: T,
  condition: (output: Handed<T>) => output is N,
): Link<N, N, NameOf<T>>;
export function when<T extends AnyTool | AnyFactory, N>(
  parent: T,
  condition: (output: unknown) => output is N,
): Link<Picked<Handed<T>, N>, Handed<T>, NameOf<T>>;
export function when<T extends AnyTool | AnyFactory>(
  parent: T,
  condition: (output: Handed<T>) => boolean,
): Link<unknown, Handed<T>, NameOf<T>>;
export function when(parent: AnyTool | AnyFactory, condition: (output: never) => boolean): AnyLink {
  const link = { parent, condition };
  Object.defineProperty(link, linkKey, { value: true });
  return Object.freeze(link);
}

/** Whether anything was made by {@link when}, in any installed copy of this package. */
export function isLink(candidate: unknown): candidate is AnyLink {
  return typeof candidate === "object" && candidate !== null && linkKey in candidate;
}

/** What may stand as a tool's input type: a value type, or a plain object schema. */
export type InputType = AnyValueType | z.ZodObject;
/** What a tool's input type gives its `run`: a plain object schema makes a value of the tool's own kind. */
export type Input<I, Name extends string> = I extends z.ZodObject
  ? Value<"empty" | Name, z.output<I>>
  : Of<I>;
/** What may stand as a tool's output: one value type, or a list of them. */
export type OutputTypes = AnyValueType | readonly AnyValueType[];
/** The values that a tool's output types make. */
export type OutOf<O> = O extends readonly (infer M)[] ? Of<M> : Of<O>;
/** What may stand in `chainedTo`. */
export type Parent = AnyTool | AnyFactory | AnyLink;

/** The parents a tool may have: its own, with a sentence in place of each that does not fit. */
export type Fit<P, In, Name extends string> = P extends readonly unknown[]
  ? { readonly [K in keyof P]: FitOne<P[K], In, Name> }
  : FitOne<P, In, Name>;
/**
 * A parent, or the sentence that says why the tool cannot be linked to it. Where a type is erased, on either side of the
 * link, the compiler lets it pass and the agent checks it when it is constructed.
 */
export type FitOne<P, In, Name extends string> = [In] extends [never]
  ? P
  : P extends undefined
    ? P
    : P extends Link<infer N, infer O, infer Up>
      ? FitLink<P, N, O, Up, In, Name>
      : AnyValue extends OutputOf<P>
        ? P
        : [Handed<P>] extends [never]
          ? `\`${NameOf<P>}\` always stops, so \`${Name}\` would never run`
          : [Handed<P>] extends [In]
            ? P
            : [Extract<Handed<P>, In>] extends [never]
              ? `\`${NameOf<P>}\` returns nothing that \`${Name}\` accepts`
              : `\`${NameOf<P>}\` may return a value that \`${Name}\` does not accept; link it with when()`;

/** A conditional link, or the sentence that says why it cannot stand. */
export type FitLink<P, Narrowed, Out, Up extends string, In, Name extends string> = unknown extends Narrowed
  ? AnyValue extends Out
    ? P
    : [Out] extends [never]
      ? `\`${Up}\` always stops, so \`${Name}\` would never run`
      : [Extract<Out, In>] extends [never]
        ? `\`${Up}\` returns nothing that \`${Name}\` accepts`
        : P
  : [Out] extends [never]
    ? `\`${Up}\` always stops, so \`${Name}\` would never run`
    : [Narrowed] extends [never]
      ? `\`${Up}\` returns nothing that \`${Name}\` accepts`
      : [Narrowed] extends [In]
        ? P
        : `\`${Up}\` is followed for a value that \`${Name}\` does not accept`;

/** What a definition says beside its `run`. */
export interface Contract<Name extends string, I extends InputType, O extends OutputTypes, P> {
  /** Lower snake case; what the model calls. */
  readonly name: Name;
  /** What the model is told of the tool. */
  readonly description: string;
  /** A value type, or a plain object schema, whose kind is then the tool's name. */
  readonly input: I;
  /** What `run` may return: one value type, or a list. */
  readonly output: O;
  /** The tool, or tools, whose output becomes this tool's input. */
  readonly chainedTo?:
    (P extends Fit<P, Input<I, Name>, Name> ? P : Fit<P, Input<I, Name>, Name>) | undefined;
  /** What the tool may ask from outside before it can go on; the reply becomes its output. */
  readonly suspends?: Suspends;
  /** Milliseconds after which a call fails with `ToolTimeoutError`; none by default. */
  readonly timeoutMs?: number;
  /** How often a failed call is tried again before it counts as failed; 0 by default. */
  readonly retries?: number;
  /** Asked again and again on purpose: the same call with the same result is no loop. */
  readonly polls?: boolean;
}
