import { contentObject, type EventSink, type Message } from "@roboz/core";

import { paintFor, type Screen } from "./paint.ts";

const nameWidth = 27;
/** Instructions are longer. */
const longestText = 16;

/**
 * Prints a run as it happens: what the model calls, an arrow for each step that a chain took without it, what was decided about
 * permissions, and what came of it.
 */
export function stepLog(screen: Screen): EventSink {
  const paint = paintFor(screen);
  const write = (mark: string, name: string, text: string): void => {
    screen.write(`${`  ${mark} ${name.padEnd(nameWidth)}  ${text}`.trimEnd()}\n`);
  };
  const showMessage = ({ role, content }: Message): void => {
    const { action, rationale, caller, ...rest } = contentObject(content) ?? {};
    if (role === "assistant") write(paint("cyan", "●"), "model", `${String(action)}: ${String(rationale)}`);
    if (role === "assistant" || role === "system" || rest["at"] !== undefined) return;
    if (role === "error") write(paint("red", "!"), textOf(caller), textOf(rest["error"], content));
    else if (caller === undefined) write("○", "you", clipped(content));
    else if (caller !== "stop" && typeof rest["value"] === "string" && rest["value"] !== "")
      write(" ", "", clipped(rest["value"]));
  };
  return (event) => {
    if (event.type === "message") showMessage(event.message);
    if (event.type !== "runtime") return;
    const { audit, chosen_by: chosenBy, tool, verdict, operation, location } = event.data;
    if (event.category === "tool" && event.kind === "started" && chosenBy === "chain")
      write(paint("green", "→"), String(tool), "");
    if (audit === "permission")
      write(
        paint(verdict === "allow" ? "green" : "red", verdict === "allow" ? "✓" : "✗"),
        `${String(verdict)} ${String(operation)}`,
        String(location),
      );
  };
}

/** A text of several lines under its first; of a long one, the first alone. */
function clipped(text: string): string {
  const lines = text.trimEnd().split("\n");
  if (lines.length > longestText) return `${lines[0] ?? ""} (… ${lines.length - 1} more lines)`;
  return lines.join(`\n${" ".repeat(nameWidth + 6)}`);
}

function textOf(field: unknown, otherwise = ""): string {
  return typeof field === "string" ? field : otherwise;
}
