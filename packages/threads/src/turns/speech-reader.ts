/** The calls by which a model speaks to the user: their `value` is the assistant's text. */
export const speechActions: ReadonlySet<string> = new Set(["stop", "prompt_user"]);

type Place = "before" | "key" | "colon" | "value" | "string" | "nested" | "other" | "after";

/**
 * Finds what a model says to the user while its reply is still coming: the `value` of a call that speaks, out of the pieces of
 * the call's JSON.
 */
export class SpeechReader {
  #place: Place = "before";
  #key = "";
  #text = "";
  #escape = "";
  #depth = 0;
  #isNestedString = false;
  #isEscaped = false;
  #action: string | undefined;
  /** Text of `value` that came before it was known whether the call speaks. */
  #held = "";
  #high = "";

  /** Takes a piece of the reply; the text that it adds to what is said, perhaps none. */
  take(piece: string): string {
    for (const character of piece.split("")) this.#step(character);
    if (this.#action === undefined || !speechActions.has(this.#action)) return "";
    let said = this.#high + this.#held;
    this.#high = "";
    this.#held = "";
    const last = said.charCodeAt(said.length - 1);
    // Half a character waits for its other half.
    if (last >= 0xd800 && last <= 0xdbff) {
      this.#high = said.slice(-1);
      said = said.slice(0, -1);
    }
    return said;
  }

  #step(character: string): void {
    switch (this.#place) {
      case "before":
        if (character === "{") this.#place = "key";
        return;
      case "key":
        if (character === '"') {
          this.#text = "";
          this.#place = "string";
          this.#isKey = true;
        } else if (character === "}") this.#place = "after";
        return;
      case "colon":
        if (character === ":") this.#place = "value";
        return;
      case "value":
        this.#startValue(character);
        return;
      case "string":
        this.#inString(character);
        return;
      case "nested":
        this.#inNested(character);
        return;
      case "other":
        if (character === ",") this.#place = "key";
        else if (character === "}") this.#place = "after";
        return;
      case "after":
    }
  }

  #isKey = false;

  #startValue(character: string): void {
    if (/\s/.test(character)) return;
    if (character === '"') {
      this.#text = "";
      this.#isKey = false;
      this.#place = "string";
    } else if (character === "{" || character === "[") {
      this.#depth = 1;
      this.#isNestedString = false;
      this.#place = "nested";
    } else this.#place = "other";
  }

  #inString(character: string): void {
    if (this.#escape !== "") {
      this.#escape += character;
      const isUnicode = this.#escape[1] === "u";
      if (isUnicode && this.#escape.length < 6) return;
      this.#add(unescaped(this.#escape));
      this.#escape = "";
    } else if (character === "\\") this.#escape = "\\";
    else if (character === '"') this.#endString();
    else this.#add(character);
  }

  #add(text: string): void {
    if (!this.#isKey && this.#key === "value") this.#held += text;
    else this.#text += text;
  }

  #endString(): void {
    if (this.#isKey) {
      this.#key = this.#text;
      this.#place = "colon";
      return;
    }
    if (this.#key === "action") this.#action = this.#text;
    this.#place = "other";
  }

  #inNested(character: string): void {
    if (this.#isNestedString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (character === "\\") this.#isEscaped = true;
      else if (character === '"') this.#isNestedString = false;
      return;
    }
    if (character === '"') this.#isNestedString = true;
    else if (character === "{" || character === "[") this.#depth += 1;
    else if (character === "}" || character === "]") {
      this.#depth -= 1;
      if (this.#depth === 0) this.#place = "other";
    }
  }
}

function unescaped(escape: string): string {
  try {
    const text: unknown = JSON.parse(`"${escape}"`);
    return typeof text === "string" ? text : "";
  } catch {
    return "";
  }
}
