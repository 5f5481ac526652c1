const kindsKey = Symbol.for("@roboz/core/kinds");

/** What the prototype of every value carries; the same symbol in every installed copy of this package. */
interface Kinded {
  readonly [kindsKey]: readonly string[];
}

/** The property that makes an object's descendants values of these kinds. */
export function kindsProperty(lineage: readonly string[]): PropertyDescriptorMap {
  return { [kindsKey]: { value: lineage } };
}

function isKinded(candidate: unknown): candidate is Kinded {
  return typeof candidate === "object" && candidate !== null && kindsKey in candidate;
}

/** The kinds of a value, most specific first; undefined for anything that is not a value. */
export function lineageOf(candidate: unknown): readonly string[] | undefined {
  return isKinded(candidate) ? candidate[kindsKey] : undefined;
}

/** The kinds of this package's own types; no other type may take one of them. */
export const builtinKinds: ReadonlySet<string> = new Set([
  "empty",
  "all",
  "int",
  "str",
  "strs",
  "hash_maps",
  "location",
  "location_str",
  "str_image",
  "stop",
  "stop_location",
  "invoke",
  "suspend",
]);
