import { contentObject, type Message, type Role } from "../../values/message.ts";
import type { EventSink, RunLifecycleEvent, RuntimeEvent } from "../events.ts";
import { textOutputOf, type TextOutput, type TextStream } from "../text-output.ts";
import { printable, printableLine } from "./printable.ts";

/** How {@link cliSink} prints. */
export interface CliSinkOptions {
  /** The standard output by default. */
  readonly stream?: TextStream | undefined;
  /** Whose messages are printed; everybody's by default. */
  readonly roles?: readonly Role[] | undefined;
  /** By default the terminal decides: colours when the stream is one and `NO_COLOR` is not set. */
  readonly color?: boolean | undefined;
  /** Prints the model's replies as they arrive, in place of the finished message; false by default. */
  readonly deltas?: boolean | undefined;
}

const allRoles: readonly Role[] = ["system", "assistant", "user", "error"];
const colors = { system: 90, assistant: 36, user: 32, error: 31, frame: 1, script: 90 } as const;
type Color = keyof typeof colors;

/**
 * A sink that prints a run for a person at a terminal: messages with their role and tool, frames where the run starts
 * and stops, the output of scripts, and runtime events of the level `error`. What the text says is shown, never obeyed:
 * control characters in it lose their effect. When nobody reads the stream any more, it prints nothing and the run goes on.
 */
export function cliSink({
  stream = process.stdout,
  roles = allRoles,
  color = isColorful(stream),
  deltas = false,
}: CliSinkOptions = {}): EventSink {
  const printer = new Printer(textOutputOf(stream), color);
  /** The reply that is being printed as it arrives. */
  let streamed: { readonly messageId: string; text: string } | undefined;
  return (event) => {
    switch (event.type) {
      case "run-lifecycle":
        printer.lines(frame(event), "frame");
        return;
      case "message": {
        const { message, messageId } = event;
        const arrived = messageId !== undefined && messageId === streamed?.messageId ? streamed.text : null;
        streamed = undefined;
        if (!roles.includes(message.role)) return;
        if (arrived === null) printMessage(printer, message);
        else printer.endReply(message, arrived);
        return;
      }
      case "message-delta":
        if (!deltas || !roles.includes(event.role)) return;
        if (streamed?.messageId !== event.messageId) {
          printer.lines([`[${event.role}]`], event.role);
          streamed = { messageId: event.messageId, text: "" };
        }
        streamed.text += event.delta;
        printer.piece(event.delta);
        return;
      case "script-output":
        printer.piece(event.content, "script");
        return;
      case "runtime":
        if (event.level === "error") printer.lines([failure(event)], "error");
        return;
    }
  };
}

/** Whether a stream shows colours: it is a terminal, and nobody asked for none. */
function isColorful(stream: TextStream): boolean {
  const { NO_COLOR: unwanted = "", TERM: terminal } = process.env;
  return stream.isTTY === true && unwanted === "" && terminal !== "dumb";
}

/** Writes blocks and pieces in their colours. */
class Printer {
  readonly #output: TextOutput;
  readonly #isColorful: boolean;

  constructor(output: TextOutput, isColorful: boolean) {
    this.#output = output;
    this.#isColorful = isColorful;
  }

  lines(lines: readonly string[], color?: Color): void {
    this.#output.lines(lines.map((line) => this.#painted(line.trimEnd(), color)).join("\n"));
  }

  /** The lines of a text that has nothing beside it, so that a question is not put a second time. */
  body(lines: readonly string[], text: string | undefined): void {
    this.lines(lines);
    if (text !== undefined) this.#output.hasShown(text);
  }

  /** A reply that was printed as it arrived is complete. */
  endReply(message: Message, arrived: string): void {
    const text = onlyText(partsOf(message).fields);
    // Whoever turns deltas into lines may have indented them.
    if (text !== undefined && printableLine(arrived).endsWith(printableLine(text)))
      this.#output.hasShown(text);
  }

  piece(text: string, color?: Color): void {
    const plain = printable(text);
    this.#output.piece(plain, this.#painted(plain, color));
  }

  #painted(text: string, color: Color | undefined): string {
    return this.#isColorful && color !== undefined ? `\u001b[${colors[color]}m${text}\u001b[0m` : text;
  }
}

/** What a message says, apart from who says it. */
function partsOf({ content }: Message): {
  readonly tool: unknown;
  readonly rationale: unknown;
  readonly fields: Readonly<Record<string, unknown>>;
} {
  const { action, rationale, caller, ...fields } = contentObject(content) ?? { text: content };
  return { tool: typeof action === "string" ? action : caller, rationale, fields };
}

/** The text of a message that says one thing. */
function onlyText(fields: Readonly<Record<string, unknown>>): string | undefined {
  const [[name, field] = [], ...others] = Object.entries(fields);
  const isOnly = others.length === 0 && (name === "value" || name === "text");
  return isOnly && typeof field === "string" ? field : undefined;
}

/** `[assistant] book_table (They have room.)` or `[user] book_table`, and the fields below. */
function printMessage(printer: Printer, message: Message): void {
  const { role, images } = message;
  const { tool, rationale, fields } = partsOf(message);
  const label = [
    `[${role}]`,
    ...(typeof tool === "string" ? [printableLine(tool)] : []),
    ...(typeof rationale === "string" && rationale !== "" ? [`(${printableLine(rationale)})`] : []),
  ];
  printer.lines([label.join(" ")], role);
  const body = Object.entries(fields).flatMap(([name, field], _at, { length }) =>
    laidOut(length === 1 && (name === "value" || name === "text") ? undefined : name, field),
  );
  if (images.length > 0) body.push(`  (${images.length} ${images.length === 1 ? "image" : "images"})`);
  if (body.length > 0) printer.body(body, images.length === 0 ? onlyText(fields) : undefined);
}

function laidOut(name: string | undefined, field: unknown): readonly string[] {
  const lines = printable(typeof field === "string" ? field : JSON.stringify(field, null, 2)).split("\n");
  if (name === undefined) return lines.map((line) => `  ${line}`);
  const label = `  ${printableLine(name)}:`;
  if (lines.length === 1) return [`${label} ${lines.join("")}`];
  return [label, ...lines.map((line) => `    ${line}`)];
}

function frame(event: RunLifecycleEvent): readonly string[] {
  const lines = (event.kind === "started" ? introduction(event) : [stopLine(event)]).map(printableLine);
  const width = Math.max(...lines.map((line) => line.length));
  const bar = "─".repeat(width + 2);
  return [`┌${bar}┐`, ...lines.map((line) => `│ ${line.padEnd(width)} │`), `└${bar}┘`];
}

function introduction(event: RunLifecycleEvent): readonly string[] {
  const { agentName, agentDescription, parentAgentName, apiName, modelName } = event;
  const model = [apiName, modelName].filter((part) => part !== undefined).join(" / ");
  const facts = [
    model,
    event.maxContextTokens === undefined ? "" : `${event.maxContextTokens} tokens of context`,
    event.temperature === undefined ? "" : `temperature ${event.temperature}`,
    event.outputFormat === undefined ? "" : `format ${event.outputFormat}`,
  ].filter((fact) => fact !== "");
  return [
    parentAgentName === null ? `${agentName} started` : `${agentName} started by ${parentAgentName}`,
    ...(agentDescription.trim() === "" ? [] : [agentDescription]),
    ...(facts.length === 0 ? [] : [facts.join(", ")]),
  ];
}

function stopLine({ agentName, status }: RunLifecycleEvent): string {
  return status === undefined ? `${agentName} stopped` : `${agentName} stopped: ${status}`;
}

function failure({ category, kind, message, data }: RuntimeEvent): string {
  const facts = Object.entries(data).map(([name, fact]) => `${name}=${JSON.stringify(fact)}`);
  return printableLine(
    `! ${category} ${kind}: ${message}${facts.length === 0 ? "" : ` (${facts.join(", ")})`}`,
  );
}
