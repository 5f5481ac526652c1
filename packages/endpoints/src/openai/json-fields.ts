/** A field of a JSON object that a service sent; undefined when there is no such field or no object. */
export function field(subject: unknown, name: string): unknown {
  return typeof subject === "object" && subject !== null ? Reflect.get(subject, name) : undefined;
}

/** A field that is a text with at least one character. */
export function textField(subject: unknown, name: string): string | undefined {
  const text = field(subject, name);
  return typeof text === "string" && text !== "" ? text : undefined;
}

/** A field that is a whole number from 0. */
export function countField(subject: unknown, name: string): number | undefined {
  const count = field(subject, name);
  return typeof count === "number" && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

/** The items of a field that is a list; none for anything else. */
export function listField(subject: unknown, name: string): readonly unknown[] {
  const list = field(subject, name);
  return Array.isArray(list) ? list : [];
}

/** A value as JSON; undefined for one that has none, such as a value that is nested too deeply to be written. */
export function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
