import { contentObject, type EventSink, type Message } from "@roboz/core";

import { paintFor, type Screen } from "./paint.ts";

const nameWidth = 14;
/** Of longer texts the first lines are shown. */
const longestText = 6;
/** What is chosen by default between two turns, and says nothing of the work. */
const routine = /^(?:prompt_llm|compactify_|start_background_agent_|purge_|sleep_|stop_)/;

/** Prints one agent's run as it happens: what its model calls, the steps that take no model call, and what comes of them. */
export function stepLog(screen: Screen, agentName: string): EventSink {
  const paint = paintFor(screen);
  const write = (mark: string, text: string): void => {
    screen.write(`${`  ${paint("cyan", agentName.padEnd(nameWidth))}${mark} ${text}`.trimEnd()}\n`);
  };
  const showMessage = ({ role, content }: Message): void => {
    const { action, rationale, caller, value, error } = contentObject(content) ?? {};
    if (role === "assistant" && typeof action === "string")
      write(paint("bold", "●"), `${action}: ${typeof rationale === "string" ? rationale : ""}`);
    if (role === "error") write(paint("red", "!"), typeof error === "string" ? error : content);
    if (role !== "user") return;
    if (caller === undefined) write("○", clipped(typeof value === "string" ? value : content));
    else if (caller !== "stop" && typeof value === "string" && value !== "") write(" ", clipped(value));
  };
  return (event) => {
    if (event.type === "message") showMessage(event.message);
    if (event.type !== "runtime" || event.category !== "tool" || event.kind !== "started") return;
    const { tool, chosen_by: chosenBy } = event.data;
    if (chosenBy !== "model" && !routine.test(String(tool))) write(paint("green", "→"), String(tool));
  };
}

/** A text of several lines under its first; of a long one, the first ones, and of instructions the first. */
function clipped(text: string): string {
  const lines = text.trimEnd().split("\n");
  const shown = lines.slice(0, /^(?:# Instructions|The skills)/.test(text) ? 1 : longestText);
  if (lines.length > shown.length) shown.push(`… ${lines.length - shown.length} more lines`);
  return shown.join(`\n${" ".repeat(nameWidth + 4)}`);
}
