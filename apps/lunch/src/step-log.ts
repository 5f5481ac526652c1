import { contentObject, type EventSink, type Message } from "@roboz/core";

import { paintFor, type Screen } from "./paint.ts";
import { sentence } from "./sentences.ts";

const nameWidth = 15;

/**
 * Prints a lunch as it happens, a line for each step: what the model calls and why, and what each tool found out. An
 * arrow stands before a step to which the step before led.
 */
export function stepLog(screen: Screen): EventSink {
  const paint = paintFor(screen);
  /** The tool that the model called last, until it has answered. */
  let called: unknown;
  const lineOf = (message: Message): string | undefined => {
    const { action, rationale, caller, ...result } = contentObject(message.content) ?? {};
    switch (message.role) {
      case "system":
        return undefined;
      case "error":
        return line(paint("red", "!"), textOf(caller) ?? "", textOf(result["error"]) ?? message.content);
      case "assistant":
        called = action;
        return line(paint("cyan", "●"), "model", `${String(action)}: ${String(rationale)}`);
      case "user": {
        if (typeof caller !== "string") return line("○", "you", message.content);
        const isChained = caller !== called;
        called = undefined;
        return line(isChained ? paint("green", "→") : " ", caller, sentence(result));
      }
    }
  };
  return (event) => {
    if (event.type === "message") {
      const text = lineOf(event.message);
      if (text !== undefined) screen.write(text);
    } else if (event.type === "runtime" && event.category === "llm" && event.level === "warning") {
      screen.write(line(paint("red", "!"), "model", event.message));
    }
  };
}

function line(mark: string, name: string, text: string): string {
  return `  ${mark} ${name.padEnd(nameWidth)}  ${text}\n`;
}

function textOf(field: unknown): string | undefined {
  return typeof field === "string" ? field : undefined;
}
