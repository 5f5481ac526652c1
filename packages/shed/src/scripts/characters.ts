/** The beginning of a text, of so many characters, which are code points. */
export function firstCharacters(text: string, most: number): string {
  // Fewer units than that hold no more characters.
  return text.length <= most ? text : Array.from(text).slice(0, most).join("");
}
