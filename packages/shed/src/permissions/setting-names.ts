/**
 * What keeps settings from being taken: that they are no object, or the first that nobody reads. A misspelt rule would be ignored in
 * silence, and something allowed that was to be denied.
 *
 * @param owner - What the settings are called when they are none.
 */
export function settingsProblem(
  owner: string,
  given: unknown,
  known: readonly string[],
): { readonly setting: string; readonly problem: string } | undefined {
  const names = known.map((name) => `\`${name}\``).join(", ");
  if (typeof given !== "object" || given === null || Array.isArray(given))
    return { setting: owner, problem: `takes one object with ${names}` };
  const other = Reflect.ownKeys(given).find((key) => typeof key === "symbol" || !known.includes(key));
  return other === undefined
    ? undefined
    : { setting: String(other), problem: `is not known; there are ${names}` };
}
