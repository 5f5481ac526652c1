import { quoted, SettingTypeError } from "./errors.ts";

/**
 * Refuses what is no plain object of options, and options that nobody reads: a misspelt one would be ignored in silence.
 *
 * @throws {@link SettingTypeError} (`deployment/setting-type`)
 */
export function checkOptions(owner: string, given: unknown, known: readonly string[]): void {
  const listed = known.map((name) => `\`${name}\``).join(", ");
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new SettingTypeError({ owner, setting: "", problem: `takes one object with ${listed}` });
  }
  for (const key of Reflect.ownKeys(given)) {
    if (typeof key === "string" && known.includes(key)) continue;
    const setting = String(key);
    throw new SettingTypeError({ owner, setting, problem: `has no ${quoted(setting)}; it has ${listed}` });
  }
}

/** What a value is, for a message: its type, never its content. */
export function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value !== "object") return typeof value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return "object";
  const maker: unknown = Reflect.get(Object(prototype), "constructor");
  return typeof maker === "function" && maker.name !== "" ? maker.name : "object";
}
