import { lineageOf } from "./kinds.ts";
import { isFields } from "./parse.ts";

/** How deep data may be nested; `JSON.stringify` and whoever walks a message stay far from the end of the stack. */
const maxDepth = 500;

/** Data that JSON cannot carry: where it stands, and what it is. */
export class NotPlain extends Error {
  readonly path: string;
  readonly what: string;

  constructor(path: Readonly<Trail>, what: string) {
    super(what);
    this.path = path.length > 10 ? `${path.slice(0, 10).join(".")}…` : path.join(".");
    this.what = what;
  }
}

/**
 * Freezes in depth, in place, what a schema that looks into every part has just made.
 *
 * @throws {@link NotPlain} for data that is nested too deep.
 */
export function freezeFresh(part: object, name: string, depth = 1): object {
  if (depth > maxDepth) throw new NotPlain([name], `nested more than ${maxDepth} deep`);
  if (Array.isArray(part)) {
    const items: readonly unknown[] = part;
    for (const item of items)
      if (typeof item === "object" && item !== null) freezeFresh(item, name, depth + 1);
  } else if (isFields(part)) {
    for (const key of Object.keys(part)) {
      const member = part[key];
      if (member === undefined) Reflect.deleteProperty(part, key);
      else if (typeof member === "object" && member !== null) freezeFresh(member, name, depth + 1);
    }
  }
  return Object.freeze(part);
}

/** Copies made here: frozen in depth, so that they need no second walk when a value is handed on. */
const settled = new WeakSet();

/**
 * A frozen copy of a field, in depth. Getters are read once; `undefined` members and `__proto__` keys are left out, as
 * JSON and zod do. The original is not touched.
 *
 * @throws {@link NotPlain} for what JSON cannot carry, and for data that is nested too deep or within itself.
 */
export function frozenField(field: unknown, name: string): unknown {
  if (typeof field !== "object" || field === null) return scalar(field, name, []);
  if (settled.has(field)) return field;
  const copy = frozenObject(field, [name]);
  settled.add(copy);
  return copy;
}

type Trail = (string | number)[];

function frozen(part: unknown, key: string | number, trail: Trail): unknown {
  if (typeof part !== "object" || part === null) return scalar(part, key, trail);
  trail.push(key);
  const copy = frozenObject(part, trail);
  trail.pop();
  return copy;
}

function scalar(part: unknown, key: string | number, trail: Trail): unknown {
  if (typeof part === "string" || typeof part === "boolean" || part === null) return part;
  if (typeof part !== "number") {
    throw new NotPlain([...trail, key], part === undefined ? "undefined" : `a ${typeof part}`);
  }
  if (Number.isFinite(part)) return part;
  throw new NotPlain([...trail, key], "a number that is not finite");
}

function frozenObject(part: object, trail: Trail): object {
  if (trail.length > maxDepth) throw new NotPlain(trail, `nested more than ${maxDepth} deep, or in itself`);
  if (Array.isArray(part)) {
    const items: readonly unknown[] = part;
    const copy: unknown[] = [];
    for (let index = 0; index < items.length; index += 1) copy.push(frozen(items[index], index, trail));
    return Object.freeze(copy);
  }
  if (lineageOf(part) !== undefined && Object.isFrozen(part)) return part;
  if (!isPlainObject(part)) throw new NotPlain(trail, "an object that is not plain");
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(part)) {
    const member = part[key];
    if (member !== undefined && key !== "__proto__") copy[key] = frozen(member, key, trail);
  }
  return Object.freeze(copy);
}

/** Whether an object was written as one or parsed from JSON, in whatever realm. */
function isPlainObject(part: object): part is Readonly<Record<string, unknown>> {
  const prototype: unknown = Object.getPrototypeOf(part);
  return (
    prototype === Object.prototype ||
    prototype === null ||
    (typeof prototype === "object" &&
      Object.getPrototypeOf(prototype) === null &&
      Object.hasOwn(prototype, "isPrototypeOf"))
  );
}
