import { cliSink, type EventSink, type TextStream } from "@roboz/core";

import type { TerminalOutput } from "../terminal.ts";
import { ReadableReply } from "./readable-reply.ts";

/** One output that a run's events and its questions share. */
export interface Display {
  /** Prints the run; at a terminal the model's replies as they arrive. */
  readonly sink: EventSink;
  /** Where questions and notices go: each on a line of its own, also when a reply has just been shown. */
  readonly notices: TextStream;
}

/** Shows a run to whoever reads the output. */
export function displayOn(output: TerminalOutput): Display {
  let lastWriter: "run" | "notices" = "notices";
  let isAtLineStart = true;
  const write = (writer: typeof lastWriter, text: string): void => {
    output.write(text);
    lastWriter = writer;
    isAtLineStart = text.endsWith("\n");
  };
  const stream: TextStream = {
    isTTY: output.isTTY,
    write: (text) => {
      // The sink ends the line it left open; whoever asked in between has done so already.
      const isEnded = lastWriter === "notices" && text.startsWith("\n");
      write("run", isEnded ? text.slice(1) : text);
    },
  };
  const shown = cliSink({ stream, roles: ["assistant", "user", "error"], deltas: output.isTTY === true });
  let reply: { readonly messageId: string; readonly text: ReadableReply } | undefined;
  return {
    sink: (event) => {
      if (event.type !== "message-delta") {
        shown(event);
        return;
      }
      const { messageId, delta } = event;
      if (reply?.messageId !== messageId) reply = { messageId, text: new ReadableReply() };
      shown({ ...event, delta: reply.text.push(delta) });
    },
    notices: {
      isTTY: output.isTTY,
      write: (text) => {
        write("notices", lastWriter === "run" && !isAtLineStart ? `\n${text}` : text);
      },
    },
  };
}
