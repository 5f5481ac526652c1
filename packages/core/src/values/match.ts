import { lineageOf } from "./kinds.ts";
import type { AnyValue, KindsOf } from "./value.ts";

type Handlers<V, R> = { readonly [K in KindsOf<V>]?: (value: Extract<V, MemberOf<V, K>>) => R };
/** The members of a union that have the kind `K`. */
type MemberOf<V, K extends string> = V extends AnyValue ? (K extends KindsOf<V> ? V : never) : never;
/** The members of a union for which no handler stands. */
type Unhandled<V, Keys> = V extends AnyValue ? ([KindsOf<V> & Keys] extends [never] ? V : never) : never;
type Results<H> = { [K in keyof H]: H[K] extends (value: never) => infer R ? R : never }[keyof H];

/** Handlers that cover a union, or the sentence that says what is wrong with them. */
type Covering<V, H> = [Unhandled<V, keyof H>] extends [never]
  ? [Exclude<keyof H, KindsOf<V>>] extends [never]
    ? H
    : `no value here is a \`${Exclude<keyof H, KindsOf<V>> & string}\``
  : `no handler for \`${KindsOf<Unhandled<V, keyof H>>}\``;

/**
 * Tells the members of a union of values apart. The handler of the most specific kind is called. A member without a
 * handler is a compile error, and so is a handler without a member.
 *
 * @param handlers - Functions by kind; a handler of an ancestor, such as `empty`, stands for all subtypes without one.
 * @returns What the handler returned.
 * @throws `TypeError` when, in code without types, no handler stands for the value.
 */
export function match<V extends AnyValue, const H extends Handlers<V, unknown>>(
  value: V,
  handlers: Covering<V, H>,
): Results<H>;
export function match(value: AnyValue, handlers: object): unknown {
  const lineage = lineageOf(value) ?? [];
  for (const kind of lineage) {
    const handler: unknown = Object.hasOwn(handlers, kind) ? Reflect.get(handlers, kind) : undefined;
    if (typeof handler !== "function") continue;
    const result: unknown = Reflect.apply(handler, undefined, [value]);
    return result;
  }
  throw new TypeError(`No handler for \`${lineage[0] ?? "a value of no kind"}\``);
}
