import type { ModelToolCall, ToolCallPart } from "./client.ts";

/** Native calls as the text that the JSON protocol would have: an object each, on lines of their own. */
export function callText(calls: readonly ModelToolCall[]): string {
  const text = new CallText();
  return calls.map((call, index) => text.take({ index, ...call })).join("") + text.end();
}

/**
 * Turns the parts of native calls into text as they come, so that whoever watches a reply grow sees the same with either
 * protocol.
 */
export class CallText {
  readonly #started = new Set<number>();
  #index: number | undefined;
  /** Whether the call's arguments were opened, and whether anything stood in them. */
  #state: "named" | "open" | "filled" = "named";

  /** The text that a part adds; empty while the call has no name. */
  take({ index, name, arguments: given = "" }: ToolCallPart): string {
    let text = "";
    if (!this.#started.has(index)) {
      if (name === undefined || name === "") return "";
      text = `${this.#index === undefined ? "" : `${this.end()}\n`}{"action":${JSON.stringify(name)}`;
      this.#started.add(index);
      this.#index = index;
      this.#state = "named";
    }
    return text + this.#arguments(given);
  }

  /** The text that ends the last call, when its arguments did not. */
  end(): string {
    const isOpen = this.#index !== undefined && this.#state === "named";
    this.#state = "filled";
    return isOpen ? "}" : "";
  }

  #arguments(given: string): string {
    if (this.#state === "filled") return given;
    let rest = given;
    if (this.#state === "named") {
      rest = rest.trimStart();
      if (rest === "") return "";
      if (rest.startsWith("{")) rest = rest.slice(1);
      this.#state = "open";
    }
    rest = rest.trimStart();
    if (rest === "") return "";
    this.#state = "filled";
    return rest.startsWith("}") ? rest : `,${rest}`;
  }
}
